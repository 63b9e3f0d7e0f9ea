/** Webhooks on a real kube-apiserver: what it sends is understood, what is answered it understands, and certificates change under it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { createClient, isApiError, loadConfig, processHost } from "@capstan/client";
import type { ApiWarning } from "@capstan/client";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { defineResource, s } from "@capstan/schema";
import type { Resource } from "@capstan/schema";
import type { Api } from "../src/api.ts";
import { apiOf } from "../src/client-api.ts";
import { sleep, systemClock } from "../src/clock.ts";
import type { Clock } from "../src/clock.ts";
import { controller } from "../src/define.ts";
import { silentLog } from "../src/log.ts";
import { installCrds } from "../src/manager/crds.ts";
import { Registry } from "../src/manager/registry.ts";
import { httpsDoor } from "../src/webhook/https.ts";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../src/webhook/registration.ts";
import { openWebhooks } from "../src/webhook/webhooks.ts";
import type { Webhooks } from "../src/webhook/webhooks.ts";

const skip = kubernetesMissing();

/** Two versions that spell the size differently, and functions for what a schema cannot say. */
const Volume = defineResource({
  group: "webhooks.example.com",
  kind: "Volume",
  versions: {
    v1: { spec: s.object({ gigabytes: s.int32().default(1), profile: s.string().optional() }) },
    v2: {
      spec: s.object({ size: s.string(), profile: s.string().optional() }),
      status: s.object({ used: s.int32() }),
      storage: true,
    },
  },
  convert: {
    "v1->v2": ({ gigabytes, ...rest }) => {
      if (gigabytes === 13) throw new Error("unlucky");
      return { ...rest, size: `${gigabytes}Gi` };
    },
    "v2->v1": ({ size, ...rest }) => ({ ...rest, gigabytes: Number.parseInt(size, 10) }),
  },
  default: (draft) => {
    draft.spec.profile ??= "small";
    draft.metadata.labels = { ...draft.metadata.labels, "example.com/completed": "yes" };
  },
  validate: ({ object, old, operation, reject, warn }) => {
    const sizeOf = (volume: typeof object): number => Number.parseInt(volume.spec.size, 10);
    if (old !== undefined && sizeOf(object) < sizeOf(old)) reject("spec.size", "cannot shrink: the volume holds data");
    if (operation === "delete" && object.metadata.labels?.["keep"] === "yes")
      reject("metadata.labels[keep]", "is kept");
    if (object.spec.profile === "old") warn("the profile old is going away");
    if (object.spec.profile === "broken") throw new Error("a bug");
  },
});
const volume = controller(Volume, {}, () => undefined);

interface Stage {
  readonly api: Api;
  readonly namespace: string;
  readonly ownNamespace: string;
  readonly webhooks: Webhooks;
  readonly registry: Registry;
  readonly warnings: ApiWarning[];
  /** Waits for the API server to have learned of something. */
  until(holds: () => Promise<boolean>, what: string): Promise<void>;
  write(version: "v1" | "v2", name: string, spec: object, metadata?: object): Promise<unknown>;
}

