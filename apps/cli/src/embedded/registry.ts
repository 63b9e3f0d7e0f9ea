/** Conversations with registries, with the credentials that Docker keeps for this user. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fromDockerConfig, RegistrySession, type DockerConfig, type RunHelper } from "@capstan/oci";
import type { Terminal } from "../terminal.ts";

/** Opens conversations; the configuration is read for each, because people log in while a cluster runs. */
export function registrySessions({ env }: Pick<Terminal, "env">): (registry: string) => Promise<RegistrySession> {
  const folder = env["DOCKER_CONFIG"] ?? join(env["HOME"] ?? "", ".docker");
  return async (registry) => {
    const text = await readFile(join(folder, "config.json"), "utf8").catch(() => "{}");
    const credentials = fromDockerConfig(JSON.parse(text) as DockerConfig, runHelper);
    return new RegistrySession(registry, { fetch, credentials, wait: (delay) => wait(delay) });
  };
}

const runHelper: RunHelper = (name, registry) =>
  new Promise((resolve) => {
    const child = execFile(`docker-credential-${name}`, ["get"], (error, answer) => {
      resolve(error === null ? (JSON.parse(answer) as Awaited<ReturnType<RunHelper>>) : undefined);
    });
    child.stdin?.end(registry);
  });
