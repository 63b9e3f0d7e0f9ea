import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Terminal } from "../terminal.ts";
import { withoutProgress, withProgress } from "./progress.ts";

/** A terminal with mocked timers, and its output. */
function sit(t: TestContext, { isWatched = true } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const said: string[] = [];
  const err = (text: string): void => void said.push(text.replace(/\d+ s/, "N s"));
  return { said, terminal: { color: false, isWatched, err } as Terminal };
}

/** Work that the test ends. */
function begin(t: TestContext, options?: { readonly isWatched: boolean }) {
  const { said, terminal } = sit(t, options);
  const work = Promise.withResolvers<string>();
  return { said, terminal, work, ended: withProgress(terminal, "pulling", () => work.promise) };
}

test("work of less than a second prints nothing", async (t) => {
  const { said, work, ended } = begin(t);
  t.mock.timers.tick(999);
  work.resolve("done");
  assert.equal(await ended, "done");
  t.mock.timers.tick(60_000);
  assert.deepEqual(said, []);
});

test("longer work is reported after a second and every five seconds until it ends", async (t) => {
  const { said, work, ended } = begin(t);
  t.mock.timers.tick(1_000);
  assert.deepEqual(said, ["pulling … N s\n"]);
  t.mock.timers.tick(10_000);
  assert.equal(said.length, 3);
  work.reject(new Error("refused"));
  await assert.rejects(ended, /refused/);
  t.mock.timers.tick(60_000);
  assert.equal(said.length, 3);
});

test("without a terminal, nothing is printed", async (t) => {
  const { said, work, ended } = begin(t, { isWatched: false });
  t.mock.timers.tick(60_000);
  work.resolve("done");
  await ended;
  assert.deepEqual(said, []);
});

test("of nested works the innermost is named, once", async (t) => {
  const { said, terminal } = sit(t);
  const [inner, outer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = withProgress(terminal, "building", async () => {
    await withProgress(terminal, "pulling", () => inner.promise);
    await outer.promise;
  });
  t.mock.timers.tick(1_000);
  inner.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(5_000);
  outer.resolve();
  await ended;
  assert.deepEqual(said, ["pulling … N s\n", "building … N s\n"]);
});

test("waiting for an answer of the user is not reported", async (t) => {
  const { said, terminal } = sit(t);
  const answer = Promise.withResolvers<string>();
  const ended = withProgress(terminal, "upgrading", () => withoutProgress(terminal, () => answer.promise));
  t.mock.timers.tick(30_000);
  answer.resolve("y");
  assert.equal(await ended, "y");
  assert.deepEqual(said, []);
});
