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
    ranOutOfMemory: false,
    container: { name: "c" },
    plan: {
      messageFile: none,
      command: ["nosuch", "and so on"],
      launch: {
        id: "i",
        log: none,
        stdin: false,
        reportsPid: true,
        program: { command: "", path: "", directory: "/", sign: "/kit" },
      },
    },
    ...ending,
  });

const missing = "/.capstan-0123456789abcdef/env: 'nosuch': No such file or directory";

test("a launcher that could not execute the program has the runtime's message", async () => {
  const { reason, exitCode, startedAt, message } = await exitOf({ refused: missing, code: 127 });
  assert.deepEqual([reason, exitCode, startedAt], ["StartError", 128, 0]);
  assert.match(message ?? "", /exec: "nosuch": executable file not found in \$PATH$/);
  const place = await exitOf({ refused: "bwrap: Can't chdir to /x: No such file or directory" });
  assert.match(
    place.message ?? "",
    /unable to start container process: Can't chdir to \/x: No such file or directory$/,
  );
});

test("a working directory that is a file fails with the mkdir message", async () => {
  const { message } = await exitOf({ refused: "bwrap: Can't chdir to /etc/passwd: Not a directory" });
  assert.match(message ?? "", /error during container init: mkdir \/etc\/passwd: not a directory$/);
});

test("a program that was executed keeps its exit code", async () => {
  for (const code of [1, 126, 127]) {
    const { reason, exitCode } = await exitOf({ code });
    assert.deepEqual([reason, exitCode], ["Error", code]);
  }
});
