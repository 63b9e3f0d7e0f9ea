/** Writes with preconditions, against the embedded and the real API server: a new object of the same name is not touched. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, loadConfig, processHost } from "@capstan/client";
import { ConfigMap, Service } from "@capstan/kinds/v1";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import type { StoredObject } from "@capstan/model";
import type { Api, Expected } from "../../src/api.ts";
import { apiOf } from "../../src/client-api.ts";
import { systemClock } from "../../src/clock.ts";
import { controller } from "../../src/define.ts";
import { failureOf } from "../../src/failure.ts";
import { installCrds } from "../../src/crds/crds.ts";
import { Widget } from "./world.ts";

interface Stage {
  readonly namespace: string;
  readonly api: Api;
}

async function onEmbedded(): Promise<Stage> {
  return await prepared({ api: apiOf(createClient(inProcess((await startApiServer()).fetch))), namespace: "default" });
}

async function onReal(t: TestContext): Promise<Stage> {
  const { kubeconfig, namespace } = await useKubernetes(t);
  const client = createClient(await loadConfig(processHost(), { kubeconfig }));
  t.after(() => client.close());
  return await prepared({ api: apiOf(client), namespace });
}

async function prepared(stage: Stage): Promise<Stage> {
  const widget = controller(Widget, {}, () => undefined);
  await installCrds([widget], { api: stage.api, clock: systemClock, manager: "test" });
  return stage;
}

const portOf = (port: number): object => ({ ports: [{ port }] });

function tell(where: string, setStage: (t: TestContext) => Promise<Stage>, skip: string | false): void {
  describe(`on ${where}`, { skip }, () => {
    test("a write with the uid or version of a deleted object does not reach its successor", async (t) => {
      const { api, namespace } = await setStage(t);
      const key = { namespace, name: "namesake" };
      const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: key, spec: {} };
      const { uid, resourceVersion } = (await api.create(Widget, object, { manager: "user" })).metadata;
      await api.delete(Widget, key, {});
      await api.create(Widget, object, { manager: "user" });
      const by = { type: "merge", manager: "operator" } as const;
      const annotations = { steps: "of another" };
      const toObject = await api
        .patch(Widget, key, { metadata: { uid, annotations } }, by)
        .catch((error: unknown) => error);
      assert.equal(failureOf(toObject), "conflict");
      // The uid alone is not enough here: the server ignores the metadata in a patch of the status.
      const status = { metadata: { uid, resourceVersion }, status: { text: "of another" } };
      await assert.rejects(api.patch(Widget, key, status, { ...by, subresource: "status" }), { code: "Conflict" });
      const now = (await api.get(Widget, key)) as StoredObject & { readonly status?: unknown };
      assert.deepEqual([now.metadata.annotations, now.status], [undefined, undefined]);
    });

    test("an apply succeeds only if its precondition holds", async (t) => {
      const { api, namespace } = await setStage(t);
      const by = { manager: "operator", force: true };
      const kinds = [
        { kind: Widget, apiVersion: "example.com/v1", first: { spec: { size: 1 } }, second: { spec: { size: 2 } } },
        { kind: ConfigMap, apiVersion: "v1", first: { data: { size: "1" } }, second: { data: { size: "2" } } },
        { kind: Service, apiVersion: "v1", first: { spec: portOf(1) }, second: { spec: portOf(2) } },
      ];
      for (const { kind, apiVersion, first, second } of kinds) {
        const key = { namespace, name: "expected" };
        const object = { apiVersion, kind: kind.kind, metadata: key };
        const refused = async (over: Expected): Promise<void> => {
          const before = await api.get(kind, key).catch(() => undefined);
          const error = await api
            .apply(kind, { ...object, ...second }, { ...by, over })
            .catch((thrown: unknown) => thrown);
          assert.equal(failureOf(error), "conflict", `${kind.kind} over ${JSON.stringify(over)}: ${String(error)}`);
          assert.deepEqual(await api.get(kind, key).catch(() => undefined), before);
        };
        await refused({ uid: "00000000-0000-4000-8000-000000000000" });
        const { uid, resourceVersion } = (await api.apply(kind, { ...object, ...first }, { ...by, over: "nothing" }))
          .metadata;
        await refused("nothing");
        await refused({ uid: "00000000-0000-4000-8000-000000000000" });
        const next = await api.apply(kind, { ...object, ...second }, { ...by, over: { uid } });
        assert.deepEqual([next.metadata.uid, next.metadata.managedFields?.length], [uid, 1]);
        await refused({ resourceVersion });
        await api.apply(
          kind,
          { ...object, ...first },
          { ...by, over: { resourceVersion: next.metadata.resourceVersion } },
        );
        await api.delete(kind, key, { uid });
      }
    });
  });
}

tell("the embedded API server", onEmbedded, false);
tell("the real API server", onReal, kubernetesMissing());
