/** What a running `capstan dev` leaves behind for the other commands: where its cluster and its operator are. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** A running dev session. */
export interface Session {
  readonly pid: number;
  readonly kubeconfig: string;
  /** `host:port` of the operator's health door. */
  readonly door: string;
}

const folder = ".capstan";
const file = "dev.json";

/** Where the session of a project is recorded. */
export function sessionFolder(root: string): string {
  return join(root, folder);
}

/** Records a session. */
export async function writeSession(root: string, session: Session): Promise<void> {
  await mkdir(sessionFolder(root), { recursive: true });
  await writeFile(join(sessionFolder(root), file), `${JSON.stringify(session)}\n`, { mode: 0o600 });
}

/** Forgets a session. */
export async function removeSession(root: string): Promise<void> {
  for (const name of [file, "kubeconfig", "operator-kubeconfig"])
    await rm(join(sessionFolder(root), name), { force: true });
}

/** The session that runs for a folder or one above it. */
export async function findSession(cwd: string): Promise<Session | undefined> {
  for (let at = resolve(cwd); ; at = dirname(at)) {
    const session = await readSession(join(at, folder, file));
    if (session !== undefined && isAlive(session.pid)) return session;
    if (at === dirname(at)) return undefined;
  }
}

async function readSession(path: string): Promise<Session | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Session;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