async function stage(t: TestContext, clock: Clock = systemClock): Promise<Stage> {
  const cluster = await useKubernetes(t);
  const warnings: ApiWarning[] = [];
  const client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }), {
    onWarning: (warning) => warnings.push(warning),
  });
  const api = apiOf(client);
  const registry = new Registry();
  const ownNamespace = `${cluster.namespace}-operator`;
  const Namespace = { group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" } as const;
  const own = { apiVersion: "v1", kind: "Namespace", metadata: { name: ownNamespace } };
  await api.create(Namespace, own, { manager: "test" });
  const webhooks = await openWebhooks({
    resources: [Volume as unknown as Resource],
    api,
    clock,
    log: silentLog,
    registry,
    name: "volumes",
    namespace: ownNamespace,
    door: httpsDoor(async (server) => {
      const { host, port } = await cluster.listen(server);
      return { by: "url", url: `https://${host}:${port}` };
    }),
  });
  await installCrds([volume], {
    api,
    clock: systemClock,
    manager: "test",
    complete: (crd, resource) => webhooks.completeCrd(crd, resource),
  });
  await webhooks.register();
  t.after(async () => {
    await webhooks.unregister();
    await webhooks[Symbol.asyncDispose]();
    await api.delete(Namespace, { namespace: "", name: ownNamespace }, {});
    await client.close();
  });
  const write = (version: "v1" | "v2", name: string, spec: object, metadata: object = {}): Promise<unknown> => {
    const object = {
      apiVersion: `webhooks.example.com/${version}`,
      kind: "Volume",
      metadata: { namespace: cluster.namespace, name, ...metadata },
      spec,
    };
    return api.apply(Volume.as[version], object, { manager: "user", force: true });
  };
  const until = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
    const end = systemClock.now() + 20_000;
    let last: unknown;
    while (!(await holds().catch((error: unknown) => void (last = error)))) {
      assert.ok(systemClock.now() < end, `waited in vain until ${what}: ${String(last)}`);
      await sleep(systemClock, 50);
    }
  };
  await until(async () => {
    const probe = (await write("v2", "probe", { size: "1Gi" })) as { readonly spec: { readonly profile?: string } };
    const shrunk = await write("v2", "probe", { size: "0Gi" }).then(
      () => false,
      () => true,
    );
    return probe.spec.profile === "small" && shrunk;
  }, "both webhooks are called");
  return {
    api,
    namespace: cluster.namespace,
    ownNamespace,
    webhooks,
    registry,
    warnings,
    until,
    write,
  };
}

