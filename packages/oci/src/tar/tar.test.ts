import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OciError } from "../errors.ts";
import { padding, type EntryType } from "./entry.ts";
import { type ReadEntry, readTar } from "./read.ts";
import { endOfArchive, formatHeader, type NewEntry } from "./write.ts";

type Written = NewEntry & { readonly body?: Uint8Array };

function pack(entries: readonly Written[]): Buffer {
  const parts = entries.flatMap(({ body = new Uint8Array(), ...entry }) => [
    formatHeader({ ...entry, size: body.length }),
    body,
    Buffer.alloc(padding(body.length)),
  ]);
  return Buffer.concat([...parts, endOfArchive]);
}

/** The archive in chunks, as a network would deliver it. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function unpack(bytes: Buffer, size = 100): Promise<{ entry: ReadEntry; body: Buffer }[]> {
  const found: { entry: ReadEntry; body: Buffer }[] = [];
  for await (const entry of readTar(pieces(bytes, size))) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry.body()) chunks.push(chunk);
    found.push({ entry, body: Buffer.concat(chunks) });
  }
  return found;
}

const types: readonly EntryType[] = ["file", "directory", "symlink", "link", "fifo"];
const name = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 150 })
  .filter((text) => !text.includes("\0") && !text.endsWith("/"));
const anyEntry = fc.record({
  path: name,
  type: fc.constantFrom(...types),
  mode: fc.integer({ min: 0, max: 0o7777 }),
  uid: fc.integer({ min: 0, max: 2 ** 31 }),
  gid: fc.integer({ min: 0, max: 2 ** 31 }),
  mtime: fc.integer({ min: 0, max: 2 ** 32 }),
  attributes: fc.dictionary(
    fc.stringMatching(/^[a-z.]{1,20}$/),
    fc.string({ maxLength: 50 }).filter((text) => !text.includes("\0")),
  ),
  body: fc.uint8Array({ maxLength: 1500 }),
});

test("written entries are read back, however the bytes are split", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyEntry, { maxLength: 5 }), fc.integer({ min: 1, max: 1025 }), async (entries, size) => {
      const written = entries.map((entry) => ({
        ...entry,
        target: entry.type === "symlink" || entry.type === "link" ? entry.path : "",
        body: entry.type === "file" ? entry.body : new Uint8Array(),
      }));
      const read = await unpack(pack(written), size);
      assert.equal(read.length, written.length);
      for (const [index, { entry, body }] of read.entries()) {
        const { body: bytes, ...wanted } = written[index] ?? assert.fail();
        const path = wanted.type === "directory" ? `${wanted.path}/` : wanted.path;
        const { body: _body, size: length, major: _major, minor: _minor, ...got } = entry;
        assert.deepEqual(got, { ...wanted, path, attributes: { ...wanted.attributes } });
        assert.equal(length, bytes.length);
        assert.deepEqual(body, Buffer.from(bytes));
      }
    }),
    { numRuns: 200 },
  );
});

test("the same entries give the same bytes", () => {
  assert.deepEqual(pack([{ path: "a", body: Buffer.from("x") }]), pack([{ path: "a", body: Buffer.from("x") }]));
});

test("an unread body is skipped", async () => {
  const archive = pack([{ path: "a", body: Buffer.alloc(2000) }, { path: "b" }]);
  const paths: string[] = [];
  for await (const { path } of readTar(pieces(archive, 64))) paths.push(path);
  assert.deepEqual(paths, ["a", "b"]);
});

test("a broken archive is an error with a code", async () => {
  const archive = pack([{ path: "a", body: Buffer.alloc(600) }]);
  const damaged = Buffer.from(archive);
  damaged[0] = 0x7a;
  await assert.rejects(unpack(damaged), (error) => error instanceof OciError && error.code === "BadArchive");
  await assert.rejects(
    unpack(archive.subarray(0, 700)),
    (error) => error instanceof OciError && error.code === "BadArchive",
  );
});

/** An extended header with these records, made from that of a file. */
function extended(records: string): Buffer {
  const header = Buffer.from(formatHeader({ path: "pax", size: records.length }));
  header.write("x", 156, "latin1");
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return Buffer.concat([header, Buffer.from(records), Buffer.alloc(padding(records.length))]);
}

function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = rest.length + String(rest.length + 2).length;
  return `${length}${rest}`;
}

test("extended headers with bad numbers, or endless ones, are rejected", async () => {
  const file = pack([{ path: "a", body: Buffer.from("x") }]);
  const fine = await unpack(Buffer.concat([extended(record("size", "1")), file]));
  assert.equal(fine[0]?.body.toString(), "x");
  const bad = [
    ...["NaN", "-1", "1e9", "9007199254740993", ""].map((value) => record("size", value)),
    record("uid", "x"),
    // Such a length is read again for each of its digits.
    `${"0".repeat(20)}28 a=b\n`,
  ];
  for (const records of bad)
    await assert.rejects(unpack(Buffer.concat([extended(records), file])), { code: "BadArchive" }, records);
  const many = Array.from({ length: 9 }, (_, at) => extended(record(`key${at}`, "value")));
  await assert.rejects(unpack(Buffer.concat([...many, file])), { code: "BadArchive" });
});
