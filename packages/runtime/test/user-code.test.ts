/** Mistakes in user functions: each has a clear message, affects only its own object, and the operator continues. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { systemClock } from "../src/clock.ts";
import { controller, watch } from "../src/define.ts";
import type { ControllerOptions } from "../src/define.ts";
import { RuntimeError } from "../src/errors.ts";
import { createLog, silentLog } from "../src/log.ts";
import { installCrds } from "../src/crds/crds.ts";
import { healthEndpoint } from "../src/program/endpoints.ts";
import { RunningOperator } from "../src/manager/operator.ts";
import { operator } from "../src/operator.ts";
import type { Context } from "../src/reconcile/context.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import type { ReconcileResult } from "../src/reconcile/outcome.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestWorld } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  spec: s.object({ size: s.int32().default(1) }),
  status: s.object({ text: s.string().default("") }),
});

type Owns = readonly [typeof ConfigMap];
type Options = Omit<ControllerOptions<typeof Widget, Owns, readonly []>, "owns">;
type WidgetContext = Context<typeof Widget, typeof ConfigMap>;

/** A world with an object `bad`, on which a function is tried, and an object `good`, which shows that the operator continues. */
async function worldWith(reconcile: (context: WidgetContext) => unknown, options: Options = {}): Promise<TestWorld> {
  const clock = new VirtualClock();
  const widget = controller(Widget, { ...options, owns: [ConfigMap] }, async (context) => {
    if (context.object.metadata.name === "bad") return (await reconcile(context)) as ReconcileResult;
    context.status.text = `size ${context.object.spec.size}`;
    return undefined;
  });
  const world = await testOperator(
    operator({ name: "test", controllers: [widget] }),
    { api: new ModelApi(() => clock.wall()) },
    { clock },
  );
  await world.apply(Widget, "bad", { spec: { size: 1 } });
  await world.apply(Widget, "good", { spec: { size: 1 } });
  return world;
}

async function goesOn(world: TestWorld): Promise<void> {
  await world.apply(Widget, "good", { spec: { size: 2 } });
  await world.advance("1s");
  assert.equal((await world.get(Widget, "good"))?.status?.text, "size 2");
}

function messageOf(world: TestWorld): string | undefined {
  return world.failures.find(({ object }) => object === "default/bad")?.message;
}

describe("a thrown value", () => {
  const thrown: { readonly [what: string]: () => unknown } = {
    "an error that is its own cause": () => {
      const error: Error & { cause?: unknown } = new Error("boom");
      error.cause = error;
      return error;
    },
    "an error with a circle in its cause": () => {
      const response: { request?: unknown } = {};
      response.request = { response };
      return new Error("upstream", { cause: response });
    },
    "an object without a prototype": () => Object.create(null),
    "an error whose message cannot be read": () =>
      Object.defineProperty(new Error("x"), "message", {
        get: () => {
          throw new Error("no");
        },
      }),
    "a proxy that throws at every touch": () => {
      const refuse = (): never => {
        throw new Error("no");
      };
      return new Proxy({}, { get: refuse, getPrototypeOf: refuse, has: refuse, ownKeys: refuse });
    },
    "a symbol": () => Symbol("s"),
    nothing: () => undefined,
  };

  for (const [what, make] of Object.entries(thrown)) {
    test(`${what} fails the reconcile, which is retried`, async () => {
      let runs = 0;
      await using world = await worldWith(() => {
        runs++;
        throw make();
      });
      await world.advance("10s");
      assert.equal(typeof messageOf(world), "string");
      assert.ok(runs > 1, "it is tried again");
      await goesOn(world);
    });
  }
});

