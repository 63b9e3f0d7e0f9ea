import assert from "node:assert/strict";
import { test } from "node:test";
import { quoted } from "./quoted.ts";
import { withTerminal } from "./terminal.ts";

/** The kernel rejects an argument of this many bytes, including its terminating zero. */
const tooLong = 2 ** 17;

test("a command on a terminal is split into parts that the kernel accepts", () => {
  for (const letter of ["a", "é", "€", "😀"]) {
    const command = ["echo", `x${letter.repeat(90_000)}`];
    const { variables } = withTerminal(command);
    for (const [name, value] of Object.entries(variables))
      assert.ok(Buffer.byteLength(`${name}=${value}`) + 1 < tooLong, `${name} with ${letter}`);
    assert.equal(Object.values(variables).join(""), command.map(quoted).join(" "));
  }
});
