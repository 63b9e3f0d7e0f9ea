/** The condition `Stalled`, which the runtime keeps where a kind declares it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { Terminal } from "../src/errors.ts";
import { operator } from "../src/operator.ts";
import type { TestWorld } from "../src/testing/index.ts";
import { worlds } from "./worlds.ts";

const Job = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Job",
  spec: s.object({ text: s.string().default(""), size: s.int32().default(1) }),
  status: s.object({ size: s.int32() }),
  conditions: { Available: "it works", Stalled: "it does not get any further" },
  columns: { Stalled: "condition:Stalled", Why: "message:Stalled" },
});

const conditionsOf = async (world: TestWorld, name: string): Promise<readonly (readonly string[])[]> => {
  const { conditions = [] } = (await world.get(Job, name))?.status ?? {};
  return conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
};

for (const [where, worldOf] of worlds) {
  describe(`Stalled on ${where}`, () => {
    test("is true, with the reason, while turns fail again and again, and false when they do not", async () => {
      let isDown = false;
      const job = controller(Job, {}, ({ object, status }) => {
        if (isDown) throw new Error("no database");
        status.condition("Available", true);
        status.size = object.spec.size;
      });
      await using world = await worldOf(operator({ controllers: [job] }));
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

    test("is not worth a line for a failure that passes, and worth one at once for one that stays", async () => {
      let left = 2;
      const job = controller(Job, {}, ({ object }) => {
        if (object.metadata.name === "final") throw new Terminal("the name is taken");
        if (left-- > 0) throw new Error("not yet");
      });
      await using world = await worldOf(operator({ controllers: [job] }));
      await world.apply(Job, "passing", {});
      await world.apply(Job, "final", {});
      await world.settle();
      assert.deepEqual(await conditionsOf(world, "passing"), [["Stalled", "False", "Reconciled", ""]]);
      assert.deepEqual(await conditionsOf(world, "final"), [
        ["Stalled", "True", "ReconcileRefused", "job: the name is taken"],
      ]);
      assert.equal(world.writes.length, 2);
    });

    test("is left to a reconcile that says it itself, and to the controller that said it", async () => {
      const own = controller(Job, { name: "own" }, ({ object, status }) => {
        if (object.spec.text === "own") status.condition("Stalled", true, { reason: "Waiting", message: "for Godot" });
      });
      const failing = controller(Job, { name: "failing" }, ({ object }) => {
        if (object.spec.text === "fails") throw new Error("never");
      });
      await using world = await worldOf(operator({ controllers: [own, failing] }));
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
