/** Mistakes of users, servers and settings: each has a clear message, and the operator continues. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Event } from "@capstan/kinds/events.k8s.io/v1";
import { ConfigMap } from "@capstan/kinds/v1";
import { Secret } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { ApiError, ForbiddenError } from "@capstan/client";
import { controller } from "../src/define.ts";
import type { ControllerOptions } from "../src/define.ts";
import { every } from "../src/trigger/source.ts";
import { RuntimeError, TerminalError, toMilliseconds } from "../src/errors.ts";
import { operator } from "../src/operator.ts";
import type { ReconcileResult } from "../src/reconcile/outcome.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { silentLog } from "../src/log.ts";
import { errors, testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestWorld } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  spec: s.object({ size: s.int32().default(1) }),
  status: s.object({ text: s.string().default("") }),
  conditions: { Ready: "it is ready" },
});

type Reconcile = Extract<
  Parameters<typeof controller<typeof Widget, readonly [typeof ConfigMap]>>[2],
  (...args: never) => unknown
>;

async function worldWith(
  reconcile: (...args: Parameters<Reconcile>) => unknown,
  api?: ModelApi,
): Promise<TestWorld & { message(name?: string): string; runs(name?: string): number }> {
  const clock = new VirtualClock();
  const runs = new Map<string, number>();
  const widget = controller(Widget, { owns: [ConfigMap], timeout: "30s" }, async (context) => {
    const { name } = context.object.metadata;
    runs.set(name, (runs.get(name) ?? 0) + 1);
    // A good object beside the bad one shows that the operator continues.
    if (name === "good") context.status.text = "good";
    // The tests return results that the compiler would reject.
    else return (await reconcile(context)) as ReconcileResult;
    return undefined;
  });
  const world = await testOperator(
    operator({ name: "test", controllers: [widget] }),
    { api: api ?? new ModelApi(() => clock.wall()) },
    { clock },
  );
  await world.apply(Widget, "bad", { spec: { size: 1 } });
  await world.apply(Widget, "good", { spec: { size: 1 } });
  return Object.assign(world, {
    message: (name = "bad") => world.running.explain("widget", `default/${name}`).at(-1)?.message ?? "",
    runs: (name = "bad") => runs.get(name) ?? 0,
  });
}

for (const [what, args, message] of [
  ["nothing", ["c", undefined], /^Cannot write ConfigMap c: what it shall be is undefined\. Hand in an object\.$/u],
  ["null", ["c", null], /ConfigMap c: what it shall be is null/u],
  ["a list", ["c", []], /ConfigMap c: what it shall be is \[\]/u],
  ["no name", [undefined, {}], /^Cannot write a child of kind ConfigMap: its name is undefined\. Give it a name\.$/u],
  ["an empty name", ["", {}], /its name is ""/u],
  ["no metadata", ["c", { metadata: null }], /ConfigMap c: its metadata is null/u],
  [
    "a uid",
    ["c", { metadata: { uid: "u" } }],
    /ConfigMap c: its metadata has `uid`, which is the server's to say\. Leave/u,
  ],
  ["a version", ["c", { metadata: { resourceVersion: "7" } }], /has `resourceVersion`/u],
] as const) {
  test(`a child of ${what} is rejected with a message`, async () => {
    await using world = await worldWith(({ apply }) =>
      (apply as (...given: readonly unknown[]) => Promise<unknown>)(ConfigMap, ...args),
    );
    await world.settle({ failures: "expected" });
    assert.match(world.message(), message);
    await goesOn(world);
  });
}

test("a child without a kind is rejected with a message", async () => {
  await using world = await worldWith(({ apply }) =>
    (apply as (...given: readonly unknown[]) => Promise<unknown>)(undefined, "c", {}),
  );
  await world.settle({ failures: "expected" });
  assert.match(world.message(), /^Cannot write a child: its kind is undefined\. Hand in a kind\.$/u);
});

async function goesOn(world: TestWorld): Promise<void> {
  assert.equal((await world.get(Widget, "good"))?.status?.text, "good");
}

describe("a reconcile", () => {
  test("that throws is retried with backoff, and its status is written", async () => {
    await using world = await worldWith(({ status }) => {
      status.text = "half way";
      throw new Error("no database");
    });
    await world.advance("60s");
    assert.equal(world.message(), "no database");
    assert.ok(world.runs() > 5 && world.runs() < 20, `${world.runs()} runs`);
    assert.equal((await world.get(Widget, "bad"))?.status?.text, "half way");
    await goesOn(world);
  });

  test("that throws TerminalError waits until something changes", async () => {
    await using world = await worldWith(() => {
      throw new TerminalError("the name is taken");
    });
    await world.advance("1h");
    assert.equal(world.runs(), 1);
    await world.apply(Widget, "bad", { spec: { size: 2 } });
    await world.advance("1m");
    assert.equal(world.runs(), 2);
  });

  test("that returns a requeue is called again after that delay", async () => {
    await using world = await worldWith(() => requeue("1m", { reason: "waiting" }));
    await world.advance("10m30s");
    assert.equal(world.runs(), 11);
  });

  test("that hangs is aborted after its timeout, and cannot write any more", async () => {
    let late: unknown;
    let isFirst = true;
    const gate = Promise.withResolvers<void>();
    // It does not observe its signal; the reconciles after it never end.
    await using world = await worldWith(async ({ apply }) => {
      const until = isFirst ? gate.promise : new Promise(() => undefined);
      isFirst = false;
      await until;
      late = await apply(ConfigMap, "late", { data: {} }).catch((error: unknown) => error);
    });
    await world.advance("40s");
    assert.match(world.message(), /^Stopped waiting for the reconcile of widget default\/bad after 30 s\./u);
    assert.ok(world.runs() > 1, "it is tried again although the first reconcile still hangs");
    gate.resolve();
    await world.advance("1s");
    assert.ok(late instanceof Error);
    assert.equal(await world.get(ConfigMap, "late"), undefined);
    await goesOn(world);
  });

  test("that returns an invalid result fails with a message", async () => {
    await using world = await worldWith(() => ({ requeue: true }));
    await world.advance("1m");
    assert.equal(
      world.message(),
      'Cannot use what the reconcile returned (an object with requeue): return nothing when done, or requeue("5m", { reason: "..." }).',
    );
    assert.equal(world.runs(), 1);
    await goesOn(world);
  });

  for (const answer of [NaN, Infinity, -5, -0.5]) {
    test(`that requeues after ${answer} ms fails with a message, and others continue`, async () => {
      await using world = await worldWith(() => ({ requeue: answer, reason: "" }));
      await world.advance("1m");
      assert.match(world.message(), /^Cannot use what the reconcile returned \(an object with requeue, reason\)/u);
      assert.equal(world.runs(), 1);
      const good = world.runs("good");
      await world.apply(Widget, "good", { spec: { size: 2 } });
      await world.advance("1m");
      assert.ok(world.runs("good") > good);
      await goesOn(world);
    });
  }

  test("that mutates a cached object fails with a message and writes nothing", async () => {
    const mutations: readonly [string, (spec: { [field: string]: unknown }) => void][] = [
      ["spec.size", (spec) => (spec["size"] = 7)],
      ["spec.more", (spec) => (spec["more"] = 7)],
      ["spec.size", (spec) => delete spec["size"]],
    ];
    for (const [field, mutate] of mutations) {
      await using world = await worldWith(async ({ object, apply }) => {
        mutate(object.spec as { [field: string]: unknown });
        await apply(ConfigMap, "child", { data: { size: String(object.spec.size) } });
      });
      await world.advance("10m");
      const message = world.message();
      assert.ok(message.startsWith(`Cannot change ${field} of Widget default/bad, which was only`), message);
      assert.equal(world.runs(), 2, "the second reconcile knows what the first one did");
      assert.equal(await world.get(ConfigMap, "child"), undefined);
      await goesOn(world);
    }
  });

  test("that mutates an object from get fails with a message", async () => {
    await using world = await worldWith(async ({ object, apply, get }) => {
      await apply(ConfigMap, object.metadata.name, { data: { a: "b" } });
      const child = get(ConfigMap, object.metadata.name) as { data?: { [name: string]: string } };
      Object.assign(child.data ?? {}, { a: "c" });
    });
    await world.advance("10m");
    assert.match(world.message(), /^Cannot change data\.a of ConfigMap default\/bad, which was only to be read/u);
  });

  test("that mutates its own frozen object fails like any other error", async () => {
    const own: { size: number } = Object.freeze({ size: 1 });
    await using world = await worldWith(({ object }) => {
      own.size = object.spec.size;
    });
    await world.advance("1m");
    assert.ok(world.runs() > 2, "it is tried again");
    assert.doesNotMatch(world.message(), /only to be read/u);
  });

  test("that uses an undeclared kind fails with the place to declare it", async () => {
    await using world = await worldWith(async ({ apply }) => {
      await (apply as unknown as (kind: unknown, name: string, desired: object) => Promise<void>)(Secret, "x", {});
    });
    await world.advance("1s");
    assert.equal(world.message(), 'Controller "widget" cannot use Secret: it was not declared. Add it to `owns`.');
  });

  test("is not called while its object is paused", async () => {
    await using world = await worldWith(() => undefined);
    await world.settle();
    const before = world.runs();
    await world.apply(Widget, "bad", { metadata: { annotations: { "capstan.dev/pause": "true" } }, spec: { size: 5 } });
    await world.settle();
    assert.equal(world.runs(), before);
    const events = (await world.list(Event)) as readonly { readonly reason?: string }[];
    assert.ok(events.some(({ reason }) => reason === "Paused"));
    const paused = (await world.get(Widget, "bad"))?.status?.conditions ?? [];
    assert.deepEqual(
      paused.map(({ type, status, message }) => [type, status, message]),
      [
        [
          "Paused",
          "True",
          "Every controller leaves this object alone until the annotation capstan.dev/pause is taken away",
        ],
      ],
    );
    await world.apply(Widget, "bad", { spec: { size: 5 } });
    await world.settle();
    assert.equal(world.runs(), before + 1);
    assert.deepEqual((await world.get(Widget, "bad"))?.status?.conditions ?? [], []);
  });

  test("is called despite a pause annotation with an unknown name, with an event", async () => {
    await using world = await worldWith(() => undefined);
    await world.settle();
    const before = world.runs();
    await world.apply(Widget, "bad", { metadata: { annotations: { "capstan.dev/pause": "ture" } }, spec: { size: 5 } });
    await world.settle();
    assert.equal(world.runs(), before + 1);
    const events = (await world.list(Event)) as readonly { readonly reason?: string; readonly type?: string }[];
    assert.ok(events.some(({ reason, type }) => reason === "PauseNamesNobody" && type === "Warning"));
  });
});

for (const [odd, name] of [
  [Number.NaN, "NaN"],
  [-1 / 0, "-Infinity"],
  [1n, "a bigint"],
  [() => 1, "a function"],
] as const) {
  test(`${name} in a child or in the status is rejected and not sent`, async () => {
    await using world = await worldWith(async ({ apply, object, status }) => {
      if (object.spec.size === 1) await apply(ConfigMap, "x", { data: { good: "1", "bad.one": [odd] as never } });
      else status.text = odd as never;
    });
    await world.advance("10m");
    assert.match(
      world.message(),
      new RegExp(`Cannot write ConfigMap default/x: data\\["bad.one"\\]\\[0\\] is ${name}, `, "u"),
    );
    assert.equal(world.runs(), 1, "until somebody changes something");
    await world.apply(Widget, "bad", { spec: { size: 2 } });
    await world.advance("10m");
    assert.match(world.message(), new RegExp(`the status of Widget default/bad: status.text is ${name}, `, "u"));
    await goesOn(world);
  });
}

test("a stored object that violates its schema is skipped, with the field named", async () => {
  await using world = await worldWith(() => undefined);
  // The model stores anything, like a server with a wider schema before.
  await world.apply(Widget, "odd", { spec: { size: "many" } } as never);
  await world.advance("1h");
  assert.match(
    world.message("odd"),
    /^Cannot work on Widget default\/odd: spec\.size: Invalid value: .*\. Correct the object\.$/u,
  );
  assert.equal(world.running.explain("widget", "default/odd").length, 1);
  await goesOn(world);
});

describe("a server", () => {
  test("that forbids a write leads to a message with the missing rule", async () => {
    await using world = await worldWith(async ({ object, apply }) => {
      await apply(ConfigMap, "x", { data: { size: String(object.spec.size) } });
    });
    const attempt = {
      verb: "apply",
      group: "",
      version: "v1",
      kind: "ConfigMap",
      plural: "configmaps",
      name: "x",
    } as const;
    world.inject(({ verb }) =>
      verb === "apply" ? { fault: "refuse", error: new ForbiddenError({ attempt, why: "no permission" }) } : undefined,
    );
    await world.apply(Widget, "bad", { spec: { size: 2 } });
    await world.advance("1m");
    assert.match(world.message(), /resources: \["configmaps"\]\n {2}verbs: \["create", "patch"\]/u);
    await goesOn(world);
  });

  test("that does not serve a kind yet is polled, and a recreated kind is followed", async () => {
    const clock = new VirtualClock();
    const api = new ModelApi(() => clock.wall());
    const controllers = [controller(Widget, {}, ({ status }) => void (status.text = "seen"))];
    api.missing.add("Widget");
    await using world = await testOperator(operator({ name: "test", controllers }), { api }, { clock });
    await world.advance("1m");
    assert.deepEqual(
      world.running.health.map(({ isSynced }) => isSynced),
      [false],
    );
    api.missing.clear();
    await world.apply(Widget, "w", { spec: { size: 1 } });
    await world.settle();
    assert.equal((await world.get(Widget, "w"))?.status?.text, "seen");
    api.missing.add("Widget");
    api.closeWatches();
    await world.advance("1m");
    assert.deepEqual(
      world.running.health.map(({ isSynced, objects }) => [isSynced, objects]),
      [[false, 0]],
    );
    api.missing.clear();
    await world.settle();
    assert.deepEqual(
      world.running.health.map(({ isSynced, objects }) => [isSynced, objects]),
      [[true, 1]],
    );
  });

  const attempt = { verb: "watch", group: "", version: "v1", kind: "ConfigMap", plural: "configmaps" } as const;
  const lasting = {
    "that forbids a watch": new ForbiddenError({ attempt, why: "no permission" }),
    "that does not accept credentials any more": new ApiError({ code: "Unauthorized", message: "Log in again." }),
    "that lost a CRD": new ApiError({ code: "UnknownKind", message: "Install the CRD." }),
  };
  for (const [title, error] of Object.entries(lasting)) {
    test(`${title} is logged once with a fix, and so is its end`, async () => {
      const clock = new VirtualClock();
      const api = new ModelApi(() => clock.wall());
      const told: string[] = [];
      // The leader message does not count.
      const tell = (message: string): void => void (message.startsWith("leads: ") || told.push(message));
      const log = { ...silentLog, warn: tell, info: tell };
      const controllers = [controller(Widget, { reads: [ConfigMap] }, () => undefined)];
      await using world = await testOperator(operator({ name: "test", controllers }), { api }, { clock, log });
      await world.settle();
      assert.deepEqual(told, [], "nothing is wrong");
      const end = world.inject(({ verb, kind }) =>
        verb === "watch" && kind.kind === "ConfigMap" ? { fault: "refuse", error } : undefined,
      );
      api.closeWatches();
      await world.advance("5m");
      assert.deepEqual(told, [`cannot watch configmaps, and goes on trying: ${error.message}`]);
      end();
      await world.advance("1m");
      api.bookmark();
      await world.advance("1s");
      assert.deepEqual(told.slice(1), ["watches configmaps again"]);
    });
  }

  test("that fails once is not logged, one that keeps failing is", async () => {
    const clock = new VirtualClock();
    const api = new ModelApi(() => clock.wall());
    const told: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void told.push(message) };
    const controllers = [controller(Widget, {}, () => undefined)];
    await using world = await testOperator(operator({ name: "test", controllers }), { api }, { clock, log });
    await world.settle();
    api.closeWatches(errors.connectionLost());
    await world.advance("1m");
    assert.deepEqual(told, []);
    world.inject(({ verb }) => (verb === "watch" ? { fault: "refuse", error: errors.internal() } : undefined));
    api.closeWatches(errors.internal());
    await world.advance("5m");
    assert.deepEqual(told, ["cannot watch widgets, and goes on trying: Internal error."]);
  });

  test("without streaming lists is read page by page", async () => {
    const clock = new VirtualClock();
    const api = new ModelApi(() => clock.wall());
    api.streaming = false;
    await using world = await worldWith(() => undefined, api);
    await world.settle();
    await goesOn(world);
  });
});

test("the error for an invalid duration shows the format", () => {
  assert.equal(toMilliseconds("1h30m"), 5_400_000);
  assert.throws(() => toMilliseconds("soon"), { code: "BadSetting", message: /Cannot read "soon" as a duration/u });
});

test("invalid numbers are rejected where they are declared", () => {
  const curve = { first: 5, longest: 1_000, factor: 2 };
  const refused: readonly [ControllerOptions<typeof Widget, readonly [], readonly []>, RegExp][] = [
    [{ timeout: 0 }, /^Cannot use 0 as the `timeout` of controller "widget": use 1 milliseconds or more\.$/u],
    [{ timeout: NaN }, /^Cannot read "NaN" as a duration/u],
    [{ maxAttempts: 0.5 }, /`maxAttempts`/u],
    [{ concurrency: NaN }, /`concurrency`/u],
    [
      { rate: { perSecond: 0, burst: 0 } },
      /^Cannot use \{"perSecond":0,"burst":0\} as the `rate` of controller "widget": use/u,
    ],
    [{ rate: { perSecond: NaN, burst: 1 } }, /`rate`/u],
    [{ rate: { perSecond: 1, burst: 0.5 } }, /`rate`/u],
    [{ backoff: { error: { ...curve, first: NaN } } }, /`backoff` of controller "widget" for "error"/u],
    [{ backoff: { conflict: { ...curve, first: 0 } } }, /for "conflict"/u],
    [{ backoff: { rejected: { ...curve, longest: 1 } } }, /for "rejected"/u],
    [{ backoff: { throttled: { ...curve, factor: 0.5 } } }, /for "throttled"/u],
    [{ backoff: { error: { first: 1, longest: 2 } as typeof curve } }, /for "error"/u],
    [{ hotLoopLimit: { writes: 0, within: 60_000 } }, /`hotLoopLimit`/u],
  ];
  for (const [options, message] of refused)
    assert.throws(() => controller(Widget, options, () => undefined), { code: "BadSetting", message });
  for (const period of [0, NaN, -1, "0s", "99ms"] as const)
    assert.throws(() => every(period), { code: "BadSetting", message: /duration|period of `every`/u });
  assert.deepEqual(every("5m"), { type: "every", name: "every 5m", period: 300_000 });
  assert.deepEqual(every("5m", { name: "poll" }), { type: "every", name: "poll", period: 300_000 });
});

test("an error in a declaration points to the line of the user", () => {
  const mistakes = [
    () => controller(Widget, { concurrency: 0 }, () => undefined),
    () => controller(Widget, { timeout: "soon" as "1s" }, () => undefined),
    () => every(0),
    () => operator({ name: "test", controllers: [], version: "latest" }),
  ];
  for (const mistake of mistakes) {
    assert.throws(mistake, (error) => {
      assert.ok(error instanceof RuntimeError && error.code === "BadSetting");
      const [, place = ""] = error.stack?.split("\n    at ") ?? [];
      assert.match(place, /\/bad-input\.test\.ts:\d+:\d+\)?$/u);
      return true;
    });
  }
});

test("duplicate controller names and zero concurrency are rejected", () => {
  const one = controller(Widget, {}, () => undefined);
  const api = new ModelApi();
  assert.throws(() => operator({ name: "test", controllers: [one, one] }).start({ api }), { code: "BadSetting" });
  assert.throws(() => controller(Widget, { concurrency: 0 }, () => undefined), { code: "BadSetting" });
});
