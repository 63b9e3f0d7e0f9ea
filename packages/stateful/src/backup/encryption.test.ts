import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { readWhole } from "../store/index.ts";
import { decrypt, encrypt, parseKey } from "./encryption.ts";
import type { StreamKey } from "./encryption.ts";
import { BackupError } from "./errors.ts";
import type { BackupErrorCode } from "./errors.ts";

const key = randomBytes(32);
const CHUNK = 64 * 1024;
const HEAD = 40;

async function* pieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

const sealed = (content: Buffer): Promise<Buffer> =>
  readWhole(encrypt(pieces(content, 10_000), { key, identity: "shop/db/1", salt: randomBytes(32) }));
const opened = (content: Buffer, secret: Partial<StreamKey> = {}): Promise<Buffer> =>
  readWhole(decrypt(pieces(content, 7777), { key, identity: "shop/db/1", ...secret }));
const failsWith =
  (...codes: BackupErrorCode[]) =>
  (error: unknown) =>
    error instanceof BackupError && codes.includes(error.code);

test("content of any length is decrypted to what was encrypted", async () => {
  for (const length of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 17]) {
    const content = randomBytes(length);
    assert.ok((await opened(await sealed(content))).equals(content), `${length} bytes`);
  }
});

test("changed, truncated, moved or added chunks are rejected", async () => {
  const content = randomBytes(3 * CHUNK + 100);
  const whole = await sealed(content);
  const any = fc.nat({ max: whole.length - 1 });
  await fc.assert(
    fc.asyncProperty(any, async (at) => {
      const torn = Buffer.from(whole);
      torn[at] = (torn[at] ?? 0) ^ 1;
      await assert.rejects(opened(torn), failsWith("Corrupt"));
      await assert.rejects(opened(whole.subarray(0, at)), failsWith("Truncated", "Corrupt"));
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

test("content decrypts only with its own key and identity", async () => {
  for (const length of [10, 2 * CHUNK]) {
    const whole = await sealed(randomBytes(length));
    await assert.rejects(opened(whole, { key: randomBytes(32) }), failsWith("Corrupt"));
    await assert.rejects(opened(whole, { identity: "shop/db/2" }), failsWith("Corrupt"));
  }
  await assert.rejects(opened(Buffer.from("plain text, never encrypted, and long enough")), failsWith("Corrupt"));
});

test("a key is 32 random bytes: base64, hexadecimal or raw", () => {
  assert.deepEqual(parseKey(key), key);
  assert.deepEqual(parseKey(Buffer.from(`${key.toString("hex")}\n`)), key);
  assert.deepEqual(parseKey(Buffer.from(`${key.toString("base64")}\n`)), key);
});

test("text, and anything else that is not 32 random bytes, is rejected with help", () => {
  const weak = randomBytes(16).toString("hex");
  const refused = [
    "",
    "hunter2",
    weak,
    `${weak}\n`,
    weak.slice(1) + "\n",
    "correct horse battery staple, ok",
    "pässwörter mit ümlauten sind text".slice(0, 28),
    Buffer.from(weak).toString("base64"),
    Buffer.from(weak).toString("hex"),
    randomBytes(16).toString("base64"),
    randomBytes(31).toString("hex"),
    randomBytes(33).toString("base64"),
    `${key.toString("base64")}${key.toString("base64")}`,
    `${key.toString("base64").slice(0, 20)} ${key.toString("base64").slice(20)}`,
    `${key.toString("hex")}zz`,
  ];
  for (const text of refused) {
    assert.throws(
      () => parseKey(Buffer.from(text)),
      (error) => failsWith("BadKey")(error) && /openssl rand -base64 32/u.test(String(error)),
      JSON.stringify(text),
    );
  }
});
