/** Talks to registries as whoever is logged in: Docker's configuration and its helpers, or podman's. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type DockerConfig,
  type Fetch,
  fromDockerConfig,
  type Reference,
  RegistrySession,
  type RunHelper,
} from "@capstan/oci";
import type { FlagOption } from "../command/define.ts";
import { CliError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";

/** The option of every command that talks to a registry. */
export const insecureOption = {
  type: "flag",
  describe: "speak plain HTTP to the registry (loopback always may)",
} as const satisfies FlagOption;

/** A conversation with the registry of a reference. */
export async function openSession(
  { registry }: Reference,
  { terminal, insecure = false }: { readonly terminal: Terminal; readonly insecure?: boolean },
): Promise<RegistrySession> {
  return new RegistrySession(registry, {
    // The options that the session uses are those of fetch.
    fetch: fetch as Fetch,
    credentials: fromDockerConfig(await readDockerConfig(terminal.env), runHelper),
    wait: async (milliseconds) => wait(milliseconds),
    ...(insecure ? { insecure: [registry] } : {}),
  });
}

async function readDockerConfig(env: Terminal["env"]): Promise<DockerConfig> {
  const files = [
    env["REGISTRY_AUTH_FILE"],
    join(env["DOCKER_CONFIG"] ?? join(env["HOME"] ?? homedir(), ".docker"), "config.json"),
    join(env["XDG_RUNTIME_DIR"] ?? "/run", "containers/auth.json"),
  ].filter((file) => file !== undefined);
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text !== undefined) return parse(text, file);
  }
  return {};
}

function parse(text: string, file: string): DockerConfig {
  try {
    return JSON.parse(text) as DockerConfig;
  } catch (cause) {
    throw new CliError("BadInput", `cannot read the logins in ${file}: it is not JSON`, { cause });
  }
}

const runHelper: RunHelper = (name, registry) =>
  new Promise((resolve) => {
    const child = execFile(`docker-credential-${name}`, ["get"], (error, stdout) => {
      // A helper that knows nothing says so with an error; we then ask without a login.
      resolve(error === null ? (JSON.parse(stdout) as { Username: string; Secret: string }) : undefined);
    });
    child.stdin?.on("error", () => undefined).end(registry);
  });
