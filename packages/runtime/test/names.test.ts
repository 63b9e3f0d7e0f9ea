/** Steps, finalizers and children have an owner: not a copy, not another operator, and still the same after a rename. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { createLog } from "../src/log.ts";
import { operator } from "../src/operator.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { stepsAnnotation } from "../src/reconcile/steps.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import { failure, ModelApi } from "./model-api.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ size: s.int32().default(1) }),
  status: s.object({ text: s.string().default("") }),
});

const STEPS_ANNOTATION = stepsAnnotation("capstan-box");

function model(): { readonly clock: VirtualClock; readonly server: { readonly api: ModelApi } } {
  const clock = new VirtualClock();
  return { clock, server: { api: new ModelApi(() => clock.wall()) } };
}

describe("steps", () => {
  test("that began with another input and did not end are resumed", async () => {
    const runs: (readonly [number, boolean])[] = [];
    const making = controller(Box, {}, async ({ object, step }) => {
      const { size } = object.spec;
      const make = ({ resumed }: { readonly resumed: boolean }): void => {
        runs.push([size, resumed]);
        if (size === 1) throw new Error("the line went dead");
      };
      await step("make a database", make, { input: size });
    });
    const { clock, server } = model();
    await using world = await testOperator(operator({ name: "capstan", controllers: [making] }), server, {
      clock,
      failures: "expected",
    });
    await world.apply(Box, "b", { spec: { size: 1 } });
    await world.advance("1s");
    await world.apply(Box, "b", { spec: { size: 2 } });
    await world.advance("10m");
    assert.deepEqual(runs[0], [1, false]);
    assert.deepEqual(runs.at(-1), [2, true], "a database may be there already");
  });

  test("of an object do not count for its copy", async () => {
    const making = controller(Box, {}, async ({ object, step, status }) => {
      status.text = await step("make", () => `made for ${object.metadata.name}`);
    });
    const { clock, server } = model();
    await using world = await testOperator(operator({ name: "capstan", controllers: [making] }), server, { clock });
    await world.apply(Box, "a", { spec: {} });
    await world.settle();
    const annotations = (await world.get(Box, "a"))?.metadata.annotations ?? {};
    assert.ok(annotations[STEPS_ANNOTATION] !== undefined);
    await world.apply(Box, "b", { metadata: { annotations }, spec: {} });
    await world.settle();
    assert.equal((await world.get(Box, "b"))?.status?.text, "made for b");
  });

  test("of reconciles that never complete do not accumulate, and the latest are kept", async () => {
    const { clock, server } = model();
    const second = (): number => Math.floor(clock.wall() / 1_000);
    const waiting = controller(Box, {}, async ({ step }) => {
      await step(`look ${second()}`, () => undefined);
      return requeue("1s", { reason: "for ever" });
    });
    await using world = await testOperator(operator({ name: "capstan", controllers: [waiting] }), server, { clock });
    await world.apply(Box, "b", { spec: {} });
    const known = async (): Promise<string[]> => {
      const text = (await world.get(Box, "b"))?.metadata.annotations?.[STEPS_ANNOTATION];
      return Object.keys(JSON.parse(text ?? "{}") as object);
    };
    await world.advance("10m");
    const left = await known();
    assert.ok(left.length < 300, `${left.length} of 600 are left`);
    assert.ok(left.includes(`look ${second() - 100}`), "those of late are there");
  });

  test("of two controllers of one kind do not overwrite each other", async () => {
    const { clock, server } = model();
    const runs: string[] = [];
    const acting = (name: string) =>
      controller(
        Box,
        { name, onFieldChange: { "spec.size": () => void runs.push(`${name} change`) } },
        async ({ step }) => {
          const told = await step("act", () => (runs.push(name), name));
          assert.equal(told, name);
        },
      );
    const app = operator({ name: "capstan", controllers: [acting("pay"), acting("ship")] });
    await using world = await testOperator(app, server, { clock });
    await world.apply(Box, "b", { spec: {} });
    await world.settle();
    await world.crash();
    world.restart();
    await world.settle();
    assert.deepEqual(runs.toSorted(), ["pay", "pay change", "ship", "ship change"]);
  });

  test("in the shared annotation, or under a previous name, are not run again", async () => {
    const done = JSON.stringify({ act: { input: "dCNOmK_nSY-12vHz", state: "done", result: "before" } });
    for (const annotation of ["capstan.dev/steps", stepsAnnotation("capstan-boxes")]) {
      for (const others of [[], [controller(Box, { name: "other" }, () => undefined)]]) {
        const { clock, server } = model();
        const own = controller(Box, { previousNames: ["boxes"] }, async ({ step, status, object }) => {
          status.text = await step("act", () => "again");
          if (object.spec.size > 1) await step("more", () => undefined);
        });
        const app = operator({ name: "capstan", controllers: [own, ...others] });
        await using world = await testOperator(app, server, { clock });
        await world.apply(Box, "b", { metadata: { annotations: { [annotation]: done } }, spec: { size: 1 } });
        await world.settle();
        await world.apply(Box, "b", { metadata: { annotations: { [annotation]: done } }, spec: { size: 2 } });
        await world.settle();
        assert.equal((await world.get(Box, "b"))?.status?.text, "before", annotation);
      }
    }
  });

  test("that were edited by hand and are malformed count as never begun", async () => {
    for (const rubbish of [
      null,
      3,
      "done",
      [],
      {},
      { state: "done", result: "rubbish" },
      { input: 1, state: "begun" },
    ]) {
      const { clock, server } = model();
      const acting = controller(Box, {}, async ({ step, status }) => {
        status.text = await step("act", () => "done");
        return requeue("1h");
      });
      await using world = await testOperator(operator({ name: "capstan", controllers: [acting] }), server, { clock });
      const annotations = { [STEPS_ANNOTATION]: JSON.stringify({ act: rubbish, other: rubbish }) };
      await world.apply(Box, "b", { metadata: { annotations }, spec: {} });
      await world.advance("10s");
      assert.equal((await world.get(Box, "b"))?.status?.text, "done", JSON.stringify(rubbish));
      assert.deepEqual(world.failures, []);
    }
  });

  test("without a name are rejected", async () => {
    const nameless = controller(Box, {}, async ({ step }) => {
      await step("", () => undefined);
    });
    const { clock, server } = model();
    await using world = await testOperator(operator({ name: "capstan", controllers: [nameless] }), server, {
      clock,
      failures: "expected",
    });
    await world.apply(Box, "b", { spec: {} });
    await world.settle();
    const told = world.running.explain("box", "default/b").at(-1)?.message;
    assert.match(told ?? "", /^Cannot run a step of Box default\/b: .* Give it one\./u);
  });
});

describe("finalizers", () => {
  test("of two operators for one kind are different", async () => {
    const { clock, server } = model();
    const cleaned: string[] = [];
    let isOpen = false;
    const named = (name: string) => {
      const cleanup = (): void => {
        if (name === "billing" && !isOpen) throw new Error("the bank is closed");
        cleaned.push(name);
      };
      return operator({ name, controllers: [controller(Box, { cleanup }, () => undefined)] });
    };
    await using backup = await testOperator(named("backup"), server, { clock, failures: "expected" });
    await using billing = await testOperator(named("billing"), server, { clock, failures: "expected" });
    await backup.apply(Box, "b", { spec: {} });
    await billing.settle();
    await backup.delete(Box, "b");
    await billing.advance("1m");
    assert.deepEqual(cleaned, ["backup"]);
    assert.ok((await backup.get(Box, "b")) !== undefined, "the bill is not paid");
    isOpen = true;
    await billing.advance("30m");
    assert.deepEqual(cleaned, ["backup", "billing"]);
    assert.equal(await backup.get(Box, "b"), undefined);
  });

  test("of earlier versions and names hold an object until it is cleaned up, no longer", async () => {
    for (const held of [
      "example.com/box",
      "example.com/boxes",
      "example.com/capstan-boxes",
      "example.com/chests-boxes",
    ]) {
      const { clock, server } = model();
      let isCleaned = false;
      const options = { previousNames: ["boxes"], cleanup: () => void (isCleaned = true) };
      const app = operator({
        name: "capstan",
        previous: { names: ["chests"] },
        controllers: [controller(Box, options, () => undefined)],
      });
      await server.api.create(
        Box,
        {
          apiVersion: "example.com/v1",
          kind: "Box",
          metadata: { namespace: "default", name: "b", finalizers: [held] },
        },
        { manager: "chests-boxes" },
      );
      await server.api.delete(Box, { namespace: "default", name: "b" }, {});
      await using world = await testOperator(app, server, { clock });
      await world.settle();
      assert.ok(isCleaned, held);
      assert.equal(await world.get(Box, "b"), undefined, held);
    }
  });
});

describe("a controller under another name", () => {
  const later = (options: { readonly name: string; readonly previousNames?: readonly string[] }) =>
    operator({
      name: "capstan",
      controllers: [
        controller(Box, { ...options, owns: [ConfigMap] }, async ({ object, apply }) => {
          await apply(ConfigMap, object.metadata.name, { data: { a: "1" } });
        }),
      ],
    });
  const earlier = operator({
    name: "capstan",
    controllers: [
      controller(Box, { name: "boxes", owns: [ConfigMap, Secret] }, async ({ object, apply }) => {
        await apply(ConfigMap, object.metadata.name, { data: { a: "1", b: "1" } });
        await apply(ConfigMap, "more", { data: {} });
        await apply(Secret, object.metadata.name, { stringData: { a: "1" } });
      }),
    ],
  });

  async function begin() {
    const clock = new VirtualClock();
    const server = await startApiServer({
      clock,
    });
    await using world = await testOperator(earlier, server, { clock });
    await world.apply(Box, "b", { spec: {} });
    await world.settle();
    return { clock, server };
  }

  test("prunes the children of the previous name", async () => {
    const { clock, server } = await begin();
    await using world = await testOperator(later({ name: "cases", previousNames: ["boxes"] }), server, { clock });
    await world.settle();
    assert.deepEqual((await world.get(ConfigMap, "b"))?.data, { a: "1" });
    assert.equal(await world.get(ConfigMap, "more"), undefined);
    assert.equal(await world.get(Secret, "b"), undefined);
  });

  test("without previousNames logs the remaining children and a fix", async () => {
    const { clock, server } = await begin();
    const lines: string[] = [];
    const log = createLog({ clock, write: (line) => lines.push(line) });
    await using world = await testOperator(later({ name: "cases" }), server, { clock, log });
    await world.settle();
    assert.match(lines.join(""), /"boxes\\" of an earlier version left of ConfigMap, Secret stays.*previousNames/u);
  });
});

describe("a Secret with stringData", () => {
  test("is repaired, loses removed keys, and is not written again after a restart", async () => {
    const clock = new VirtualClock();
    const server = await startApiServer({
      clock,
    });
    const app = operator({
      name: "capstan",
      controllers: [
        controller(Box, { owns: [Secret] }, async ({ object, apply }) => {
          const stringData = object.spec.size > 1 ? { a: "é" } : { a: "é", b: "old password" };
          await apply(Secret, "s", { data: { a: "eA==", c: "eQ==" }, stringData });
        }),
      ],
    });
    await using world = await testOperator(app, server, { clock });
    await world.apply(Box, "b", { spec: { size: 1 } });
    await world.settle();
    const accent = Buffer.from("é").toString("base64");
    assert.equal((await world.get(Secret, "s"))?.data?.["a"], accent, "texts win over data");
    await world.apply(Secret, "s", { data: { a: "ZXZpbA==" } });
    await world.settle();
    assert.equal((await world.get(Secret, "s"))?.data?.["a"], accent, "it is repaired");
    await world.apply(Box, "b", { spec: { size: 2 } });
    await world.settle();
    const stored = await world.get(Secret, "s");
    assert.deepEqual(stored?.data, { a: accent, c: "eQ==" });
    await world.crash();
    world.restart();
    await world.settle();
    assert.equal((await world.get(Secret, "s"))?.metadata.resourceVersion, stored?.metadata.resourceVersion);
  });
});

describe("children that cannot be deleted", () => {
  const forbidden =
    (isSo: () => boolean) => (call: { readonly verb: string; readonly kind: { readonly kind: string } }) =>
      call.verb === "delete" && call.kind.kind === "Secret" && isSo()
        ? ({ fault: "refuse", error: failure("Forbidden", "secrets is forbidden", 403) } as const)
        : undefined;

  test("do not block the others", async () => {
    const { clock, server } = model();
    const app = operator({
      name: "capstan",
      controllers: [
        controller(Box, { owns: [Secret, ConfigMap] }, async ({ object, apply }) => {
          if (object.spec.size > 1) return;
          await apply(Secret, "s", { stringData: {} });
          await apply(ConfigMap, "c", { data: {} });
          await apply(ConfigMap, "far", { metadata: { namespace: "far" }, data: {} });
        }),
      ],
    });
    await using world = await testOperator(app, server, { clock, failures: "expected" });
    world.inject(forbidden(() => true));
    await world.apply(Box, "b", { spec: { size: 1 } });
    await world.settle();
    await world.apply(Box, "b", { spec: { size: 2 } });
    await world.advance("1m");
    assert.notEqual(await world.get(Secret, "s"), undefined);
    assert.equal(await world.get(ConfigMap, "c"), undefined);
    assert.equal(await world.get(ConfigMap, { name: "far", namespace: "far" }), undefined);
    assert.match(world.running.explain("box", "default/b").at(-1)?.message ?? "", /forbidden/u);
  });

  test("hold their owner, whatever other controllers have finished", async () => {
    const { clock, server } = model();
    let isForbidden = true;
    const far = { metadata: { namespace: "far" } };
    const first = controller(Box, { name: "one", owns: [ConfigMap] }, async ({ apply }) => {
      await apply(ConfigMap, "c", { ...far, data: {} });
    });
    const other = controller(Box, { name: "two", owns: [Secret] }, async ({ apply }) => {
      await apply(Secret, "s", { ...far, stringData: {} });
    });
    const app = operator({ name: "capstan", controllers: [first, other] });
    await using world = await testOperator(app, server, { clock, failures: "expected" });
    world.inject(forbidden(() => isForbidden));
    await world.apply(Box, "b", { spec: {} });
    await world.settle();
    await world.delete(Box, "b");
    await world.advance("1m");
    assert.equal(await world.get(ConfigMap, { name: "c", namespace: "far" }), undefined);
    assert.notEqual(await world.get(Box, "b"), undefined, "the Secret is still there");
    isForbidden = false;
    await world.advance("30m");
    assert.equal(await world.get(Secret, { name: "s", namespace: "far" }), undefined);
    assert.equal(await world.get(Box, "b"), undefined);
  });
});

test("the error for an undeclared condition names the declared ones", async () => {
  const Shop = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Shop",
    spec: s.object({}),
    conditions: { Ready: "It is open", Stocked: "There is something to buy" },
  });
  const careless = controller(Shop, {}, ({ status }) => {
    (status.condition as (name: string, holds: boolean) => void)("Redy", true);
  });
  const { clock, server } = model();
  await using world = await testOperator(operator({ name: "capstan", controllers: [careless] }), server, {
    clock,
    failures: "expected",
  });
  await world.apply(Shop, "s", { spec: {} });
  await world.settle();
  const told = world.running.explain("shop", "default/s").at(-1)?.message ?? "";
  assert.match(told, /^Cannot set the condition "Redy": Shop does not declare it; there are Ready, Stocked\./u);
  const shop = await world.get(Shop, "s");
  assert.ok(shop?.status?.conditions?.every(({ type }) => String(type) !== "Redy"));
});

test("a list of namespaces with an empty name means every namespace", async () => {
  const seen: string[] = [];
  const { clock, server } = model();
  const app = operator({
    name: "capstan",
    namespaces: [""],
    controllers: [controller(Box, {}, ({ object }) => void seen.push(object.metadata.namespace ?? ""))],
  });
  await using world = await testOperator(app, server, { clock });
  await world.apply(Box, "b", { spec: {} });
  await world.apply(Box, { name: "b", namespace: "far" }, { spec: {} });
  await world.settle();
  assert.deepEqual([...new Set(seen)].toSorted(), ["default", "far"]);
});
