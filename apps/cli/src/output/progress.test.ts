import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Terminal } from "../terminal.ts";
import { withoutProgress, withProgress } from "./progress.ts";

/** A terminal at which time stands still but for what a test lets pass, and what is said there. */
function sit(t: TestContext, { isWatched = true } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const said: string[] = [];
  const err = (text: string): void => void said.push(text.replace(/\d+ s/, "N s"));
  return { said, terminal: { color: false, isWatched, err } as Terminal };
}

/** Work that ends when it is told to. */
function begin(t: TestContext, options?: { readonly isWatched: boolean }) {
  const { said, terminal } = sit(t, options);
  const work = Promise.withResolvers<string>();
  return { said, terminal, work, ended: withProgress(terminal, "pulling", () => work.promise) };
}

test("what is done within a second is done without a word", async (t) => {
  const { said, work, ended } = begin(t);
  t.mock.timers.tick(999);
  work.resolve("done");
  assert.equal(await ended, "done");
  t.mock.timers.tick(60_000);
  assert.deepEqual(said, []);
});

test("what takes longer is told after a second and every five seconds, until it ends", async (t) => {
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

test("where nobody watches, nothing is said", async (t) => {
  const { said, work, ended } = begin(t, { isWatched: false });
  t.mock.timers.tick(60_000);
  work.resolve("done");
  await ended;
  assert.deepEqual(said, []);
});

test("of works within works the innermost is named, once", async (t) => {
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

test("whoever is asked may think without being told how long it takes", async (t) => {
  const { said, terminal } = sit(t);
  const answer = Promise.withResolvers<string>();
  const ended = withProgress(terminal, "upgrading", () => withoutProgress(terminal, () => answer.promise));
  t.mock.timers.tick(30_000);
  answer.resolve("y");
  assert.equal(await ended, "y");
  assert.deepEqual(said, []);
});
