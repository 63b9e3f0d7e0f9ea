import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { sendHolding, writeHolding } from "./flow.ts";

test("whoever does not read holds up whoever writes, until it reads or goes", () => {
  const target = new PassThrough({ highWaterMark: 10 });
  const source = new PassThrough();
  source.resume();
  writeHolding(target, Buffer.alloc(5), [source]);
  assert.equal(source.isPaused(), false);
  writeHolding(target, Buffer.alloc(50), [source]);
  assert.equal(source.isPaused(), true);
  target.emit("drain");
  assert.equal(source.isPaused(), false);
  writeHolding(target, Buffer.alloc(50), [source]);
  assert.equal(source.isPaused(), true);
  target.emit("close");
  assert.equal(source.isPaused(), false);
});

test("a target is waited for once, however much is written to it by however many", () => {
  const target = new PassThrough({ highWaterMark: 10 });
  const sources = [new PassThrough(), new PassThrough()];
  const listeners = target.listenerCount("drain");
  for (const source of sources) {
    source.resume();
    for (let index = 0; index < 20; index++) writeHolding(target, Buffer.alloc(50), [source]);
  }
  assert.deepEqual(
    sources.map((source) => source.isPaused()),
    [true, true],
  );
  assert.equal(target.listenerCount("drain") - listeners, 1);
  target.emit("drain");
  assert.deepEqual(
    sources.map((source) => source.isPaused()),
    [false, false],
  );
});

test("what is on its way is counted where nobody tells of room", () => {
  const sent: (() => void)[] = [];
  const source = new Readable({ read: () => {} });
  source.resume();
  const send = sendHolding((_bytes, done) => void sent.push(done), source);
  for (let index = 0; index < 3; index++) send(Buffer.alloc(400_000));
  assert.equal(source.isPaused(), true);
  sent.shift()?.();
  assert.equal(source.isPaused(), true, "more than half of it is still on its way");
  for (const done of sent) done();
  assert.equal(source.isPaused(), false);
});
