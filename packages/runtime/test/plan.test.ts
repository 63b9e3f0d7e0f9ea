/** A plan is complete: planned writes, unknown writes, and paused objects. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess } from "@capstan/client";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import { apiOf } from "../src/client-api.ts";
import type { Api } from "../src/api.ts";
import { controller } from "../src/define.ts";
import { silentLog } from "../src/log.ts";
import { formatPlan } from "../src/plan/plan.ts";
import type { Plan } from "../src/plan/plan.ts";
import { operator } from "../src/operator.ts";
import { pauseAnnotation } from "../src/reconcile/pause.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { stepsAnnotation } from "../src/reconcile/steps.ts";
import { sha256 } from "../src/apply/digest.ts";
import { stream } from "../src/trigger/source.ts";
import { VirtualClock } from "../src/testing/index.ts";
import { failure } from "./model-api.ts";

const app = operator({
  name: "test",
  controllers: [
    controller(ConfigMap, { name: "signs", owns: [Secret] }, async ({ object, apply }) => {
      if (object.metadata.name === "broken") throw new Error("my own mistake");
      if (object.metadata.name !== "kube-root-ca.crt") await apply(Secret, object.metadata.name, { data: {} });
    }),
  ],
});

async function serve(...names: readonly string[]): Promise<Api> {
  const api = apiOf(createClient(inProcess((await startApiServer()).fetch)));
  for (const name of names) {
    const annotations = name === "resting" ? { [pauseAnnotation]: "true" } : {};
    await api.create(
      ConfigMap,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name, annotations } },
      { manager: "test" },
    );
  }
  return api;
}

/** An object that is being deleted and waits for its cleanup. */
async function leave(api: Api, name: string, finalizer: string): Promise<void> {
  const key = { namespace: "default", name };
  await api.patch(ConfigMap, key, { metadata: { finalizers: [finalizer] } }, { type: "merge", manager: "test" });
  await api.delete(ConfigMap, key, {});
}

/** An object with a step "pay" that an earlier reconcile has completed. */
async function payFor(api: Api, name: string): Promise<void> {
  const steps = { pay: { input: sha256("null", "base64url").slice(0, 16), state: "done", result: "a receipt" } };
  const metadata = { annotations: { [stepsAnnotation("bank-pay")]: JSON.stringify(steps) } };
  await api.patch(ConfigMap, { namespace: "default", name }, { metadata }, { type: "merge", manager: "test" });
}

const planned = (api: Api): Promise<Plan> => app.plan({ api, log: silentLog, namespaces: ["default"] });

