import assert from "node:assert/strict";
import { test } from "node:test";
import { formatOverview } from "./command/help.ts";
import { commands } from "./commands.ts";
import { styleOf } from "./output/style.ts";

/** Commands that run until stopped, or pass their terminal on: they report their own progress. */
const ownProgress = [
  "apiserver",
  "catalog serve",
  "cluster exec",
  "cluster logs",
  "cluster start",
  "deploy",
  "dev",
  "lifecycle fleet",
  "lifecycle run",
  "meter import kubernetes",
  "meter import metrics",
  "meter serve",
  "run",
  "undeploy",
];

test("the overview of the commands fits a window of 80 columns", () => {
  const overview = formatOverview(commands, styleOf({ color: false }));
  for (const line of overview.split("\n")) assert.ok(line.length <= 80, line);
});

test("every slow command is named, except for those that report their own progress", async () => {
  const own: string[] = [];
  for (const { name, load } of commands) if ((await load()).progress === "own") own.push(name);
  assert.deepEqual(own.sort(), ownProgress);
});
