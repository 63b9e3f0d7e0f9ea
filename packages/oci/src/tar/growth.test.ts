/** Reading an archive takes time linear in its length: each kind is measured at n and 4n. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OciError } from "../errors.ts";
import { readTar } from "./read.ts";
import { padding } from "./entry.ts";
import { endOfArchive, formatHeader } from "./write.ts";

/** One extended header with this text, and the file that it belongs to. */
function withHeader(text: string): Buffer {
  const body = Buffer.from(text);
  const header = formatHeader({ path: "x", size: body.length });
  header.write("x", 156, "latin1");
  // The sum of the bytes of the header, in which its own field counts as spaces.
  header.write("        ", 148, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return Buffer.concat([header, body, Buffer.alloc(padding(body.length)), formatHeader({ path: "a" }), endOfArchive]);
}

function record(at: number): string {
  const rest = ` k${String(at).padStart(6, "0")}=v\n`;
  return `${rest.length + 2}${rest}`;
}

interface Archive {
  readonly size: number;
  readonly make: (n: number) => Buffer;
  /** The length of the chunks in which it arrives. */
  readonly chunk: number;
  readonly isBroken?: boolean;
}

const archives: { readonly [name: string]: Archive } = {
  "empty files": {
    size: 1_000,
    chunk: 64 * 1024,
    make: (n) =>
      Buffer.concat([...Array.from({ length: n }, (_, at) => formatHeader({ path: `a${at}` })), endOfArchive]),
  },
  "attributes of a file": {
    size: 4_000,
    chunk: 64 * 1024,
    make: (n) => withHeader(Array.from({ length: n }, (_, at) => record(at)).join("")),
  },
  "an extended header of zeros": {
    size: 200_000,
    chunk: 64 * 1024,
    isBroken: true,
    make: (n) => withHeader("0".repeat(n)),
  },
  "an extended header in small chunks": {
    size: 4_000,
    chunk: 1,
    make: (n) => withHeader(record(1).repeat(Math.floor(n / record(1).length))),
  },
};

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function costOf(bytes: Buffer, { chunk, isBroken = false }: Archive): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    try {
      for await (const entry of readTar(pieces(bytes, chunk))) assert.ok(entry.path.startsWith("a"));
      assert.ok(!isBroken);
    } catch (error) {
      assert.ok(isBroken && error instanceof OciError, String(error));
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** Four times the length costs four times as much, sixteen times if quadratic. */
const most = 9;
/** A cost below this is noise and harmless, in microseconds. */
const negligible = 15_000;

for (const [name, archive] of Object.entries(archives)) {
  test(`${name}: the cost grows linearly with the length`, async () => {
    const { size, make } = archive;
    const [small, large] = [make(size), make(4 * size)];
    await costOf(small, archive);
    let isLinear = false;
    for (let attempt = 0; attempt < 4 && !isLinear; attempt++) {
      const cost = await costOf(large, archive);
      isLinear = cost < negligible || cost / (await costOf(small, archive)) < most;
    }
    assert.ok(isLinear, `more than ${most} times as long for four times the length`);
  });
}
