/** Reading what clients of exec and port-forward send costs linear time: each reader is measured at n, 2n and 4n. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeletCall } from "./call.ts";
import { createFrameCutter } from "./spdy/frames.ts";
import { offeredProtocols } from "./web-socket.ts";

interface Reader<T> {
  readonly size: number;
  readonly make: (n: number) => T;
  readonly run: (input: T) => unknown;
}

const callWith = (protocols: string): KubeletCall => ({
  method: "GET",
  headers: { "sec-websocket-protocol": protocols },
  body: async () => new Uint8Array(),
  signal: new AbortController().signal,
});

const offered = (make: (n: number) => string): Reader<string> => ({
  size: 20_000,
  make,
  run: (text) => offeredProtocols(callWith(text)),
});

/** Cuts chunks of this size: clients choose how their bytes arrive. */
const cut = (chunk: number, make: (n: number) => Buffer): Reader<Buffer> => ({
  size: 20_000,
  make,
  run: (bytes) => {
    const frames = createFrameCutter();
    let count = 0;
    for (let at = 0; at < bytes.length; at += chunk) for (const _ of frames(bytes.subarray(at, at + chunk))) count++;
    return count;
  },
});

const control = (length: number): Buffer =>
  Buffer.concat([
    Buffer.from([0x80, 3, 0, 4, 0]),
    Buffer.from([length >> 16, length >> 8, length]),
    Buffer.alloc(length),
  ]);

const readers: { readonly [name: string]: Reader<string> | Reader<Buffer> } = {
  "offered protocols with spaces": offered((n) => `a${" ".repeat(n)}b`),
  "offered protocols with commas": offered((n) => ",".repeat(n)),
  "empty SPDY frames": cut(1 << 16, (n) => Buffer.concat(Array.from({ length: n }, () => control(0)))),
  "a long SPDY data frame in single bytes": cut(1, (n) =>
    Buffer.concat([Buffer.from([0, 0, 0, 1, 0, n >> 16, n >> 8, n]), Buffer.alloc(n)]),
  ),
};

/** CPU time, so that other processes do not count; the least of several runs, so that garbage collection does not either. */
function costOf(work: () => unknown): number {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** Four times the length costs four times as much, sixteen times if quadratic. A cost below `negligible` is noise and harmless. */
const most = 9;
const negligible = 15_000;

function measure<T>({ size, make, run }: Reader<T>): boolean {
  const [small, middle, large] = [make(size), make(size * 2), make(size * 4)];
  for (const input of [small, middle]) run(input);
  for (let attempt = 0; attempt < 4; attempt++) {
    const cost = costOf(() => run(large));
    if (cost < negligible || cost / costOf(() => run(small)) < most) return true;
  }
  return false;
}

for (const [name, reader] of Object.entries(readers))
  test(`${name}: the cost grows linearly with the length`, () => {
    assert.ok(measure(reader as Reader<unknown>), `more than ${most} times as long for four times the length`);
  });
