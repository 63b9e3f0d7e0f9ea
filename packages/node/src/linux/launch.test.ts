import assert from "node:assert/strict";
import { test } from "node:test";
import { carriedVariables } from "./launch.ts";

const carried = (...env: readonly (readonly [string, string])[]): Readonly<Record<string, string>> =>
  carriedVariables({ env: new Map(env) });

test("variables travel whole as values of neutral carriers without null bytes", () => {
  assert.deepEqual(carried(["A", "1 '$\n"], ["B", ""]), { _0: "A=1 '$\n", _1: "B=" });
  const refused = (message: RegExp) => ({ code: "CreateContainerError", message });
  assert.throws(() => carried(["A", "x\0--bind\0/\0/host"]), refused(/contains nul byte \(\\x00\): "A"$/u));
  assert.throws(() => carried(["A\0--bind\0/\0/host", ""]), refused(/contains nul byte/u));
  assert.throws(() => carried(["", "value"]), refused(/no name before "=value"$/u));
});

test("a value that is too long for one carrier is split between characters", () => {
  const value = "😀".repeat(40_000);
  const parts = Object.entries(carried(["A", value]));
  assert.deepEqual(
    parts.map(([name]) => name),
    ["_0", "_0_"],
  );
  assert.equal(parts.map(([, text]) => text).join(""), `A=${value}`);
  for (const [name, text] of parts) assert.ok(Buffer.byteLength(`${name}=${text}`) < 2 ** 17);
});
