import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { readWhole } from "../store/index.ts";
import { decrypt, encrypt, parseKey } from "./encryption.ts";
import { BackupError } from "./errors.ts";
import type { BackupErrorCode } from "./errors.ts";

const key = randomBytes(32);
const CHUNK = 64 * 1024;
const HEAD = 40;

async function* pieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

const sealed = (content: Buffer): Promise<Buffer> =>
  readWhole(encrypt(pieces(content, 10_000), { key, salt: randomBytes(32) }));
const opened = (content: Buffer, with_ = key): Promise<Buffer> => readWhole(decrypt(pieces(content, 7777), with_));
const failsWith =
  (...codes: BackupErrorCode[]) =>
  (error: unknown) =>
    error instanceof BackupError && codes.includes(error.code);

test("what was encrypted is decrypted, whatever its length", async () => {
  for (const length of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 17]) {
    const content = randomBytes(length);
    assert.ok((await opened(await sealed(content))).equals(content), `${length} bytes`);
  }
});

test("nothing can be changed, cut off, moved or added", async () => {
  const content = randomBytes(3 * CHUNK + 100);
  const whole = await sealed(content);
  const any = fc.nat({ max: whole.length - 1 });
  await fc.assert(
    fc.asyncProperty(any, async (at) => {
      const torn = Buffer.from(whole);
      torn[at] = (torn[at] ?? 0) ^ 1;
      await assert.rejects(opened(torn), failsWith("Corrupt", "WrongKey"));
      await assert.rejects(opened(whole.subarray(0, at)), failsWith("Truncated", "Corrupt", "WrongKey"));
    }),
    { numRuns: 40 },
  );
  const unit = CHUNK + 16;
  const chunk = (index: number): Buffer => whole.subarray(HEAD + index * unit, HEAD + (index + 1) * unit);
  const swapped = Buffer.concat([whole.subarray(0, HEAD), chunk(1), chunk(0), whole.subarray(HEAD + 2 * unit)]);
  await assert.rejects(opened(swapped), BackupError);
  await assert.rejects(opened(whole.subarray(0, HEAD + 2 * unit)), failsWith("Truncated"));
  await assert.rejects(opened(Buffer.concat([whole, Buffer.from("more")])), BackupError);
});

describe("another key", () => {
  test("is told from damage", async () => {
    const large = await sealed(randomBytes(2 * CHUNK));
    await assert.rejects(opened(large, randomBytes(32)), failsWith("WrongKey"));
    await assert.rejects(opened(Buffer.from("plain text, never encrypted, and long enough")), failsWith("WrongKey"));
  });

  test("may be written in three ways and no other", () => {
    assert.deepEqual(parseKey(key), key);
    assert.deepEqual(parseKey(Buffer.from(`${key.toString("hex")}\n`)), key);
    assert.deepEqual(parseKey(Buffer.from(key.toString("base64"))), key);
    assert.throws(() => parseKey(Buffer.from("hunter2")), failsWith("BadKey"));
  });
});
