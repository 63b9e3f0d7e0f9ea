/** A plan tells the whole truth: what would be written, what cannot be known, and who is left alone. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess } from "@capstan/client";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import { apiOf } from "../src/client-api.ts";
import type { Api } from "../src/api.ts";
import { controller } from "../src/define.ts";
import { silentLog } from "../src/log.ts";
import { formatPlan } from "../src/manager/plan.ts";
import type { Plan } from "../src/manager/plan.ts";
import { operator } from "../src/operator.ts";
import { PAUSE_ANNOTATION } from "../src/reconcile/pause.ts";
import { VirtualClock } from "../src/testing/index.ts";
import { failure } from "./model-api.ts";

const app = operator({
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
    const annotations = name === "resting" ? { [PAUSE_ANNOTATION]: "true" } : {};
    await api.create(
      ConfigMap,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name, annotations } },
      { manager: "test" },
    );
  }
  return api;
}

const planned = (api: Api): Promise<Plan> => app.plan({ api, log: silentLog, namespaces: ["default"] });

describe("a plan", () => {
  test("names objects whose reconcile fails, and why", async () => {
    const plan = await planned(await serve("good", "broken"));
    assert.deepEqual(plan.failures, [{ controller: "signs", key: "default/broken", message: "my own mistake" }]);
    const text = formatPlan(plan);
    assert.match(text, /^apply Secret default\/good \(signs\)\n/);
    assert.match(text, /failed default\/broken \(signs\): my own mistake\n$/);
  });

  test("names objects that are paused instead of passing over them", async () => {
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

  test("ends with what keeps a watch from its objects", async () => {
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
});