describe("a missing await", () => {
  test("fails the reconcile, although the error of the call is unhandled", async () => {
    await using world = await worldWith(
      ({ apply }) => void apply(ConfigMap, "a", { metadata: { name: "b" } } as never),
    );
    await world.advance("1s");
    assert.match(
      messageOf(world) ?? "",
      /^The apply of ConfigMap a was not awaited: write `await` before it\. It failed: /u,
    );
    await goesOn(world);
  });

  test("fails the reconcile, although the call succeeded", async () => {
    await using world = await worldWith(async ({ apply, create, remove, step }) => {
      await apply(ConfigMap, "a", { data: { a: "b" } });
      void create(ConfigMap, "c", { data: {} });
      await remove(ConfigMap, "d");
      await step("e", () => undefined);
    });
    await world.advance("1s");
    assert.match(messageOf(world) ?? "", /^The create of ConfigMap c was not awaited/u);
    assert.notEqual(await world.get(ConfigMap, "c"), undefined, "what was begun has ended before the reconcile did");
    await goesOn(world);
  });

  test("of a step fails the reconcile when the step has ended", async () => {
    const gate = Promise.withResolvers<void>();
    await using world = await worldWith(({ step }) => void step("slow", () => gate.promise));
    await world.advance("1s");
    assert.equal(messageOf(world), undefined, "the reconcile waits for it");
    gate.resolve();
    await world.advance("1s");
    assert.match(messageOf(world) ?? "", /^The step "slow" was not awaited/u);
    await goesOn(world);
  });

  test("is not reported if several calls are awaited together", async () => {
    await using world = await worldWith(async ({ apply, step }) => {
      await Promise.all([apply(ConfigMap, "a", { data: {} }), step("b", () => undefined)]);
      await Promise.race([apply(ConfigMap, "c", { data: {} }), step("d", () => undefined)]);
    });
    await world.settle();
    assert.deepEqual(world.failures, []);
  });

  test("a failing reconcile waits for its other calls", async () => {
    const gate = Promise.withResolvers<void>();
    let reconciles = 0;
    await using world = await worldWith(async ({ step }) => {
      reconciles++;
      const fails = Promise.reject(new Error("one of them"));
      await Promise.all([step("slow", () => gate.promise), fails]);
    });
    await world.advance("1m");
    assert.equal(reconciles, 1, "no other reconcile while the step of this one runs");
    gate.resolve();
    await world.advance("1m");
    assert.equal(messageOf(world), "one of them");
    assert.ok(reconciles > 1);
  });

  test("calls after the end of the reconcile are rejected", async () => {
    const late = Promise.withResolvers<WidgetContext>();
    await using world = await worldWith((context) => late.resolve(context));
    await world.settle();
    const { apply, step } = await late.promise;
    const isReconcileOver = (error: unknown): boolean =>
      error instanceof RuntimeError && error.code === "ReconcileOver";
    await assert.rejects(apply(ConfigMap, "late", { data: {} }), isReconcileOver);
    await assert.rejects(
      step("late", () => assert.fail("it runs")),
      isReconcileOver,
    );
    assert.equal(await world.get(ConfigMap, "late"), undefined);
  });
});

test("a child with two names is rejected", async () => {
  // A literal name in the call does not compile: these names come from a function.
  const named = (name: string) => ({ metadata: { name, labels: {} }, data: {} });
  await using world = await worldWith(async ({ apply }) => {
    await apply(ConfigMap, "a", named("a"));
    await apply(ConfigMap, "b", named("other"));
  });
  await world.advance("1m");
  assert.equal(
    messageOf(world),
    'Cannot write ConfigMap under two names: the call says "b", its metadata "other". Leave the name out of the metadata.',
  );
  assert.deepEqual(
    (await world.list(ConfigMap)).map(({ metadata }) => metadata?.name),
    ["a"],
  );
  await goesOn(world);
});

describe("functions that map events to objects", () => {
  /** Two controllers on one watch of ConfigMaps: a failing function of the first does not affect the second. */
  async function twoOnOneWatch(
    map: (config: { readonly data?: { readonly [name: string]: string } }) => readonly string[],
  ) {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const heard: string[] = [];
    const reconciles: string[] = [];
    const poor = controller(Widget, { name: "poor", watches: [watch(ConfigMap, map)] }, ({ object }) => {
      reconciles.push(object.metadata.name);
    });
    const rich = controller(
      Widget,
      {
        name: "rich",
        watches: [
          watch(ConfigMap, ({ metadata }, { type }) => {
            heard.push(`${type} ${metadata?.name}`);
            return [];
          }),
        ],
      },
      () => undefined,
    );
    const log = createLog({ clock, level: "error", write: (line) => lines.push(line) });
    const world = await testOperator(
      operator({ name: "test", controllers: [poor, rich] }),
      { api: new ModelApi(() => clock.wall()) },
      { clock, log },
    );
    await world.settle();
    return { world, lines, heard, reconciles };
  }

  test("a map that throws is reported, and all other handlers get the event", async () => {
    const { world, lines, heard, reconciles } = await twoOnOneWatch((config) => [(config.data as { ref: string }).ref]);
    await using _ = world;
    await world.apply(Widget, "w", { spec: {} });
    await world.apply(ConfigMap, "nodata", {});
    await world.settle();
    assert.ok(heard.includes("added nodata"));
    assert.equal(lines.length, 1, lines.join(""));
    const { controller: name, object, message } = JSON.parse(lines[0] ?? "");
    assert.deepEqual([name, object], ["poor", "ConfigMap default/nodata"]);
    assert.match(message, /^the map of ConfigMap failed for ConfigMap default\/nodata: /u);
    const { body, status } = await healthEndpoint(world.running)({
      method: "GET",
      path: "/readyz",
      isLocal: true,
      authorization: undefined,
    });
    assert.equal(status, 200);
    assert.match(body, /^\[!\] poor: the map of ConfigMap failed for ConfigMap default\/nodata: /mu);
    assert.match(
      world.running.registry.text(),
      /^capstan_function_errors_total\{controller="poor",function="map of ConfigMap"\} [1-9]/mu,
    );
    reconciles.length = 0;
    await world.apply(ConfigMap, "nodata", { data: { ref: "default/w" } });
    await world.settle();
    assert.ok(reconciles.includes("w"), "what it names now is woken");
    assert.equal(lines.length > 0 && heard.includes("updated nodata"), true);
    await world.apply(ConfigMap, "nodata", { data: { ref: "default/w", more: "" } });
    await world.settle();
    assert.deepEqual(world.running.userFailures, [], "it is over when it is over");
  });

  test("a map that returns invalid keys is reported, and its valid keys are triggered", async () => {
    const { world, lines, reconciles } = await twoOnOneWatch(() => [42, undefined, "default/w", ""] as never);
    await using _ = world;
    await world.apply(Widget, "w", { spec: {} });
    await world.settle();
    reconciles.length = 0;
    await world.apply(ConfigMap, "c", {});
    await world.settle();
    assert.deepEqual(reconciles, ["w"]);
    assert.match(lines.join(""), /Cannot enqueue 42: a map returns keys/u);
  });

  const broken: Options = {
    predicate: () => {
      throw new Error("no judgement");
    },
    fairnessKey: () => {
      throw new Error("no tenant");
    },
  };

  for (const option of ["predicate", "fairnessKey"] as const) {
    test(`if ${option} throws, the object is still reconciled`, async () => {
      await using world = await worldWith(() => undefined, { [option]: broken[option] });
      await goesOn(world);
      assert.ok(world.running.userFailures.some(({ what }) => what === option));
    });
  }
});

