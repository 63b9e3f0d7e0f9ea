import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { sendHolding, writeHolding } from "./flow.ts";

test("a reader that does not read pauses the writer until it reads or closes", () => {
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

test("a target is waited for once, however many sources write to it", () => {
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

test("bytes in flight are counted where the target has no drain event", () => {
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