describe("a plan", () => {
  test("names objects with a failing reconcile, and why", async () => {
    const plan = await planned(await serve("good", "broken"));
    assert.deepEqual(plan.failures, [{ controller: "signs", key: "default/broken", message: "my own mistake" }]);
    const text = formatPlan(plan);
    assert.match(text, /^apply Secret default\/good \(signs\)\n/);
    assert.match(text, /failed default\/broken \(signs\): my own mistake\n$/);
  });

  test("shows that a Secret changes, without its values", async () => {
    const api = await serve("good", "changed");
    const by = { manager: "test" };
    const secret = (name: string, data: object): object => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "default", name, labels: { seen: "by-all" } },
      data,
    });
    const before = Buffer.from("hunter2").toString("base64");
    const after = Buffer.from("correct horse").toString("base64");
    await api.create(Secret, secret("mine", { password: before, user: before }) as never, by);
    const keeper = controller(ConfigMap, { name: "keep", owns: [Secret] }, async ({ object, apply }) => {
      const { name } = object.metadata;
      if (name === "good") await apply(Secret, "fresh", { data: { password: after }, type: "Opaque" });
      if (name === "changed") await apply(Secret, "mine", { data: { password: after } }, { adopt: true });
    });
    const options = { api, log: silentLog, namespaces: ["default"] };
    const plan = await operator({ name: "keeper", controllers: [keeper] }).plan(options);
    const text = formatPlan(plan);
    for (const whole of [text, JSON.stringify(plan)]) {
      assert.doesNotMatch(whole, new RegExp([before, after].join("|"), "u"));
    }
    assert.match(text, /apply Secret default\/fresh \(keep\)\n(?: .*\n)*? {2}\+ data\.password: "\*\*\*"\n/u);
    assert.match(text, /data\.password: "\*\*\* \(before\)" -> "\*\*\* \(after\)"\n/u);
    assert.match(text, /\+ type: "Opaque"\n/u, "what is no secret is told");
  });

  test("lists a write once, however often its object is retried meanwhile", async () => {
    const api = await serve("slow", "again");
    const tries = { count: 0 };
    const enough = Promise.withResolvers<void>();
    const halting = controller(ConfigMap, { name: "halt", owns: [Secret] }, async ({ object, apply }) => {
      if (object.metadata.name === "slow") await enough.promise;
      if (object.metadata.name !== "again") return;
      await apply(Secret, "once", { data: {} });
      if (++tries.count > 2) enough.resolve();
      throw new Error("not yet");
    });
    const options = { api, log: silentLog, namespaces: ["default"] };
    const plan = await operator({ name: "halt", controllers: [halting] }).plan(options);
    assert.ok(tries.count > 2);
    assert.deepEqual(
      plan.writes.map(({ verb, key }) => `${verb} ${key}`),
      ["apply default/once"],
    );
  });

  test("lists paused objects instead of skipping them silently", async () => {
    const plan = await planned(await serve("resting"));
    assert.deepEqual(
      plan.paused.map(({ key }) => key),
      ["default/resting"],
    );
    assert.match(
      formatPlan(plan),
      /^Nothing would be written\.\n\npaused default\/resting: signs leaves this object alone/,
    );
  });

  test("runs no side effects that a dry run cannot prevent, and lists them", async () => {
    const api = await serve("paying", "paid", "leaving");
    const real: string[] = [];
    const acting = controller(
      ConfigMap,
      {
        name: "pay",
        owns: [Secret],
        sources: [stream(() => (real.push("source"), ReadableStream.from([])))],
        cleanup: () => void real.push("cleanup"),
        daemon: () => void real.push("daemon"),
      },
      async ({ object, step, apply, event }) => {
        const { name } = object.metadata;
        if (name === "kube-root-ca.crt") return;
        const receipt = await step("pay", () => (real.push(`paid for ${name}`), "a receipt")).catch(() => "nothing");
        event("Normal", "Paid", "with money");
        await apply(Secret, name, { stringData: { receipt } });
      },
    );
    const paying = operator({ name: "bank", controllers: [acting] });
    await leave(api, "leaving", "capstan.dev/bank-pay");
    await payFor(api, "paid");
    const plan = await paying.plan({ api, log: silentLog, namespaces: ["default"] });
    assert.deepEqual(real, []);
    assert.deepEqual(plan.stopped.map(({ key, message }) => `${key}: ${message}`).toSorted(), [
      "default/leaving: run the cleanup",
      'default/paying: run the step "pay"',
    ]);
    const secrets = plan.writes.filter(({ kind }) => kind === "Secret");
    assert.deepEqual(
      secrets.map(({ key }) => key),
      ["default/paid"],
      "a step with a result gives it",
    );
    assert.deepEqual(plan.failures, []);
    assert.match(
      formatPlan(plan),
      /what follows is not known:\n(?:.*\n)*would run the step "pay" for default\/paying \(pay\)\n/,
    );
  });

  test("lists decisions and acts on none of them", async () => {
    const acts: string[] = [];
    const deciding = controller(
      ConfigMap,
      { name: "members" },
      {
        observe: ({ object }) => object.metadata.name,
        decide: (name: string) => ({ do: "remove", name }) as const,
        act: { remove: ({ action }) => void acts.push(action.name) },
      },
    );
    const plan = await operator({ name: "test", controllers: [deciding] }).plan({
      api: await serve("one"),
      log: silentLog,
    });
    assert.deepEqual(acts, []);
    const told = plan.stopped.find(({ key }) => key === "default/one");
    assert.equal(told?.message, 'act on {"do":"remove","name":"one"}');
  });

  test("ends although objects requeue again and again", async () => {
    let reconciles = 0;
    const restless = controller(ConfigMap, { name: "restless" }, () => (reconciles++, requeue(1, { reason: "soon" })));
    const options = { api: await serve("one"), log: silentLog, namespaces: ["default"] };
    assert.deepEqual((await operator({ name: "test", controllers: [restless] }).plan(options)).writes, []);
    assert.equal(reconciles, 1, "each object has one reconcile");
  });

  test("ends with the error of a watch that cannot list", async () => {
    const api = await serve();
    const refused = (): never => {
      throw failure("Forbidden", "configmaps is forbidden", 403);
    };
    const clock = new VirtualClock();
    const planning = app.plan({ api: { ...api, watch: refused, list: refused }, log: silentLog, clock });
    const ending = assert.rejects(planning, {
      code: "NotSynced",
      message: /ConfigMap cannot be watched.*configmaps is forbidden/,
    });
    for (let second = 0; second < 30; second++) await clock.advance(1000);
    await ending;
  });

  test("of a controller that was renamed shows the fields that it releases", async () => {
    const api = await serve("one");
    const named = (
      options: { name: string; previousNames?: readonly string[] },
      data: { readonly [key: string]: string },
    ) =>
      operator({
        name: "test",
        controllers: [
          controller(ConfigMap, { ...options, owns: [Secret] }, async ({ object, apply }) => {
            if (object.metadata.name === "one") await apply(Secret, "one", { data });
          }),
        ],
      });
    const options = { api, log: silentLog, namespaces: ["default"] };
    const clock = new VirtualClock();
    const before = named({ name: "old" }, { a: "QQ==", b: "Qg==" }).start({ ...options, clock });
    await clock.advance(1000);
    await before.stop();
    const { writes } = await named({ name: "new", previousNames: ["old"] }, { a: "QQ==" }).plan(options);
    assert.deepEqual(
      writes.map(({ verb, kind, key, changes }) => [verb, kind, key, changes]),
      [["apply", "Secret", "default/one", [{ path: "data.b", from: "***", to: undefined }]]],
    );
    const { data } = (await api.get(Secret, { namespace: "default", name: "one" })) as { readonly data?: object };
    assert.deepEqual(data, { a: "QQ==", b: "Qg==" }, "nothing was written");
  });
});
