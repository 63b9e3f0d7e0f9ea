import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BackupError } from "capstan/stateful";
import type { BackupErrorCode } from "capstan/stateful";
import { inspectSnapshot, spoolSnapshot } from "./spool.ts";

const failsWith = (code: BackupErrorCode) => (error: unknown) => error instanceof BackupError && error.code === code;

/** A snapshot as etcd sends it: whole sectors, then their sha256. */
function snapshotOf(data: Buffer): Buffer {
  return Buffer.concat([data, createHash("sha256").update(data).digest()]);
}

async function* pieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

test("a snapshot is written completely, in whatever pieces it arrives", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-spool-"));
  const whole = snapshotOf(randomBytes(512 * 40));
  for (const size of [1, 31, 32, 33, 512, 5000, whole.length]) {
    const { bytes, sha256, path } = await spoolSnapshot(pieces(whole, size), join(folder, "x"), { size: whole.length });
    assert.equal(bytes, whole.length);
    assert.equal(sha256, createHash("sha256").update(whole).digest("hex"));
    assert.ok((await readFile(path)).equals(whole));
  }
  await rm(folder, { recursive: true });
});

test("truncated, changed, oversized or foreign content is rejected", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-spool-"));
  const path = join(folder, "x");
  const whole = snapshotOf(randomBytes(512 * 8));
  const torn = Buffer.from(whole);
  torn[100] = (torn[100] ?? 0) ^ 1;
  await assert.rejects(spoolSnapshot(pieces(whole.subarray(0, 1000), 99), path), failsWith("Truncated"));
  await assert.rejects(spoolSnapshot(pieces(whole, 99), path, { size: whole.length + 1 }), failsWith("Truncated"));
  await assert.rejects(spoolSnapshot(pieces(torn, 99), path), failsWith("Corrupt"));
  // Writing to this device fails like a full disk.
  await assert.rejects(spoolSnapshot(pieces(whole, 99), "/dev/full"), failsWith("Full"));
  await writeFile(path, randomBytes(100_000));
  await assert.rejects(inspectSnapshot(path), failsWith("Corrupt"));
  await writeFile(path, "short");
  await assert.rejects(inspectSnapshot(path), failsWith("Corrupt"));
  await rm(folder, { recursive: true });
});
