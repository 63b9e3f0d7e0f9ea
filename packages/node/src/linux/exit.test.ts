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
      launch: { id: "i", log: none, stdin: false, tellsPid: true },
    },
    ...ending,
  });

const missing = "/.capstan-0123456789abcdef/env: 'nosuch': No such file or directory\n";

test("a launcher that could not become the program is told in the runtime's words", async () => {
  const spaced = missing.replace("nosuch", "no such");
  const advice = "/.capstan-0123456789abcdef/env: use -[v]S to pass options in shebang lines\n";
  for (const tail of [missing, spaced, spaced + advice]) {
    const { reason, exitCode, startedAt, message } = await exitOf({ tail, code: 127 });
    assert.deepEqual([reason, exitCode, startedAt], ["StartError", 128, 0]);
    assert.match(message ?? "", /exec: "no ?such": executable file not found in \$PATH$/);
  }
  const place = await exitOf({ tail: "bwrap: Can't chdir to /x: No such file or directory\n" });
  assert.match(
    place.message ?? "",
    /unable to start container process: Can't chdir to \/x: No such file or directory$/,
  );
});

test("a program that is to begin in a file is told that no folder can be made there", async () => {
  const { message } = await exitOf({ tail: "bwrap: Can't chdir to /etc/passwd: Not a directory\n" });
  assert.match(message ?? "", /error during container init: mkdir \/etc\/passwd: not a directory$/);
});

test("the same words of a program that ran are its own", async () => {
  for (const ending of [
    { tail: missing, code: 127, hasRun: true },
    { tail: `first words\n${missing}`, code: 127 },
    { tail: missing, code: 2 },
    { tail: "bwrap: Can't mkdir /x: Permission denied\n", code: 1, hasRun: true },
  ]) {
    const { reason, exitCode } = await exitOf(ending);
    assert.deepEqual([reason, exitCode], ["Error", ending.code ?? 1]);
  }
});