describe("a step", () => {
  for (const inputs of ["without inputs", "with inputs"] as const) {
    test(`with a name that is used twice in one reconcile is rejected, ${inputs}`, async () => {
      const ran: string[] = [];
      await using world = await worldWith(async ({ step }) => {
        for (const member of ["a", "b", "c"]) {
          const options = inputs === "with inputs" ? { input: member } : {};
          await step("add-member", () => void ran.push(member), options);
        }
      });
      await world.advance("1h");
      assert.deepEqual(ran, ["a"]);
      assert.match(
        messageOf(world) ?? "",
        /^Cannot run the step "add-member" twice in one reconcile of Widget default\/bad: .*step\(`add/u,
      );
      await goesOn(world);
    });
  }

  test("does not begin when its reconcile was aborted", async () => {
    const said: string[] = [];
    const gate = Promise.withResolvers<void>();
    let reconciles = 0;
    await using world = await worldWith(
      async ({ step, create, event, signal }) => {
        if (++reconciles > 1) await new Promise(() => undefined);
        await gate.promise;
        assert.equal(signal.aborted, true);
        event("Normal", "Late", "nobody hears this");
        await step("pay", () => void said.push("paid")).catch(() => said.push("step refused"));
        await create(ConfigMap, "late", { data: {} }).catch(() => said.push("create refused"));
      },
      { timeout: "10s" },
    );
    await world.advance("11s");
    gate.resolve();
    await world.advance("1s");
    assert.deepEqual(said, ["step refused", "create refused"]);
    assert.equal(await world.get(ConfigMap, "late"), undefined);
  });

  test("that was recorded as begun when its reconcile was aborted does not run", async () => {
    const said: string[] = [];
    const gate = Promise.withResolvers<void>();
    let reconciles = 0;
    await using world = await worldWith(
      async ({ step }) => {
        if (++reconciles > 1) await new Promise(() => undefined);
        await gate.promise;
        await step("pay", () => void said.push("paid")).catch(() => said.push("refused"));
      },
      { timeout: "10s" },
    );
    // The response to the start record arrives after the reconcile's timeout.
    const end = world.inject(({ verb, kind }) =>
      verb === "patch" && kind.kind === "Widget" && reconciles === 1 ? { fault: "delay", by: 15_000 } : undefined,
    );
    gate.resolve();
    await world.advance("20s");
    end();
    assert.deepEqual(said, ["refused"]);
  });
});

describe("reconciles without waits", () => {
  const many = 1_500;

  /** An operator in real time with existing objects. */
  async function running(objects: number, reconcile: () => ReconcileResult): Promise<RunningOperator> {
    const api = new ModelApi();
    const widget = controller(Widget, {}, reconcile);
    await installCrds([widget], { api, clock: systemClock, manager: "test" });
    for (let n = 0; n < objects; n++) {
      const metadata = { namespace: "default", name: `w${n}` };
      const object = { apiVersion: "example.com/v1", kind: "Widget", metadata, spec: { size: 1 } };
      await api.create(Widget, object, { manager: "user" });
    }
    return new RunningOperator({ name: "test", controllers: [widget] }, { api, log: silentLog });
  }

  test("that always requeue leave time for other work", async () => {
    let reconciles = 0;
    // If the event loop were blocked, the test itself would be: the reconciles end after far too many.
    await using _ = await running(20, () => (++reconciles < 1_000_000 ? requeue(0, { reason: "more" }) : undefined));
    for (let timers = 0; timers < 20; timers++) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.ok(reconciles < 1_000_000, "timers fire between reconciles");
  });

  test("are interrupted, however many there are", async () => {
    let reconciles = 0;
    let between = 0;
    await using _ = await running(many, () => {
      if (++reconciles === 1) setImmediate(() => (between = reconciles));
      return undefined;
    });
    await until(() => reconciles === many);
    assert.ok(between > 0 && between < many, `others were heard after ${between} reconciles`);
  });
});

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 120_000;
  while (!holds() && performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(holds());
}
