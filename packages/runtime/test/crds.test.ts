/** CRDs are never downgraded, in whatever order replicas of an operator start: on the embedded and on the real API server. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, loadConfig, processHost } from "@capstan/client";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { defineResource, s } from "@capstan/schema";
import type { Api } from "../src/api.ts";
import { apiOf } from "../src/client-api.ts";
import { systemClock } from "../src/clock.ts";
import { controller } from "../src/define.ts";
import type { Controller } from "../src/define.ts";
import { CustomResourceDefinition, installCrds } from "../src/crds/crds.ts";
import { operator } from "../src/operator.ts";

interface Stage {
  readonly api: Api;
  /** A group that no other test uses. */
  readonly group: string;
}

type SetStage = (t: TestContext) => Promise<Stage>;

async function onEmbedded(): Promise<Stage> {
  return { api: apiOf(createClient(inProcess((await startApiServer()).fetch))), group: "crds.example.com" };
}

async function onReal(t: TestContext): Promise<Stage> {
  const { kubeconfig, namespace } = await useKubernetes(t);
  const client = createClient(await loadConfig(processHost(), { kubeconfig }));
  const group = `${namespace}.crds.example.com`;
  const api = apiOf(client);
  t.after(async () => {
    await api.delete(CustomResourceDefinition, { namespace: "", name: `things.${group}` }, {});
    await client.close();
  });
  return { api, group };
}

/** An operator of some version: each has one more field than the one before. */
function program(group: string, fields: number): Controller {
  const spec = s.object({ text: s.string().default(""), ...Object.fromEntries(fieldsOf(fields)) });
  return controller(defineResource({ group, version: "v1", kind: "Thing", spec }), {}, () => undefined);
}

const fieldsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => [`field${at}`, s.string().optional()] as const);

/** A cluster, and the log messages of operators that start on it. */
class Cluster {
  readonly told: string[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async start(fields: number, more: { readonly version?: string; readonly backwards?: boolean } = {}): Promise<void> {
    const { api, group } = this.#stage;
    const log = { warn: (message: string) => void this.told.push(message) };
    await installCrds([program(group, fields)], { api, clock: systemClock, manager: "thing", log, ...more });
  }

  /** The number of fields in the schema besides the first. */
  async fields(): Promise<number> {
    const crd = (await this.crd()) as unknown as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: object } } } } }[] };
    };
    const [version] = crd.spec.versions;
    return Object.keys(version?.schema.openAPIV3Schema.properties.spec.properties ?? {}).length - 1;
  }

  crd(): ReturnType<Api["get"]> {
    return this.#stage.api.get(CustomResourceDefinition, { namespace: "", name: `things.${this.#stage.group}` });
  }
}

function tell(where: string, setStage: SetStage, skip: string | false): void {
  describe(`on ${where}`, { skip }, () => {
    test("an older replica that restarts keeps the schema of a newer one, and logs it", async (t) => {
      const cluster = new Cluster(await setStage(t));
      await cluster.start(1, { version: "1.0.0" });
      await cluster.start(2, { version: "1.1.0" });
      assert.deepEqual([await cluster.fields(), cluster.told], [2, []]);
      const { resourceVersion } = (await cluster.crd()).metadata;
      await cluster.start(1, { version: "1.0.0" });
      assert.equal((await cluster.crd()).metadata.resourceVersion, resourceVersion, "nothing was written");
      assert.equal(cluster.told.length, 1);
      assert.match(
        cluster.told[0] ?? "",
        /^left the CRD things\..*example\.com as it is: version 1\.1\.0 of the operator has applied it\. .*--install-crds=force\.$/u,
      );
      await cluster.start(3, { version: "1.2.0" });
      assert.equal(await cluster.fields(), 3);
    });

    test("without versions, a replaced definition is not applied again, a new one is", async (t) => {
      const cluster = new Cluster(await setStage(t));
      for (const fields of [1, 2]) await cluster.start(fields);
      await cluster.start(1);
      assert.equal(await cluster.fields(), 2);
      assert.match(
        cluster.told.join("\n"),
        /^left the CRD .* it has taken the place of the definition that this operator has\./u,
      );
      // A definition with fewer fields is not older because of that.
      await cluster.start(0);
      assert.equal(await cluster.fields(), 0);
    });

    test("with force it downgrades", async (t) => {
      const cluster = new Cluster(await setStage(t));
      await cluster.start(2, { version: "2.0.0" });
      await cluster.start(1, { version: "1.0.0", backwards: true });
      assert.deepEqual([await cluster.fields(), cluster.told], [1, []]);
      await cluster.start(1, { version: "1.0.0" });
      assert.deepEqual(cluster.told, []);
    });

    test("a CRD that was installed by hand is upgraded, and a restart changes nothing", async (t) => {
      const stage = await setStage(t);
      const cluster = new Cluster(stage);
      const { kind } = program(stage.group, 1);
      await stage.api.create(CustomResourceDefinition, (kind as unknown as { toCrd(): never }).toCrd(), {
        manager: "hand",
      });
      await cluster.start(2, { version: "1.0.0" });
      assert.equal(await cluster.fields(), 2);
      const { generation } = (await cluster.crd()).metadata;
      await cluster.start(2, { version: "1.0.0" });
      assert.deepEqual([(await cluster.crd()).metadata.generation, cluster.told], [generation, []]);
    });

    test("of replicas that start at the same moment the newest wins", async (t) => {
      const cluster = new Cluster(await setStage(t));
      const versions = [3, 1, 4, 1, 5, 2, 5, 3];
      await Promise.all(versions.map((version) => cluster.start(version, { version: `1.${version}.0` })));
      assert.equal(await cluster.fields(), 5);
      assert.equal((await cluster.crd()).metadata.annotations?.["capstan.dev/operator-version"], "1.5.0");
    });
  });
}

tell("the embedded API server", onEmbedded, false);
tell("the real API server", onReal, kubernetesMissing());

test("an invalid version is rejected when an operator is defined", () => {
  for (const version of ["latest", "v1.0.0", "1.0", ""])
    assert.throws(() => operator({ name: "test", controllers: [], version }), {
      code: "BadSetting",
      message: /write one such as 1\.2\.3/u,
    });
  assert.equal(operator({ name: "test", controllers: [], version: "1.0.0-rc.1" }).definition.version, "1.0.0-rc.1");
});
