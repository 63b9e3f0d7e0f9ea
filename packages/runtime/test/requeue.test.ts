/** Requeues: children stay unless the result says that all of them were applied, and daemons may return one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { onModel } from "./worlds.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ names: s.array(s.string()).default([]), isDone: s.boolean().default(false) }),
});

const box = controller(Box, { owns: [ConfigMap] }, async ({ object, apply }) => {
  for (const name of object.spec.names) await apply(ConfigMap, name, { data: {} });
  return object.spec.isDone ? undefined : requeue("1h");
});

test("children that a requeueing reconcile did not apply stay, with an explanation", async () => {
  await using world = await onModel(operator({ name: "test", controllers: [box] }));
  const decisions = (): readonly string[] => world.running.explain("box", "default/b").at(-1)?.decisions ?? [];
  await world.apply(Box, "b", { spec: { names: ["one", "two", "three"] } });
  await world.settle();
  assert.deepEqual(decisions(), [], "there is nothing to say of what is wanted");
  await world.apply(Box, "b", { spec: { names: ["one"] } });
  await world.settle();
  assert.notEqual(await world.get(ConfigMap, "two"), undefined);
  assert.match(
    decisions()[0] ?? "",
    /^keep ConfigMap default\/\w+ and 1 more, .*requeue\(\.\.\.\) without `prune: true`$/u,
  );
  await world.apply(Box, "b", { spec: { names: ["one"], isDone: true } });
  await world.settle();
  assert.equal(await world.get(ConfigMap, "two"), undefined);
  assert.deepEqual(decisions(), []);
});

test("a requeue with `prune` deletes the children that the reconcile did not apply", async () => {
  const regular = controller(Box, { owns: [ConfigMap] }, async ({ object, apply }) => {
    for (const name of object.spec.names) await apply(ConfigMap, name, { data: {} });
    return requeue("1h", { reason: "checks the provider", prune: true });
  });
  await using world = await onModel(operator({ name: "test", controllers: [regular] }));
  await world.apply(Box, "b", { spec: { names: ["one", "two"] } });
  await world.settle();
  await world.apply(Box, "b", { spec: { names: ["one"] } });
  await world.settle();
  assert.notEqual(await world.get(ConfigMap, "one"), undefined);
  assert.equal(await world.get(ConfigMap, "two"), undefined);
});

test("a field handler that returns a requeue runs again before the reconcile, with the same `from`", async () => {
  const seen: unknown[] = [];
  const handled = controller(
    Box,
    {
      onFieldChange: {
        "spec.isDone": ({ from, to }) => {
          seen.push([from, to]);
          return seen.length < 3 ? requeue("10s", { reason: "the provider is busy" }) : undefined;
        },
      },
    },
    () => void seen.push("reconciled"),
  );
  await using world = await onModel(operator({ name: "test", controllers: [handled] }));
  await world.apply(Box, "b", { spec: { isDone: true } });
  await world.advance("1m");
  const change = [undefined, true];
  assert.deepEqual(seen.slice(0, 4), [change, change, change, "reconciled"]);
});

test("a daemon that returns a requeue is restarted after that delay", async () => {
  let starts = 0;
  const polling = controller(Box, { daemon: () => (++starts < 4 ? requeue("1m") : undefined) }, () => undefined);
  await using world = await onModel(operator({ name: "test", controllers: [polling] }));
  await world.apply(Box, "b", {});
  await world.advance("2m30s");
  assert.equal(starts, 3);
  await world.advance("1h");
  assert.equal(starts, 4);
});
