/** What the world of a test tells when a test does not end as its author thought. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { Retry } from "../src/errors.ts";
import { operator } from "../src/operator.ts";
import { crashEverywhere } from "../src/testing/index.ts";
import { onModel } from "./worlds.ts";

const Task = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Task",
  spec: s.object({ text: s.string().default("") }),
  status: s.object({ seen: s.string() }),
});

test("objects whose last turn failed are known, with the reason, until a turn succeeds", async () => {
  const picky = controller(Task, {}, ({ object }) => {
    if (object.spec.text === "") throw new Error("there is no text");
  });
  const told: string[] = [];
  await using world = await onModel(operator({ controllers: [picky] }), { onFailures: (text) => told.push(text) });
  await world.apply(Task, "good", { spec: { text: "x" } });
  await world.apply(Task, "bad", { spec: { text: "" } });
  await world.settle();
  await world.settle();
  assert.deepEqual(world.failures, [{ controller: "task", object: "default/bad", message: "there is no text" }]);
  await world.apply(Task, "bad", { spec: { text: "y" } });
  await world.settle();
  assert.deepEqual(world.failures, []);
  assert.deepEqual(told, ["The last turn failed of:\n  task default/bad: there is no text"]);
});

test("a world that does not settle tells which objects failed last, and why", async () => {
  const restless = controller(Task, {}, ({ object }) => {
    throw new Retry(`the database of ${object.metadata.name} is away`, { after: "1s" });
  });
  await using world = await onModel(operator({ controllers: [restless] }));
  for (let at = 0; at < 7; at++) await world.apply(Task, `task-${at}`, {});
  await assert.rejects(world.settle(), (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /^Nothing settles: /u);
    assert.match(
      error.message,
      /\nThe last turn failed of:\n(?: {2}task default\/task-\d: the database of task-\d is away\n){5} {2}and 2 more$/u,
    );
    return true;
  });
});

test("a crash that leads to another end tells what failed last", async () => {
  let isFirst = true;
  // It forgets what it had begun: the second run finds its own mark and gives up.
  const forgetful = controller(Task, { owns: [ConfigMap], prune: false }, async ({ object, apply, get, status }) => {
    if (!isFirst && get(ConfigMap, object.metadata.name) !== undefined && object.status === undefined)
      throw new Error("somebody has begun already");
    await apply(ConfigMap, object.metadata.name, { data: { text: object.spec.text } });
    status.seen = object.spec.text;
  });
  const story = async (world: Awaited<ReturnType<typeof onModel>>): Promise<void> => {
    await world.apply(Task, "t", { spec: { text: "x" } });
    await world.settle();
    isFirst = false;
  };
  const app = operator({ controllers: [forgetful] });
  await assert.rejects(
    crashEverywhere(app, () => onModel(app), story),
    (error) => {
      assert.ok(error instanceof assert.AssertionError);
      assert.match(
        error.message,
        /^a crash before write 2 of 2 leads to another end\nThe last turn failed of:\n {2}task default\/t: somebody has begun already/u,
      );
      return true;
    },
  );
});
