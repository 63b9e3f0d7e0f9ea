/** Writes a snapshot to a file, verifies the sha256 that etcd appends, and inspects it. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { BackupError } from "capstan/stateful";
import { openBolt } from "./bolt.ts";

export interface SnapshotFile {
  readonly path: string;
  /** Including the 32 bytes of checksum. */
  readonly bytes: number;
  /** Of the whole file, in hexadecimal. */
  readonly sha256: string;
}

/** Facts read from a snapshot. */
export interface SnapshotFacts {
  readonly revision: number;
  /** For example 3.6.0. etcd 3.5 does not write it. */
  readonly storageVersion?: string;
  /** The cluster version of etcd. */
  readonly clusterVersion?: string;
}

const CHECKSUM = 32;

/** Writes a snapshot to a file. Fails unless the checksum at its end is right. */
export async function spoolSnapshot(
  content: AsyncIterable<Uint8Array>,
  path: string,
  options: { readonly size?: number; readonly signal?: AbortSignal } = {},
): Promise<SnapshotFile> {
  const whole = createHash("sha256");
  const data = createHash("sha256");
  let tail: Buffer = Buffer.alloc(0);
  let bytes = 0;
  await using file = await open(path, "w");
  for await (const part of content) {
    options.signal?.throwIfAborted();
    await writePart(file, part);
    whole.update(part);
    bytes += part.length;
    // The last 32 bytes are the checksum; they are known only at the end of the stream.
    const joined = Buffer.concat([tail, part]);
    const recordedState = Math.max(0, joined.length - CHECKSUM);
    data.update(joined.subarray(0, recordedState));
    tail = Buffer.from(joined.subarray(recordedState));
  }
  if (options.size !== undefined && bytes < options.size) {
    throw new BackupError("Truncated", `the snapshot breaks off after ${bytes} of ${options.size} bytes`);
  }
  // bbolt writes whole sectors. Any length other than sectors plus 32 bytes means that the checksum or the end is missing.
  if (bytes % 512 !== CHECKSUM) throw new BackupError("Truncated", `the snapshot breaks off after ${bytes} bytes`);
  if (!data.digest().equals(tail))
    throw new BackupError("Corrupt", "the snapshot does not have the checksum that etcd gave it");
  return { path, bytes, sha256: whole.digest("hex") };
}

/** Inspects a snapshot: the newest revision, and which etcd can read it. */
export async function inspectSnapshot(path: string): Promise<SnapshotFacts> {
  await using file = await open(path, "r");
  const bolt = await openBolt(file);
  const last = await bolt.lastKey("key");
  const compacted = await Promise.all(
    ["scheduledCompactRev", "finishedCompactRev"].map((key) => bolt.get("meta", key)),
  );
  // Like etcd at its start: compacted keys are gone, but the revision counts on.
  const revision = Math.max(1, ...[last, ...compacted].map(readRevision));
  const storageVersion = (await bolt.get("meta", "storageVersion"))?.toString();
  const clusterVersion = (await bolt.get("cluster", "clusterVersion"))?.toString();
  return { revision, ...(storageVersion ? { storageVersion } : {}), ...(clusterVersion ? { clusterVersion } : {}) };
}

/** Eight bytes of revision, then the index within it. */
function readRevision(key: Buffer | undefined): number {
  return key === undefined || key.length < 8 ? 0 : Number(key.readBigInt64BE(0));
}

async function writePart(file: FileHandle, part: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < part.length;) at += (await file.write(part, at)).bytesWritten;
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause) || (cause.code !== "ENOSPC" && cause.code !== "EDQUOT"))
      throw cause;
    throw new BackupError("Full", "no room is left where the snapshot is kept meanwhile: give the volume more", {
      cause,
    });
  }
}
