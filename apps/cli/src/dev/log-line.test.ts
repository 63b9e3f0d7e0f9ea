import assert from "node:assert/strict";
import { test } from "node:test";
import { styleOf } from "../output/style.ts";
import { formatDuration, logFormatter, readObjectLine } from "./log-line.ts";

const style = styleOf({ color: false });
const failure = {
  time: "2030-01-01T10:20:30.123Z",
  level: "error",
  message: "no power",
  controller: "lamp",
  object: "default/a",
  milliseconds: 1234.5678,
  failures: 2,
  error: {
    name: "Error",
    message: "no power",
    stack: "Error: no power\n    at light (lamp.ts:7:3)\n    at run (x.ts:1:1)",
  },
};

test("a failed reconcile shows error, attempts, duration and origin once", () => {
  assert.equal(
    logFormatter(style)(JSON.stringify(failure)),
    "10:20:30 error lamp default/a no power attempt 3 1.2 s\n    at light (lamp.ts:7:3)\n    at run (x.ts:1:1)",
  );
});

test("stack frames of the program are shown, those of the framework only without them", () => {
  const ours = [
    "    at fromResponse (file:///app/node_modules/@capstan/client/src/errors/from-response.ts:39:10)",
    `    at send (${new URL("../../../../packages/client/src/call/send.ts", import.meta.url).href}:27:9)`,
    "    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)",
  ];
  const line = (stack: readonly string[]): string =>
    logFormatter(style)(
      JSON.stringify({ ...failure, error: { ...failure.error, stack: ["Error", ...stack].join("\n") } }),
    );
  const own = "    at async light (file:///app/src/lamp.ts:7:3)";
  assert.deepEqual(
    line([...ours, own])
      .split("\n")
      .slice(1),
    [own],
  );
  assert.deepEqual(line(ours).split("\n").slice(1), ours);
});

test("an object that fails at the same place again shows the place only once", () => {
  const format = logFormatter(style);
  const at = (stack: string, object = "default/a"): string =>
    format(JSON.stringify({ ...failure, object, error: { ...failure.error, stack } }));
  assert.match(at("Error\n    at first (a.ts:1:1)"), /at first/);
  assert.equal(at("Error\n    at first (a.ts:1:1)"), "10:20:30 error lamp default/a no power attempt 3 1.2 s");
  assert.match(at("Error\n    at first (a.ts:1:1)", "default/b"), /at first/);
  assert.match(at("Error\n    at second (a.ts:2:1)"), /at second/);
});

test("an error that differs from the message is shown, too", () => {
  const line = JSON.stringify({
    time: "2030-01-01T10:20:30Z",
    level: "warn",
    message: "late",
    error: { message: "slow" },
  });
  assert.equal(logFormatter(style)(line), "10:20:30 warn  late error=slow");
});

test("other fields follow by name, and lines that are not JSON stay as they are", () => {
  const line = JSON.stringify({
    time: "2030-01-01T10:20:30Z",
    level: "info",
    message: "started",
    milliseconds: 12.9,
    failures: 0,
    name: "a b",
  });
  assert.equal(logFormatter(style)(line), '10:20:30 info  started 13 ms name="a b"');
  assert.equal(logFormatter(style)("{ plain"), "{ plain");
});

test("lines without an error do not count as a repeated error", () => {
  const format = logFormatter(style);
  const line = JSON.stringify({ time: "2030-01-01T10:20:30Z", level: "info", message: "stopped" });
  assert.deepEqual([format(line), format(line)], ["10:20:30 info  stopped", "10:20:30 info  stopped"]);
});

test("durations have a readable unit", () => {
  assert.deepEqual([0.4, 999.4, 1_000, 59_900, 90_000].map(formatDuration), [
    "0 ms",
    "999 ms",
    "1.0 s",
    "59.9 s",
    "2 min",
  ]);
});

test("only lines with a controller and an object are about objects", () => {
  assert.deepEqual(readObjectLine(JSON.stringify(failure)), {
    level: "error",
    controller: "lamp",
    object: "default/a",
    message: "no power",
  });
  assert.equal(readObjectLine('{"level":"error","message":"no power"}'), undefined);
});

test("a line about an object names the program's line that threw the error", () => {
  const stack = "Error: no power\n    at now (file:///home/ada/my-operator/src/lamp.ts:7:9)";
  const line = JSON.stringify({ ...failure, error: { name: "Error", message: "no power", stack } });
  assert.equal(readObjectLine(line)?.message, "no power (at src/lamp.ts:7:9)");
});
