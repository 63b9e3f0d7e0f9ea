/** Starts a PostgreSQL server of its own for a test: on loopback, in a temporary folder, gone afterwards. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** A server that runs. */
export interface RunningPostgres extends AsyncDisposable {
  readonly url: string;
}

const installed = "/usr/lib/postgresql";
/** The server refuses to run as root. */
const nobody = 65_534;

/** The folder of the newest server programs of Debian; undefined where there is none. */
export async function findPostgres(): Promise<string | undefined> {
  const versions = await readdir(installed).catch(() => []);
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? undefined : join(installed, newest, "bin");
}

/** Starts a server with the programs of a folder. */
export async function startPostgres(programs: string): Promise<RunningPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "postgres-"));
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  if (process.getuid?.() === 0) await chown(folder, nobody, nobody);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, stdio: "ignore" } as const;
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "meter", "-A", "trust", "-N", "--locale=C", "-E", "UTF8"],
    options,
  );
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${folder}`, "fsync=off"];
  const server = spawn(join(programs, "postgres"), ["-D", data, ...settings.flatMap((word) => ["-c", word])], options);
  const stop = async (): Promise<void> => {
    if (server.exitCode === null) {
      server.kill("SIGINT");
      await once(server, "exit");
    }
    await rm(folder, { recursive: true });
  };
  try {
    await untilReady(programs, { port, server });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://meter@127.0.0.1:${port}/postgres`, [Symbol.asyncDispose]: stop };
}

async function untilReady(programs: string, { port, server }: { port: number; server: ChildProcess }): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const check = spawn(join(programs, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
    const [code] = (await once(check, "exit")) as [number];
    if (code === 0) return;
    if (server.exitCode !== null || Date.now() > end) throw new Error("PostgreSQL does not start");
    await setTimeout(100);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
