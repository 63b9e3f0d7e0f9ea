/** Messages of a test world when a test does not end as expected. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { ApiError } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { RuntimeError } from "../src/errors.ts";
import { operator } from "../src/operator.ts";
import type { Context } from "../src/reconcile/context.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { crashEverywhere, testOperator, VirtualClock } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";
import { onModel } from "./worlds.ts";

const Task = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Task",
  spec: s.object({ text: s.string().default("") }),
  status: s.object({ seen: s.string() }),
});

const gone = { code: "Gone", message: "no", status: 410 } as const;

/** A line of this file, as failures name it. */
const HERE = /\/test-world\.test\.ts:\d+:\d+$/u;

const picky = controller(Task, {}, ({ object }) => {
  if (object.spec.text === "") throw new Error("there is no text");
});

test("failed objects are listed with reason and line, until a reconcile succeeds", async () => {
  await using world = await onModel(operator({ name: "test", controllers: [picky] }));
  await world.apply(Task, "good", { spec: { text: "x" } });
  await world.apply(Task, "bad", { spec: { text: "" } });
  await world.settle();
  const [{ where = "", ...failed } = {}, ...others] = world.failures;
  assert.deepEqual([failed, others], [{ controller: "task", object: "default/bad", message: "there is no text" }, []]);
  assert.match(where, HERE);
  await world.apply(Task, "bad", { spec: { text: "y" } });
  await world.settle();
  assert.deepEqual(world.failures, []);
});

test("settle rejects while objects fail, unless the test expects it", async () => {
  await using world = await onModel(operator({ name: "test", controllers: [picky] }), { failures: "refused" });
  await world.apply(Task, "bad", { spec: { text: "" } });
  const isRefused = (error: unknown): boolean => {
    assert.ok(error instanceof RuntimeError && error.code === "StillFailing");
    assert.match(error.message, /\n {2}task default\/bad: there is no text\n {4}at .*test-world\.test\.ts:\d+:\d+\n/u);
    assert.match(error.message, /say so: world\.settle\(\{ failures: "expected" \}\)\.$/u);
    return true;
  };
  await assert.rejects(world.settle(), isRefused);
  await world.settle({ failures: "expected" });
  await assert.rejects(world.settle(), isRefused);
  await world.apply(Task, "bad", { spec: { text: "y" } });
  await world.settle();
});

test("a reconcile that returns a requeue does not fail", async () => {
  const patient = controller(Task, {}, () => {
    return requeue("1h", { reason: "the database is away" });
  });
  await using world = await onModel(operator({ name: "test", controllers: [patient] }), { failures: "refused" });
  await world.apply(Task, "a", {});
  await world.settle();
  assert.deepEqual(world.failures, []);
});

for (const [what, call] of [
  ["an apply that the server refuses", ({ apply }) => apply(ConfigMap, "Bad_Name!", {})],
  ["a create", ({ create }) => create(ConfigMap, "Bad_Name!", {})],
  ["a step that fails", ({ step }) => step("fails", () => Promise.reject(new ApiError(gone)))],
  ["an apply that was not awaited", ({ apply }) => void apply(ConfigMap, "a", {})],
] as readonly (readonly [string, (context: Context<typeof Task, typeof ConfigMap>) => unknown])[]) {
  test(`${what} names the calling line`, async () => {
    const task = controller(Task, { owns: [ConfigMap] }, async (context) => {
      await call(context);
    });
    const clock = new VirtualClock();
    const server = await startApiServer({
      clock,
    });
    await using world = await testOperator(operator({ name: "test", controllers: [task] }), server, {
      clock,
      failures: "expected",
    });
    await world.apply(Task, "a", {});
    await world.settle();
    assert.match(world.failures[0]?.where ?? `nothing: ${world.failures[0]?.message}`, HERE);
  });
}

test("a reconcile that waits for something real is named when nothing settles", async () => {
  const waiting = controller(Task, { timeout: "10h" }, () => new Promise<void>(() => undefined));
  await using world = await onModel(operator({ name: "test", controllers: [waiting] }));
  await world.apply(Task, "a", {});
  await assert.rejects(world.settle(), { code: "TimedOut", message: /a timer of Node, the network, a file\./u });
});

test("a world that does not settle names the objects that wait, and their reasons", async () => {
  const restless = controller(Task, {}, ({ object }) => {
    return requeue("1s", { reason: `the database of ${object.metadata.name} is away` });
  });
  await using world = await onModel(operator({ name: "test", controllers: [restless] }));
  for (let at = 0; at < 7; at++) await world.apply(Task, `task-${at}`, {});
  await assert.rejects(world.settle(), (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /^Nothing settles: /u);
    assert.match(
      error.message,
      /\nThese objects asked for a requeue:\n(?: {2}task default\/task-\d: the database of task-\d is away\n){5} {2}and 2 more$/u,
    );
    return true;
  });
});

