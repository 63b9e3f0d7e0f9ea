/** Reads registry logins: Docker's configuration and its credential helpers, or podman's. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type CredentialSource, type DockerConfig, fromDockerConfig, type RunHelper } from "@capstan/oci";
import { CliError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";

/** The logins of a user. */
export async function loginsOf(env: Terminal["env"]): Promise<CredentialSource> {
  return fromDockerConfig(await readConfig(env), (name, registry) => runHelper(env, name, registry));
}

async function readConfig(env: Terminal["env"]): Promise<DockerConfig> {
  const files = [
    env["REGISTRY_AUTH_FILE"],
    join(env["DOCKER_CONFIG"] ?? join(env["HOME"] ?? homedir(), ".docker"), "config.json"),
    join(env["XDG_RUNTIME_DIR"] ?? "/run", "containers/auth.json"),
  ].filter((file) => file !== undefined);
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text !== undefined) return parse<DockerConfig>(text, `the logins in ${file}`);
  }
  return {};
}

/** A credential helper without a login fails; the request then goes without one. */
async function runHelper(env: Terminal["env"], name: string, registry: string): ReturnType<RunHelper> {
  const program = `docker-credential-${name}`;
  const answer = await new Promise<string | undefined>((resolve) => {
    const child = execFile(program, ["get"], { env: { ...env } }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
    child.stdin?.on("error", () => undefined).end(registry);
  });
  return answer === undefined ? undefined : parse<{ Username: string; Secret: string }>(answer, `what ${program} says`);
}

function parse<T>(text: string, what: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new CliError("BadInput", `cannot read ${what}: it is not JSON`, { cause });
  }
}
