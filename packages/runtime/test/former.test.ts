/** Successive versions of an operator, and rollbacks: each takes over the objects of its predecessor, and no others. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import type { ApiServer } from "@capstan/apiserver";
import { createClient, inProcess } from "@capstan/client";
import { ConfigMap, Namespace, Secret } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { createLog } from "../src/log.ts";
import { operator } from "../src/operator.ts";
import type { Operator } from "../src/operator.ts";
import { stepsAnnotation } from "../src/reconcile/steps.ts";
import { apiOf } from "../src/client-api.ts";
import { errors, testOperator, VirtualClock } from "../src/testing/index.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ size: s.int32().default(1) }),
  status: s.object({ text: s.string().default("") }),
});

interface Place {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
}

async function place(): Promise<Place> {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
  });
  return { clock, server };
}

/** Runs a version until a Box of this size is reconciled, and ends it. */
async function run(app: Operator, { clock, server }: Place, size: number): Promise<string | undefined> {
  await using world = await testOperator(app, server, { clock });
  await world.apply(Box, "b", { spec: { size } });
  await world.settle();
  return (await world.get(Box, "b"))?.status?.text;
}

describe("steps of a controller that was renamed", () => {
  const version = (runs: string[], options: { readonly name: string; readonly previousNames?: readonly string[] }) =>
    operator({
      name: "capstan",
      controllers: [
        controller(Box, options, async ({ object, step, status }) => {
          const { size } = object.spec;
          const backUp = (): string => (runs.push(`${options.name} ${size}`), `backup of ${size}`);
          status.text = size % 2 === 1 ? await step("back up", backUp) : "none";
        }),
      ],
    });

  test("are dropped under all names, and run again when they are used again", async () => {
    const runs: string[] = [];
    const here = await place();
    await run(version(runs, { name: "boxes" }), here, 1);
    const renamed = version(runs, { name: "cases", previousNames: ["boxes"] });
    assert.equal(await run(renamed, here, 1), "backup of 1");
    assert.equal(await run(renamed, here, 2), "none");
    assert.equal(await run(renamed, here, 3), "backup of 3");
    assert.deepEqual(runs, ["boxes 1", "cases 3"]);
  });

  test("that an earlier version began meanwhile, after a rollback, are resumed", async () => {
    for (const [annotation, previousNames] of [
      ["capstan.dev/steps", []],
      [stepsAnnotation("capstan-boxes"), ["boxes"]],
    ] as const) {
      const { clock, server } = await place();
      const runs: boolean[] = [];
      const making = controller(Box, { previousNames }, async ({ object, step, status }) => {
        status.text = await step("pay", () => "paid");
        await step("make", ({ resumed }) => void runs.push(resumed), { input: object.spec.size });
      });
      await using world = await testOperator(operator({ name: "capstan", controllers: [making] }), server, { clock });
      await world.apply(Box, "b", { spec: { size: 1 } });
      await world.settle();
      await world.crash();
      const begun = JSON.stringify({ make: { input: "of another size", state: "begun" } });
      await world.apply(Box, "b", { metadata: { annotations: { [annotation]: begun } }, spec: { size: 2 } });
      world.restart();
      await world.settle();
      assert.deepEqual(runs, [false, true], annotation);
      const annotations = (await world.get(Box, "b"))?.metadata.annotations ?? {};
      assert.deepEqual(Object.keys(annotations), [stepsAnnotation("capstan-box")]);
      assert.match(Object.values(annotations).join(""), /"pay"/u, "what the earlier version did not come to is known");
    }
  });
});

test("a controller with its own name among the previous ones releases nothing", async () => {
  for (const [names, previousNames] of [
    [[], ["box"]],
    [["capstan"], []],
  ] as const) {
    const here = await place();
    const app = operator({
      name: "capstan",
      previous: { names },
      controllers: [
        controller(Box, { previousNames, owns: [ConfigMap] }, async ({ object, apply }) => {
          await apply(ConfigMap, "c", { data: { size: String(object.spec.size) } });
        }),
      ],
    });
    await run(app, here, 1);
    await run(app, here, 2);
    await using world = await testOperator(app, here.server, { clock: here.clock });
    await world.settle();
    const child = await world.get(ConfigMap, "c");
    assert.deepEqual(child?.data, { size: "2" });
    assert.equal(child?.metadata.ownerReferences?.length, 1);
  }
});

