import assert from "node:assert/strict";
import { test } from "node:test";
import { readExit, type Ending } from "./exit.ts";

const none = "/nowhere/termination-log";
const exitOf = (ending: Partial<Ending>): ReturnType<typeof readExit> =>
  readExit({
    id: "i",
    startedAt: 1,
    finishedAt: 2,
    code: 1,
    signal: null,
    tail: "",
    hasRun: false,
    ranOutOfMemory: false,
    container: { name: "c" },
    plan: {
      messageFile: none,
      launch: { id: "i", argv: [], log: none, stdin: false, tellsPid: true, waitsForUsers: false },
    },
    ...ending,
  });

test("a launcher that could not become the program is told in the runtime's words", async () => {
  const missing = await exitOf({ tail: "bwrap: execvp nosuch: No such file or directory\n" });
  assert.deepEqual([missing.reason, missing.exitCode, missing.startedAt], ["StartError", 128, 0]);
  assert.match(missing.message ?? "", /exec: "nosuch": executable file not found in \$PATH$/);
  const place = await exitOf({ tail: "bwrap: Can't chdir to /x: No such file or directory\n" });
  assert.match(
    place.message ?? "",
    /unable to start container process: Can't chdir to \/x: No such file or directory$/,
  );
});

test("the same words of a program that ran are its own", async () => {
  for (const ending of [
    { tail: "bwrap: execvp nosuch: No such file or directory\n", hasRun: true },
    { tail: "first words\nbwrap: execvp nosuch: No such file or directory\n" },
    { tail: "bwrap: execvp nosuch: No such file or directory\n", code: 2 },
  ]) {
    const { reason, exitCode } = await exitOf(ending);
    assert.deepEqual([reason, exitCode], ["Error", ending.code ?? 1]);
  }
});
