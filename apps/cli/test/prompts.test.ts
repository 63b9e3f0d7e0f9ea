/** The questions of `init` and `create api` on a terminal, and the effect of the answers. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { capstan } from "./terminal.ts";

test("create api asks whether to create the resource and the controller", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "capstan-prompts-"));
  try {
    assert.equal((await capstan(["init", ".", "--project-name", "asked"], { cwd })).code, 0);
    const create = (kind: string, answers: readonly string[]) =>
      capstan(["create", "api", "--group", "shop", "--version", "v1", "--kind", kind], { cwd, answers });
    const only = await create("Cart", ["y", "n"]);
    assert.equal(only.code, 0, only.err);
    assert.match(only.err, /Create the resource\? \[Y\/n\] Create the controller\? \[Y\/n\]/);
    assert.doesNotMatch(await readFile(join(cwd, "src/cart.ts"), "utf8"), /controller\(/);
    const both = await create("Order", ["", "yes"]);
    assert.equal(both.code, 0, both.err);
    assert.match(await readFile(join(cwd, "src/order.ts"), "utf8"), /controller\(/);
    const neither = await create("Nothing", ["n", "no"]);
    assert.equal(neither.code, 2);
    assert.match(neither.err, /nothing to create/);
  } finally {
    await rm(cwd, { recursive: true });
  }
});

test("init repeats a question after an invalid answer", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "capstan-prompts-"));
  try {
    const answers = ["Foo Op", "foo-op", "cart", "Cart", "NO", "shop"];
    const { code, err } = await capstan(["init"], { cwd, answers });
    assert.equal(code, 0, err);
    assert.match(err, /"Foo Op" cannot name a project.*"cart" is not a kind.*"NO.example.com" is not a group/s);
    assert.match(await readFile(join(cwd, "src/cart.ts"), "utf8"), /shop\.example\.com/);
    const stubborn = await capstan(["init", "other"], { cwd, answers: ["a", "b", "c", "d", "e", "f"] });
    assert.equal(stubborn.code, 3);
    assert.match(stubborn.err, /"e" is not a kind/);
    assert.doesNotMatch(stubborn.err, /"f"/);
  } finally {
    await rm(cwd, { recursive: true });
  }
});