for (const wait of [0, 1]) {
  test(`an object that requeues after ${wait} ms forever is named long before an hour`, async () => {
    const hasty = controller(Task, {}, () => requeue(wait, { reason: "the disk is not there" }));
    await using world = await onModel(operator({ name: "test", controllers: [hasty] }));
    await world.apply(Task, "a", {});
    await assert.rejects(world.settle(), {
      code: "TimedOut",
      message: /^Nothing settles: task default\/a wants .* \(the disk is not there\)\. Say a longer time, or none: /u,
    });
    assert.ok(world.clock.now() < 120_000, `${world.clock.now()} ms have passed`);
  });
}

test("an object that requeues many times and then stops settles", async () => {
  let reconciles = 0;
  const busy = controller(Task, {}, () => (++reconciles < 1_000 ? requeue(0, { reason: "one by one" }) : undefined));
  await using world = await onModel(operator({ name: "test", controllers: [busy] }));
  await world.apply(Task, "a", {});
  await world.settle();
  assert.equal(reconciles, 1_000);
});

test("a crash that leads to another end reports the last failure", async () => {
  let isFirst = true;
  // It forgets what it had begun: the second run finds its own child and fails.
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
  const app = operator({ name: "test", controllers: [forgetful] });
  await assert.rejects(
    crashEverywhere(app, () => onModel(app), story),
    (error) => {
      assert.ok(error instanceof assert.AssertionError);
      assert.match(
        error.message,
        /^a crash before write 2 of 2 leads to another end\nThese objects fail:\n {2}task default\/t: somebody has begun already/u,
      );
      return true;
    },
  );
});

test("of two worlds of one operator on one server, one leads", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const app = operator({
    name: "test",
    controllers: [controller(Task, {}, ({ status }) => void (status.seen = "yes"))],
  });
  await using one = await testOperator(app, { api }, { clock });
  await using other = await testOperator(app, { api }, { clock });
  await one.apply(Task, "t", { spec: {} });
  await one.settle();
  assert.deepEqual([one.running.isLeader, other.running.isLeader], [true, false]);
  assert.deepEqual([one.writes.length, other.writes.length], [1, 0]);
  await one.crash();
  await other.advance("1m");
  assert.equal(other.running.isLeader, true);
  one.restart();
});

test("a server error in a test names the line of the test", async () => {
  const server = await startApiServer();
  await using world = await testOperator(operator({ name: "test", controllers: [picky] }), server);
  // The compiler rejects it, too.
  const refused = { spec: { text: 1 as unknown as string } };
  for (const work of [
    () => world.apply(Task, "a", refused),
    () => world.delete(Task, "a"),
    () => world.applyStatus(Task, "a", { seen: "x" }),
  ]) {
    await assert.rejects(work, (error: Error) => {
      assert.ok(error instanceof ApiError);
      assert.match(error.stack ?? "", /test-world\.test\.ts:\d+:\d+/u);
      return true;
    });
  }
});

test("an operator that requeues forever never settles: eventually waits for its result", async () => {
  let looks = 0;
  const restless = controller(Task, {}, ({ status }) => {
    status.seen = String(++looks);
    return requeue("5s", { reason: "looks again" });
  });
  await using world = await onModel(operator({ name: "test", controllers: [restless] }));
  await world.apply(Task, "a", { spec: {} });
  await assert.rejects(world.settle(), { code: "TimedOut" });
  const from = looks;
  const seen = await world.eventually(async () => {
    const found = Number((await world.get(Task, "a"))?.status?.seen);
    assert.ok(found >= from + 10);
    return found;
  });
  assert.equal(seen, looks);
  const start = world.clock.now();
  await assert.rejects(
    world.eventually(() => assert.fail("never"), "1m"),
    /^AssertionError.*: never$/u,
  );
  assert.equal(world.clock.now() - start, 60_000);
});

test("a delayed write arrives although its sender was killed", async () => {
  const writes = controller(Task, { owns: [ConfigMap] }, async ({ apply, object }) => {
    await apply(ConfigMap, object.metadata.name, { data: { text: object.spec.text } });
  });
  await using world = await onModel(operator({ name: "test", controllers: [writes] }));
  const end = world.inject(({ verb, kind }) =>
    verb === "apply" && kind.kind === "ConfigMap" ? { fault: "delay", by: 30_000 } : undefined,
  );
  await world.apply(Task, "t", { spec: { text: "x" } });
  await world.advance("1s");
  end();
  await world.crash();
  assert.equal(await world.get(ConfigMap, "t"), undefined, "it is under way");
  await world.settle();
  assert.equal((await world.get(ConfigMap, "t"))?.data?.["text"], "x");
});

test("a killed operator reaches no server any more, whatever its code still does", async () => {
  const gate = Promise.withResolvers<void>();
  let isLate: Promise<unknown> | undefined;
  const slow = controller(Task, { owns: [ConfigMap] }, async ({ apply }) => {
    isLate ??= gate.promise.then(() => apply(ConfigMap, "late", { data: {} }));
    await isLate;
  });
  await using world = await onModel(operator({ name: "test", controllers: [slow] }));
  await world.apply(Task, "t", { spec: { text: "x" } });
  await world.advance("1s");
  await world.crash();
  gate.resolve();
  await assert.rejects(isLate ?? Promise.resolve());
  assert.equal(await world.get(ConfigMap, "late"), undefined);
});
