/** The conditions of an object while its reconciles fail repeatedly: `Stalled`, and no outdated `Ready`. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { TerminalError } from "../src/errors.ts";
import { operator } from "../src/operator.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import type { TestWorld } from "../src/testing/index.ts";
import { onModel, worlds } from "./worlds.ts";

const Job = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Job",
  spec: s.object({ text: s.string().default(""), size: s.int32().default(1) }),
  status: s.object({ size: s.int32() }),
  conditions: { Available: "it works", Stalled: "it does not get any further" },
  columns: { Stalled: "condition:Stalled", Why: "message:Stalled" },
});

/** A kind without such a declared condition. */
const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: s.object({ text: s.string().default("") }),
  status: s.object({ text: s.string() }),
  conditions: { Ready: "all is well", Available: "it answers" },
});

/** The message without the line of this file that threw the error. */
function withoutLine(message: string): string {
  return message.replace(/ \(at test\/stalled\.test\.ts:\d+:\d+\)$/u, "");
}

/** Conditions of a Site in the order of their names, as `Type=Status reason: message`. */
const shownBy = async (world: TestWorld, name: string): Promise<readonly string[]> => {
  const { conditions = [] } = (await world.get(Site, name))?.status ?? {};
  return conditions
    .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${withoutLine(message)}`)
    .sort();
};

const conditionsOf = async (world: TestWorld, name: string): Promise<readonly (readonly string[])[]> => {
  const { conditions = [] } = (await world.get(Job, name))?.status ?? {};
  return conditions.map(({ type, status, reason, message }) => [type, status, reason, withoutLine(message)]);
};

for (const [where, worldOf] of worlds) {
  describe(`Stalled on ${where}`, () => {
    test("is true with the reason while reconciles keep failing, and false afterwards", async () => {
      let isDown = false;
      const job = controller(Job, {}, ({ object, status }) => {
        if (isDown) throw new Error("no database");
        status.condition("Available", true);
        status.size = object.spec.size;
      });
      await using world = await worldOf(operator({ name: "test", controllers: [job] }));
      await world.apply(Job, "a", { spec: { size: 1 } });
      await world.settle();
      const well = [
        ["Available", "True", "Available", ""],
        ["Stalled", "False", "Reconciled", ""],
      ];
      assert.deepEqual(await conditionsOf(world, "a"), well);
      assert.equal(world.writes.length, 1, "it is told with the rest of the status");

      isDown = true;
      await world.apply(Job, "a", { spec: { size: 2 } });
      await world.advance("1m");
      assert.deepEqual((await conditionsOf(world, "a"))[1], ["Stalled", "True", "ReconcileFailed", "job: no database"]);
      const writes = world.writes.length;
      await world.advance("1h");
      assert.equal(world.writes.length, writes, "the same failure is told once");

      isDown = false;
      await world.advance("1h");
      assert.deepEqual(await conditionsOf(world, "a"), well);
    });

    test("is not set for a temporary failure, and set at once for a terminal one", async () => {
      let left = 2;
      const job = controller(Job, {}, ({ object }) => {
        if (object.metadata.name === "final") throw new TerminalError("the name is taken");
        if (left-- > 0) throw new Error("not yet");
      });
      await using world = await worldOf(operator({ name: "test", controllers: [job] }));
      await world.apply(Job, "passing", {});
      await world.apply(Job, "final", {});
      await world.settle();
      assert.deepEqual(await conditionsOf(world, "passing"), [["Stalled", "False", "Reconciled", ""]]);
      assert.deepEqual(await conditionsOf(world, "final"), [
        ["Stalled", "True", "ReconcileRefused", "job: the name is taken"],
      ]);
      assert.equal(world.writes.length, 2);
    });

    test("is left to a reconcile that sets it, and to the controller that set it", async () => {
      const own = controller(Job, { name: "own" }, ({ object, status }) => {
        if (object.spec.text === "own") status.condition("Stalled", true, { reason: "Waiting", message: "for Godot" });
      });
      const failing = controller(Job, { name: "failing" }, ({ object }) => {
        if (object.spec.text === "fails") throw new Error("never");
      });
      await using world = await worldOf(operator({ name: "test", controllers: [own, failing] }));
      await world.apply(Job, "own", { spec: { text: "own" } });
      await world.apply(Job, "fails", { spec: { text: "fails" } });
      await world.advance("10m");
      assert.deepEqual(await conditionsOf(world, "own"), [["Stalled", "True", "Waiting", "for Godot"]]);
      assert.deepEqual(await conditionsOf(world, "fails"), [["Stalled", "True", "ReconcileFailed", "failing: never"]]);
      const writes = world.writes.length;
      await world.advance("1h");
      assert.equal(world.writes.length, writes, "nobody undoes what the other said");
    });
  });
}

describe("a kind that declares Ready and not Stalled", () => {
  const failing = [
    "Available=True Available: ",
    "Ready=False ReconcileFailed: site: no database",
    "Stalled=True ReconcileFailed: site: no database",
  ];
  const well = ["Available=True Available: ", "Ready=True Ready: "];

  test("is not Ready after a reconcile that sets it and fails; facts stay", async () => {
    let isDown = true;
    const site = controller(Site, {}, ({ status }) => {
      status.condition("Ready", true);
      status.condition("Available", true);
      if (isDown) throw new Error("no database");
    });
    await using world = await onModel(operator({ name: "test", controllers: [site] }));
    await world.apply(Site, "a", {});
    await world.advance("1m");
    assert.deepEqual(await shownBy(world, "a"), failing);
    await world.crash();
    world.restart();
    await world.advance("30s");
    assert.deepEqual(await shownBy(world, "a"), failing);
    assert.equal(world.writes.filter(({ key }) => key === "default/a").length, 2, "it is not Ready for a moment");
    isDown = false;
    await world.advance("10m");
    assert.deepEqual(await shownBy(world, "a"), well, "nothing is left of it");
  });

  test("reports a reconcile that exceeds its timeout, and calls it again", async () => {
    let isDown = true;
    const site = controller(Site, { timeout: "10s" }, () => (isDown ? new Promise<void>(() => undefined) : undefined));
    await using world = await onModel(operator({ name: "test", controllers: [site] }));
    await world.apply(Site, "a", {});
    await world.advance("5m");
    const [stalled, ...others] = await shownBy(world, "a");
    assert.match(
      stalled ?? "nothing is shown",
      /^Stalled=True ReconcileFailed: site: Stopped waiting for the reconcile/u,
    );
    assert.deepEqual(others, []);
    isDown = false;
    await world.advance("30m");
    assert.deepEqual(await shownBy(world, "a"), []);
  });

  test("loses an outdated Ready, and regains it after a successful reconcile", async () => {
    let isDown = false;
    const site = controller(Site, {}, ({ object, status }) => {
      if (isDown) throw new Error("no database");
      if (object.spec.text === "new") return;
      status.condition("Ready", true);
      status.condition("Available", true);
    });
    await using world = await onModel(operator({ name: "test", controllers: [site] }));
    await world.apply(Site, "a", { spec: { text: "old" } });
    await world.settle();
    isDown = true;
    await world.apply(Site, "a", { spec: { text: "new" } });
    await world.advance("1m");
    assert.deepEqual(await shownBy(world, "a"), failing);
    isDown = false;
    await world.advance("10m");
    assert.deepEqual(await shownBy(world, "a"), well);
  });

  test("is not made Ready by a reconcile that requeues, but by one that is done", async () => {
    let does: "work" | "fail" | "wait" = "work";
    const site = controller(Site, {}, ({ object, status }) => {
      if (does === "fail") throw new Error("no database");
      if (does === "wait") return requeue("30s", { reason: "waiting for the database" });
      if (object.spec.text === "old") status.condition("Ready", true);
      return undefined;
    });
    await using world = await onModel(operator({ name: "test", controllers: [site] }));
    await world.apply(Site, "a", { spec: { text: "old" } });
    await world.settle();
    does = "fail";
    await world.apply(Site, "a", { spec: { text: "new" } });
    await world.advance("1m");
    assert.match((await shownBy(world, "a"))[0] ?? "", /^Ready=False ReconcileFailed/u);
    does = "wait";
    await world.advance("10m");
    assert.deepEqual(await shownBy(world, "a"), ["Ready=False ReconcileWaiting: site: waiting for the database"]);
    does = "work";
    await world.advance("10m");
    assert.deepEqual(await shownBy(world, "a"), ["Ready=True Ready: "]);
  });

  test("keeps the message of a reconcile, and the Ready of another controller", async () => {
    const words = controller(Site, { name: "words" }, ({ object, status }) => {
      if (object.metadata.name !== "own") return;
      status.condition("Ready", false, { reason: "Broken", message: "a long story" });
      throw new Error("no database");
    });
    const other = controller(Site, { name: "other" }, ({ object, status }) => {
      if (object.metadata.name === "shared") status.condition("Ready", true);
    });
    const broken = controller(Site, { name: "broken" }, ({ object }) => {
      if (object.metadata.name === "shared") throw new Error("no database");
    });
    await using world = await onModel(operator({ name: "test", controllers: [words, other, broken] }));
    await world.apply(Site, "own", {});
    await world.apply(Site, "shared", {});
    await world.advance("2m");
    assert.deepEqual(await shownBy(world, "own"), [
      "Ready=False Broken: a long story",
      "Stalled=True ReconcileFailed: words: no database",
    ]);
    assert.deepEqual(await shownBy(world, "shared"), [
      "Ready=True Ready: ",
      "Stalled=True ReconcileFailed: broken: no database",
    ]);
  });

  test("shows why an object cannot be deleted", async () => {
    let isDown = true;
    const cleanup = (): void => {
      if (isDown) throw new Error("no database");
    };
    const site = controller(Site, { cleanup }, ({ status }) => status.condition("Ready", true));
    await using world = await onModel(operator({ name: "test", controllers: [site] }));
    await world.apply(Site, "a", {});
    await world.settle();
    await world.delete(Site, "a");
    await world.advance("1m");
    assert.deepEqual(await shownBy(world, "a"), failing.slice(1));
    isDown = false;
    await world.advance("10m");
    assert.equal(await world.get(Site, "a"), undefined);
  });
});

for (const [where, worldOf] of worlds) {
  test(`unknown or defaulted status fields cost no extra writes on ${where}`, async () => {
    const List = defineResource({
      group: "example.com",
      version: "v1",
      kind: "List",
      spec: s.object({}),
      status: s.object({ items: s.array(s.object({ a: s.string(), tier: s.string().default("slow") })) }),
    });
    const reconciles = { count: 0 };
    const list = controller(List, {}, ({ status }) => {
      reconciles.count++;
      status.items = ["x"].map((a) => ({ a, b: 1 })) as never;
      return requeue("1m");
    });
    await using world = await worldOf(operator({ name: "test", controllers: [list] }));
    await world.apply(List, "one", { spec: {} });
    await world.settle();
    assert.match(world.failures[0]?.message ?? "", /^The status of List has no field "items\[\]\.b", so/u);
    assert.deepEqual((await world.get(List, "one"))?.status?.items?.[0]?.a, "x");
    const [before, written] = [reconciles.count, world.writes.length];
    await world.advance("10m");
    assert.ok(reconciles.count >= before + 10, "it had its reconciles");
    assert.equal(world.writes.length, written);
  });
}
