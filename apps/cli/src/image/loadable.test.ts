import assert from "node:assert/strict";
import { test } from "node:test";
import { loadablePart } from "./loadable.ts";

/** A header with one segment up to byte 200, and symbols behind it. */
function program(): Buffer {
  const bytes = Buffer.alloc(300, 7);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]).copy(bytes);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeBigUInt64LE(220n, 40);
  for (const [value, at] of [
    [56, 54],
    [1, 56],
    [64, 58],
    [3, 60],
    [2, 62],
  ] as const)
    bytes.writeUInt16LE(value, at);
  bytes.writeBigUInt64LE(120n, 64 + 8);
  bytes.writeBigUInt64LE(80n, 64 + 32);
  return bytes;
}

test("what is behind the last segment is left out, and the table of sections with it", () => {
  const bytes = program();
  const kept = loadablePart(bytes);
  assert.equal(kept.length, 200);
  assert.equal(kept.readBigUInt64LE(40), 0n);
  assert.equal(kept.readUInt16LE(60), 0);
  assert.equal(kept.readUInt16LE(62), 0);
  assert.deepEqual(kept.subarray(64), bytes.subarray(64, 200));
  assert.equal(loadablePart(kept), kept);
});

test("other files stay as they are", () => {
  const big = program();
  big[5] = 2;
  const broken = program();
  broken.writeBigUInt64LE(1_000n, 32);
  const overlong = program();
  overlong.writeBigUInt64LE(1_000n, 64 + 32);
  for (const bytes of [Buffer.from("#!/bin/sh\n"), Buffer.alloc(0), big, broken, overlong])
    assert.equal(loadablePart(bytes), bytes);
});
