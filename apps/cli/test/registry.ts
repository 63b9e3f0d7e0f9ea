/** A real registry (Debian's docker-registry) for tests, on a free port of loopback. */
import { spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const missing = ["docker-registry", "skopeo", "htpasswd"].filter(
  (program) => spawnSync("which", [program]).status !== 0,
);

/** Why tests with a registry cannot run here, or false. */
export const registryMissing: string | false =
  missing.length > 0 && process.env["CI"] !== "true" ? `install ${missing.join(" and ")}` : false;

/** A running registry. */
export interface TestRegistry extends AsyncDisposable {
  readonly host: string;
}

/** Starts a registry; with passwords, it requires a login. */
export async function startRegistry(passwords?: string): Promise<TestRegistry> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-registry-"));
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const config = join(folder, "config.yml");
  const auth = passwords === undefined ? "" : `auth: {htpasswd: {realm: here, path: ${join(folder, "htpasswd")}}}\n`;
  await writeFile(join(folder, "htpasswd"), passwords ?? "");
  await writeFile(
    config,
    `version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: ${folder}}}\nhttp: {addr: "${host}"}\n${auth}`,
  );
  const child = spawn("docker-registry", ["serve", config], { stdio: "ignore" });
  await untilAnswers(host);
  return {
    host,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilAnswers(host: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const answered = await fetch(`http://${host}/v2/`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await wait(100);
  }
  throw new Error(`the registry at ${host} does not answer`);
}

/** A free port below the ephemeral range, so that the system does not assign it before the program listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