describe("an operator under another name", () => {
  const version = (name: string, names: readonly string[] = []) =>
    operator({
      name,
      previous: { names },
      controllers: [
        controller(Box, { owns: [ConfigMap] }, async ({ apply }) => {
          await apply(ConfigMap, "c", { data: { by: name } });
        }),
      ],
    });

  test("does not lead while one of a previous name does, nor the other way round", async () => {
    const { clock, server } = await place();
    await using old = await testOperator(version("chests"), server, { clock });
    await old.apply(Box, "b", { spec: {} });
    await old.settle();
    await using renamed = await testOperator(version("boxes", ["chests"]), server, { clock });
    await clock.advance(60_000);
    assert.deepEqual([old.running.isLeader, renamed.running.isLeader], [true, false]);
    assert.deepEqual(renamed.writes, []);

    // The old one crashes; another replica of its version would have to take its lease.
    await old.crash();
    await renamed.settle();
    assert.equal(renamed.running.isLeader, true);
    old.restart();
    old.writes.length = 0;
    await clock.advance(60_000);
    assert.deepEqual([old.running.isLeader, renamed.running.isLeader], [false, true]);
    assert.deepEqual(old.writes, []);
    assert.deepEqual((await renamed.get(ConfigMap, "c"))?.data, { by: "boxes" });

    // Back to the old version: released leases are free at once.
    await renamed.running.stop();
    await old.settle();
    assert.equal(old.running.isLeader, true);
  });

  test("keeps an operator of its previous name from leading on a new cluster", async () => {
    const { clock, server } = await place();
    await using renamed = await testOperator(version("boxes", ["chests"]), server, { clock });
    await renamed.settle();
    await using old = await testOperator(version("chests"), server, { clock });
    await clock.advance(60_000);
    assert.deepEqual([old.running.isLeader, renamed.running.isLeader], [false, true]);
  });
});

describe("an object that is deleted while its operator is updated", () => {
  /** Sets finalizers as an earlier version did, and deletes the object. */
  async function leave({ server }: Place, manager: string, finalizers: readonly string[]): Promise<void> {
    const api = apiOf(createClient(inProcess(server.fetch)));
    const key = { namespace: "default", name: "b" };
    await api.patch(Box, key, { metadata: { finalizers: [] } }, { type: "merge", manager: "test" });
    await api.patch(Box, key, { metadata: { finalizers } }, { type: "merge", manager });
    await api.delete(Box, key, {});
  }

  test("stays until the children of all controllers are gone, despite a shared finalizer", async () => {
    for (const setter of ["capstan-one", "capstan-two"]) {
      const here = await place();
      const { clock, server } = here;
      const far = { metadata: { namespace: "far" } };
      const one = controller(Box, { name: "one", owns: [ConfigMap] }, async ({ apply }) => {
        await apply(ConfigMap, "c", { ...far, data: {} });
      });
      const two = controller(Box, { name: "two", owns: [Secret] }, async ({ apply }) => {
        await apply(Secret, "s", { ...far, stringData: {} });
      });
      const app = operator({ name: "capstan", controllers: [one, two] });
      await using world = await testOperator(app, server, { clock, failures: "expected" });
      await world.apply(Namespace, "far", {});
      await world.apply(Box, "b", { spec: {} });
      await world.settle();
      await world.crash();
      await leave(here, setter, ["capstan.dev/children"]);
      let isForbidden = true;
      world.inject((call) =>
        isForbidden && call.verb === "delete" && call.kind.kind === "Secret"
          ? { fault: "refuse", error: errors.internal() }
          : undefined,
      );
      world.restart();
      await world.advance("40s");
      assert.equal(await world.get(ConfigMap, { name: "c", namespace: "far" }), undefined);
      assert.notEqual(await world.get(Box, "b"), undefined, "the Secret is still there");
      isForbidden = false;
      await world.advance("10m");
      assert.equal(await world.get(Secret, { name: "s", namespace: "far" }), undefined);
      assert.equal(await world.get(Box, "b"), undefined);
    }
  });

  test("is not released for another operator that set the same finalizers", async () => {
    const here = await place();
    const { clock, server } = here;
    const viewing = controller(Box, { name: "box" }, () => undefined);
    await using world = await testOperator(operator({ name: "viewer", controllers: [viewing] }), server, { clock });
    await world.apply(Box, "b", { spec: {} });
    await leave(here, "billing-box", ["example.com/box", "capstan.dev/children"]);
    await world.settle();
    const held = (await world.get(Box, "b"))?.metadata.finalizers;
    assert.deepEqual(held, ["example.com/box", "capstan.dev/children"]);
  });

  test("with a finalizer of a removed controller is logged with a fix", async () => {
    const here = await place();
    const { clock, server } = here;
    const lines: string[] = [];
    const log = createLog({ clock, write: (line) => lines.push(line) });
    await using world = await testOperator(
      operator({ name: "capstan", controllers: [controller(Box, {}, () => undefined)] }),
      server,
      {
        clock,
        log,
      },
    );
    await world.apply(Box, "b", { spec: {} });
    await world.settle();
    await leave(here, "capstan-chests", ["example.com/capstan-chests"]);
    await world.settle();
    assert.match(
      lines.join(""),
      /Box b cannot go: it is held by example.com\/capstan-chests.*previousNames: \[\\"chests\\"\]/u,
    );
  });
});

