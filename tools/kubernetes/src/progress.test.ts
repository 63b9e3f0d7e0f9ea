import assert from "node:assert/strict";
import test from "node:test";

import { showProgress } from "./progress.ts";

function record(isTTY: boolean): { lines: string[]; write(text: string): void; isTTY: boolean } {
  const lines: string[] = [];
  return { lines, isTTY, write: (text) => void lines.push(text) };
}

test("without a terminal a step prints a line at its start and end", () => {
  const output = record(false);
  showProgress(output).step("building etcd").done();
  assert.equal(output.lines[0], "building etcd ...\n");
  assert.match(output.lines[1] ?? "", /^building etcd: done, \d+\.\d s\n$/);
});

test("on a terminal a step counts its seconds on one line", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const output = record(true);
  const step = showProgress(output).step("building etcd");
  t.mock.timers.tick(2000);
  step.done("failed");
  t.mock.timers.tick(2000);
  assert.equal(output.lines.length, 4);
  assert.ok(output.lines.every((line) => line.startsWith("\r\u001b[Kbuilding etcd ")));
  assert.match(output.lines.at(-1) ?? "", /failed, \d+\.\d s\n$/);
});
