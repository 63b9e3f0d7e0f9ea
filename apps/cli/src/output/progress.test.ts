import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Terminal } from "../terminal.ts";
import { withProgress } from "./progress.ts";

/** Work that ends when it is told to, and what is said meanwhile; time stands still but for what a test lets pass. */
function begin(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const said: string[] = [];
  const terminal = { color: false, err: (text: string) => void said.push(text.replace(/\d+ s/, "N s")) } as Terminal;
  const work = Promise.withResolvers<string>();
  return { said, work, ended: withProgress(terminal, "pulling", () => work.promise) };
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