test("finalizers and steps are moved to the current name", async () => {
  const here = await place();
  const done: string[] = [];
  const version = (name: string, previousNames: readonly string[] = []) => {
    const cleanup = (): void => void done.push(`cleaned up by ${name}`);
    const body = { name, previousNames, cleanup, owns: [ConfigMap] };
    return operator({
      name: "capstan",
      controllers: [
        controller(Box, body, async ({ object, step, apply }) => {
          await step("pay", () => void done.push(`paid by ${name}`));
          await apply(ConfigMap, "c", { metadata: { namespace: "far" }, data: { size: String(object.spec.size) } });
        }),
      ],
    });
  };
  {
    await using world = await testOperator(version("boxes"), here.server, { clock: here.clock });
    await world.apply(Namespace, "far", {});
  }
  await run(version("boxes"), here, 1);
  await run(version("cases", ["boxes"]), here, 1);
  await using world = await testOperator(version("cases"), here.server, { clock: here.clock });
  await world.settle();
  assert.deepEqual(done, ["paid by boxes"]);
  const finalizers = (await world.get(Box, "b"))?.metadata.finalizers;
  assert.deepEqual(finalizers?.toSorted(), ["capstan.dev/children-of-capstan-cases", "example.com/capstan-cases"]);
  await world.delete(Box, "b");
  await world.settle();
  assert.deepEqual(done, ["paid by boxes", "cleaned up by cases"]);
  assert.equal(await world.get(Box, "b"), undefined);
  assert.equal(await world.get(ConfigMap, { name: "c", namespace: "far" }), undefined);
});

test("a kind that moves to another controller of the same objects keeps its fields", async () => {
  const here = await place();
  const owner = (name: string, isOwner: boolean) =>
    controller(Box, { name, owns: isOwner ? [Secret] : [ConfigMap] }, async ({ object, apply }) => {
      if (!isOwner) return;
      const { size } = object.spec;
      await apply(Secret, "s", { data: { keep: "YQ==", ...(size === 1 ? { revoked: "YQ==" } : {}) } });
      if (size === 1) await apply(Secret, "more", { data: {} });
    });
  await run(operator({ name: "capstan", controllers: [owner("one", true), owner("two", false)] }), here, 1);
  const moved = operator({ name: "capstan", controllers: [owner("one", false), owner("two", true)] });
  await run(moved, here, 1);
  await run(moved, here, 2);
  await using world = await testOperator(moved, here.server, { clock: here.clock });
  await world.settle();
  assert.deepEqual((await world.get(Secret, "s"))?.data, { keep: "YQ==" });
  assert.equal(await world.get(Secret, "more"), undefined);
});
