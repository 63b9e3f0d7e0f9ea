/** Events, status fields, steps and finalizers that must not be lost, and must not reach the wrong object. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import type { Controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { stepsAnnotation } from "../src/reconcile/steps.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestWorld } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";
import { onModel, worlds } from "./worlds.ts";
import type { MakeWorld } from "./worlds.ts";

const Tree = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Tree",
  spec: s.object({ size: s.int32().default(1) }),
  status: s.object({
    seen: s.int32().optional(),
    members: s.record(s.record(s.string())).optional(),
    note: s.string().optional(),
  }),
});

type Members = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Shows in the status whatever the spec names. */
function showing(wanted: readonly Members[]): Controller {
  return controller(Tree, {}, ({ object, status }) => {
    status.members = structuredClone(wanted[object.spec.size]) as Record<string, Record<string, string>>;
  });
}

/** A point at which a reconcile waits until the test releases it. */
class Gate {
  readonly #opened = Promise.withResolvers<void>();
  #isReached = false;

  async pass(): Promise<void> {
    this.#isReached = true;
    await this.#opened.promise;
  }

  /** Lets virtual time pass until a reconcile waits here. */
  async reached(world: TestWorld): Promise<void> {
    for (let second = 0; second < 60 && !this.#isReached; second++) await world.advance("1s");
    assert.ok(this.#isReached, "nobody came to the gate");
  }

  open(): void {
    this.#opened.resolve();
  }
}

for (const [where, worldOf] of worlds) tell(where, worldOf);

function tell(where: string, worldOf: MakeWorld): void {
  describe(`nothing is lost on ${where}`, () => {
    for (const children of [3, 20, 40]) {
      test(`a change during a reconcile that writes ${children} children is not lost`, async () => {
        let gate: Gate | undefined = new Gate();
        const many = controller(Tree, { owns: [ConfigMap] }, async ({ object, apply, status }) => {
          for (let at = 0; at < children; at++) {
            await apply(ConfigMap, `child-${at}`, { data: { size: String(object.spec.size) } });
          }
          const here = gate;
          gate = undefined;
          await here?.pass();
          status.seen = object.spec.size;
        });
        await using world = await worldOf(operator({ name: "capstan", controllers: [many] }));
        const first = gate;
        await world.apply(Tree, "a", { spec: { size: 1 } });
        await first.reached(world);
        await world.apply(Tree, "a", { spec: { size: 2 } });
        await world.advance("1s");
        first.open();
        await world.settle();
        assert.equal((await world.get(Tree, "a"))?.status?.seen, 2);
        assert.equal((await world.get(ConfigMap, "child-0"))?.data?.["size"], "2");
      });
    }

    test("fields that a draft omits are removed from the status, at any depth", async () => {
      const wanted = [{ one: { a: "1", b: "2" }, two: {} }, { one: { a: "1" } }, { one: {} }, {}];
      await using world = await worldOf(operator({ name: "capstan", controllers: [showing(wanted)] }));
      for (const [size, members] of wanted.entries()) {
        await world.apply(Tree, "a", { spec: { size } });
        await world.settle();
        assert.deepEqual((await world.get(Tree, "a"))?.status?.members, members);
      }
    });

    test("steps of a deleted object are not written to a new one of the same name", async () => {
      const runs: string[] = [];
      let gate: Gate | undefined = new Gate();
      const stepping = controller(Tree, {}, async ({ object, step, status }) => {
        const { uid } = object.metadata;
        const made = await step("make a volume", async () => {
          runs.push(uid);
          const here = gate;
          gate = undefined;
          await here?.pass();
          return uid;
        });
        status.note = `volume of ${made}`;
      });
      await using world = await worldOf(operator({ name: "capstan", controllers: [stepping] }));
      const first = gate;
      const old = await world.apply(Tree, "a", {});
      await first.reached(world);
      await world.delete(Tree, "a");
      const next = await world.apply(Tree, "a", {});
      first.open();
      await world.settle();
      assert.deepEqual(runs, [old.metadata.uid, next.metadata.uid]);
      assert.equal((await world.get(Tree, "a"))?.status?.note, `volume of ${next.metadata.uid}`);
    });

    test("the status of a deleted object is not written to a new one of the same name", async () => {
      let gate: Gate | undefined = new Gate();
      const telling = controller(Tree, {}, async ({ object, status }) => {
        const here = gate;
        gate = undefined;
        if (here === undefined) return;
        await here.pass();
        status.note = `of ${object.metadata.uid}`;
      });
      await using world = await worldOf(operator({ name: "capstan", controllers: [telling] }));
      const first = gate;
      await world.apply(Tree, "a", {});
      await first.reached(world);
      await world.delete(Tree, "a");
      await world.apply(Tree, "a", {});
      first.open();
      await world.settle();
      assert.equal((await world.get(Tree, "a"))?.status?.note, undefined);
    });

    test("a successor with a stale cache does not begin a step again", async () => {
      const runs: boolean[] = [];
      const charging = controller(Tree, {}, async ({ object, step, status }) => {
        await step("charge the card", ({ resumed }) => void runs.push(resumed), { input: object.spec.size });
        status.seen = object.spec.size;
      });
      await using world = await worldOf(operator({ name: "capstan", controllers: [charging] }));
      const first = world.running;
      const punctual = world.staleReads("1m");
      world.restart();
      const successor = world.running;
      await world.advance("1s");
      punctual();
      await world.advance("2m");
      await world.apply(Tree, "a", { spec: { size: 1 } });
      await world.advance("5s");
      assert.deepEqual(runs, [false]);
      const stopped = first.stop(0);
      await world.advance("5m");
      await stopped;
      assert.ok(successor.isLeader);
      assert.deepEqual(runs, [false], "it was done and written down before the successor came");
      assert.equal((await world.get(Tree, "a"))?.status?.seen, 1);
    });

    test("results of concurrent steps, and of inputs in another field order, are kept", async () => {
      const runs: string[] = [];
      let reconciles = 0;
      const both = controller(Tree, {}, async ({ step, object, status }) => {
        const input = reconciles++ % 2 === 0 ? { a: 1, b: { c: 2, d: 3 } } : { b: { d: 3, c: 2 }, a: 1 };
        const ran = ["one", "two", "three"].map((name) => step(name, () => void runs.push(name), { input }));
        await Promise.all(ran);
        status.seen = object.spec.size;
      });
      await using world = await worldOf(operator({ name: "capstan", controllers: [both] }));
      await world.apply(Tree, "a", { spec: { size: 1 } });
      await world.settle();
      await world.apply(Tree, "a", { spec: { size: 2 } });
      await world.settle();
      assert.deepEqual([runs.sort(), reconciles >= 2], [["one", "three", "two"], true]);
      const stored = (await world.get(Tree, "a"))?.metadata.annotations?.[stepsAnnotation("capstan-tree")] ?? "{}";
      assert.deepEqual(Object.keys(JSON.parse(stored) as object).sort(), ["", "one", "three", "two"]);
    });

    test("a step with a result that is too large is not run again and again", async () => {
      const runs: boolean[] = [];
      const dumping = controller(Tree, {}, async ({ step }) => {
        await step("dump", ({ resumed }) => {
          runs.push(resumed);
          return "x".repeat(300_000);
        });
      });
      await using world = await worldOf(operator({ name: "capstan", controllers: [dumping] }));
      await world.apply(Tree, "a", {});
      await world.advance("10m");
      // Twice, because its start was recorded on the object; then the object waits.
      assert.deepEqual(runs, [false, true]);
      assert.match(
        world.running.explain("tree", "default/a").at(-1)?.message ?? "",
        /^Cannot remember the steps of Tree default\/a: its annotations would have 30\d{4} bytes, and a server takes 262144\./u,
      );
    });
  });
}

test("an object of a version with a cleanup can be deleted by one without", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const cleaning = operator({
    name: "capstan",
    controllers: [controller(Tree, { cleanup: () => undefined }, () => undefined)],
  });
  const plain = operator({ name: "capstan", controllers: [controller(Tree, {}, () => undefined)] });
  const former = await testOperator(cleaning, { api }, { clock });
  await former.apply(Tree, "a", {});
  await former.settle();
  assert.equal((await former.get(Tree, "a"))?.metadata.finalizers?.length, 1);
  await former.crash();
  await using world = await testOperator(plain, { api }, { clock });
  await world.settle();
  await world.delete(Tree, "a");
  await world.settle();
  assert.equal(await world.get(Tree, "a"), undefined);
});

test("a written status equals the draft, whatever it was before", async () => {
  const label = fc.constantFrom("a", "b", "c");
  const plain = { noNullPrototype: true };
  const tree = fc.dictionary(label, fc.dictionary(label, fc.constantFrom("1", "2"), plain), plain);
  const story = async (wanted: readonly Members[]): Promise<void> => {
    await using world = await onModel(operator({ name: "capstan", controllers: [showing(wanted)] }));
    for (const [size, members] of wanted.entries()) {
      await world.apply(Tree, "a", { spec: { size } });
      await world.settle();
      assert.deepEqual((await world.get(Tree, "a"))?.status?.members, members);
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 5 }), story), { numRuns: 30 });
});

test("other writers may change an object while its reconcile begins a step", async () => {
  let gate: Gate | undefined = new Gate();
  const slow = controller(Tree, {}, async ({ object, step, status }) => {
    const here = gate;
    gate = undefined;
    await here?.pass();
    await step("once", () => undefined);
    status.seen = object.spec.size;
  });
  await using world = await onModel(operator({ name: "capstan", controllers: [slow] }));
  const first = gate;
  await world.apply(Tree, "a", { spec: { size: 1 } });
  await first.reached(world);
  await world.apply(Tree, "a", { spec: { size: 1 }, metadata: { labels: { heart: "beats" } } });
  await world.advance("1s");
  first.open();
  await world.settle();
  assert.equal((await world.get(Tree, "a"))?.status?.seen, 1);
  const outcomes = world.running.explain("tree", "default/a").map(({ outcome }) => outcome);
  assert.ok(outcomes.length > 0 && outcomes.every((outcome) => outcome === "done"), outcomes.join());
});