describe("webhooks on kube-apiserver", { skip }, () => {
  test("complete, judge, warn about and convert what users write", async (t) => {
    const world = await stage(t);
    const { api, namespace, write, warnings } = world;

    await t.test("what the user leaves out is filled in, with keys that JSON pointers must escape", async () => {
      const made = (await write("v2", "a", { size: "3Gi" })) as Awaited<ReturnType<Api["get"]>> & { spec: object };
      assert.deepEqual(made.spec, { size: "3Gi", profile: "small" });
      assert.equal(made.metadata.labels?.["example.com/completed"], "yes");
    });

    await t.test("a refusal names the field, its value and the reason", async () => {
      await assert.rejects(write("v2", "a", { size: "2Gi" }), (error) => {
        assert.ok(isApiError(error, "Invalid"), String(error));
        assert.match(
          error.message,
          /admission webhook "validate\.volumes\.webhooks\.example\.com" denied the request: Volume\.webhooks\.example\.com "a" is invalid: spec\.size: Invalid value: "2Gi": cannot shrink: the volume holds data/u,
        );
        return true;
      });
    });

    await t.test("a warning reaches the user", async () => {
      await write("v2", "warned", { size: "1Gi", profile: "old" });
      assert.ok(warnings.some(({ text }) => text.includes("the profile old is going away")));
    });

    await t.test("a hook that throws refuses the write and is counted", async () => {
      await assert.rejects(
        write("v2", "broken", { size: "1Gi", profile: "broken" }),
        /The validate function of Volume failed: a bug/u,
      );
      assert.match(world.registry.text(), /^controller_runtime_webhook_panics_total 1$/mu);
      assert.match(
        world.registry.text(),
        /^controller_runtime_webhook_requests_total\{webhook="\/validate-webhooks-example-com-v2-volume",code="500"\} 1$/mu,
      );
    });

    await t.test("either version is written and read, and the hooks see the stored one", async () => {
      await write("v1", "b", { gigabytes: 7 });
      const key = { namespace, name: "b" };
      const asV2 = (await api.get(Volume.as.v2, key)) as unknown as { apiVersion: string; spec: object };
      assert.deepEqual(asV2.spec, { size: "7Gi", profile: "small" });
      assert.equal(asV2.apiVersion, "webhooks.example.com/v2");
      const asV1 = (await api.get(Volume.as.v1, key)) as unknown as { spec: object };
      assert.deepEqual(asV1.spec, { gigabytes: 7, profile: "small" });
      await assert.rejects(write("v1", "b", { gigabytes: 5 }), /cannot shrink/u);
      const { items } = await api.list(Volume.as.v1, { namespace });
      assert.ok(items.length >= 3 && items.every(({ apiVersion }) => apiVersion === "webhooks.example.com/v1"));
    });

    await t.test("a conversion that throws says why", async () => {
      await assert.rejects(write("v1", "c", { gigabytes: 13 }), /could not convert Volume .*\/c from .*: unlucky/u);
      assert.match(world.registry.text(), /^controller_runtime_conversion_webhook_panics_total [1-9]/mu);
    });

    await t.test("deletes can be refused", async () => {
      await write("v2", "kept", { size: "1Gi" }, { labels: { keep: "yes" } });
      await assert.rejects(
        api.delete(Volume.as.v2, { namespace, name: "kept" }, {}),
        /metadata\.labels\[keep\].*is kept/u,
      );
      await write("v2", "kept", { size: "1Gi" }, { labels: { keep: "no" } });
      await api.delete(Volume.as.v2, { namespace, name: "kept" }, {});
    });

    await t.test("the operator's own namespace is left alone", async () => {
      const made = (await write("v2", "own", { size: "9Gi" }, { namespace: world.ownNamespace })) as { spec: object };
      assert.deepEqual(made.spec, { size: "9Gi" });
    });

    await t.test(
      "with the webhooks gone, writes are refused, but deletes and objects that are being deleted go through",
      async () => {
        await write("v2", "leaving", { size: "1Gi" }, { finalizers: ["example.com/hold"] });
        await world.webhooks[Symbol.asyncDispose]();
        await assert.rejects(write("v2", "late", { size: "1Gi" }), /failed calling webhook/u);
        await api.delete(Volume.as.v2, { namespace, name: "leaving" }, {});
        const freed = { metadata: { finalizers: null } };
        await api.patch(Volume.as.v2, { namespace, name: "leaving" }, freed, { type: "merge", manager: "test" });
        await assert.rejects(api.get(Volume.as.v2, { namespace, name: "leaving" }), (error) =>
          isApiError(error, "NotFound"),
        );
      },
    );
  });

  test("certificates and authorities change while writes go on, and none fails", async (t) => {
    let ahead = 0;
    const clock: Clock = { ...systemClock, wall: () => systemClock.wall() + ahead };
    const world = await stage(t, clock);
    const { api, ownNamespace, webhooks } = world;
    const secret = { group: "", version: "v1", kind: "Secret", plural: "secrets", scope: "Namespaced" } as const;
    const keys = async (): Promise<{ readonly [key: string]: string }> => {
      const place = { namespace: ownNamespace, name: "volumes-webhook-certificates" };
      const found = (await api.get(secret, place)) as unknown as { data: { readonly [key: string]: string } };
      return found.data;
    };
    const bundles = async (): Promise<readonly string[]> => {
      const found = await Promise.all(
        [MutatingWebhookConfiguration, ValidatingWebhookConfiguration].map((kind) =>
          api.get(kind, { namespace: "", name: "volumes.webhooks.example.com" }),
        ),
      );
      return found.flatMap((one) =>
        (one as unknown as { webhooks: { clientConfig: { caBundle: string } }[] }).webhooks.map(({ clientConfig }) =>
          Buffer.from(clientConfig.caBundle, "base64").toString(),
        ),
      );
    };
    let size = 1;
    const writeOn = async (): Promise<void> => {
      for (let times = 0; times < 5; times++) await world.write("v1", "on", { gigabytes: ++size });
    };
    await writeOn();
    const before = await keys();

    const day = 86_400_000;
    // The signer is due; the API server's own clock stays, so certificates must be valid there as well: an hour at a time.
    ahead = 250 * day;
    await webhooks.check();
    const announced = await keys();
    assert.equal(announced["ca.crt"], before["ca.crt"]);
    assert.ok(announced["next-ca.crt"] !== undefined);
    for (const bundle of await bundles()) assert.equal(bundle.split("BEGIN").length - 1, 2);
  });
});
