/** The record of a running `capstan dev` for other commands: where its cluster and its operator are. A folder has at most one session. */
import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isAlive, markOf, type ProcessMark } from "../embedded/record.ts";
import { CliError } from "../errors.ts";
import type { ControllerNames } from "./messages.ts";

/** A running dev session. */
export interface Session {
  /** A file; undefined for the default locations. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** `host:port` of the operator's health endpoint. */
  readonly host: string;
  /** The controllers that the endpoint knows. */
  readonly controllers?: readonly ControllerNames[] | undefined;
}

/** The record of a session; the details are unknown until the operator is loaded. */
interface SessionRecord {
  readonly process: ProcessMark;
  readonly session?: Session | undefined;
}

const folder = ".capstan";
const file = "dev.json";

/** Where the session of a project is recorded. */
export function sessionFolder(root: string): string {
  return join(root, folder);
}

/** The session of a folder while it is held. */
export interface ClaimedSession extends AsyncDisposable {
  /** Records the current cluster and operator. */
  write(session: Session): Promise<void>;
}

/** Makes this process the only session of a folder; fails while another one runs. */
export async function claimSession(root: string): Promise<ClaimedSession> {
  const at = join(sessionFolder(root), file);
  const own = markOf(process.pid);
  await mkdir(sessionFolder(root), { recursive: true });
  while (!(await writeFirst(at, { process: own }))) await removeDead(at);
  let written: Promise<void> = Promise.resolve();
  return {
    write: (session) =>
      (written = written.catch(() => undefined).then(() => writeWhole(at, { process: own, session }))),
    [Symbol.asyncDispose]: async () => {
      // A pending write would recreate the file after its removal.
      await written.catch(() => undefined);
      for (const name of ["kubeconfig", "operator-kubeconfig", file])
        await rm(join(sessionFolder(root), name), { force: true });
      // Images and files of the user stay; an empty folder is removed.
      await rmdir(sessionFolder(root)).catch(() => undefined);
    },
  };
}

/** The session that runs for a folder or one above it. */
export async function findSession(cwd: string): Promise<Session | undefined> {
  for (let at = resolve(cwd); ; at = dirname(at)) {
    const record = await readRecord(join(at, folder, file));
    if (record?.session !== undefined && isAlive(record.process)) return record.session;
    if (at === dirname(at)) return undefined;
  }
}

/**
 * Writes a record if there is none; of several processes only one succeeds. The file appears complete: a partial record would count as a
 * dead session's.
 */
async function writeFirst(at: string, record: SessionRecord): Promise<boolean> {
  const draft = `${at}.${randomUUID()}`;
  await writeFile(draft, formatRecord(record), { mode: 0o600 });
  try {
    await link(draft, at);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Replaces the record atomically: readers see the old or the new one. */
async function writeWhole(at: string, record: SessionRecord): Promise<void> {
  await writeFile(`${at}.new`, formatRecord(record), { mode: 0o600 });
  await rename(`${at}.new`, at);
}

function formatRecord(record: SessionRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** Removes the record of a session that crashed. */
async function removeDead(at: string): Promise<void> {
  const record = await readRecord(at);
  if (record !== undefined && isAlive(record.process))
    throw new CliError(
      "Project",
      `capstan dev runs here already, as process ${record.process.pid}: stop that one first, or use its screen`,
    );
  await rm(at, { force: true });
}

async function readRecord(path: string): Promise<SessionRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(path, "utf8"));
    return isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is SessionRecord {
  if (typeof value !== "object" || value === null || !("process" in value)) return false;
  const { process: mark } = value;
  return typeof mark === "object" && mark !== null && "pid" in mark && typeof mark.pid === "number";
}
