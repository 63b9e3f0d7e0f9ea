/** Webhooks on a real kube-apiserver: requests and responses are understood, and certificates are rotated meanwhile. */
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
import { CustomResourceDefinition, installCrds } from "../src/crds/crds.ts";
import { Registry } from "../src/metrics/registry.ts";
import { usualLifetimes } from "../src/webhook/certificates.ts";
import type { Lifetimes } from "../src/webhook/certificates.ts";
import { httpsEndpoint } from "../src/webhook/https.ts";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../src/webhook/registration.ts";
import { openWebhooks } from "../src/webhook/webhooks.ts";
import type { Webhooks } from "../src/webhook/webhooks.ts";

const skip = kubernetesMissing();

/** Two versions with different spellings of the size, and functions for rules that a schema cannot express. */
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
  readonly write: (version: "v1" | "v2", name: string, spec: object, metadata?: object) => Promise<unknown>;
}

async function stage(
  t: TestContext,
  { clock = systemClock, lifetimes = usualLifetimes }: { clock?: Clock; lifetimes?: Lifetimes } = {},
): Promise<Stage> {
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
  const until = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
    const end = systemClock.now() + 120_000;
    let last: unknown;
    while (!(await holds().catch((error: unknown) => void (last = error)))) {
      assert.ok(systemClock.now() < end, `waited in vain until ${what}: ${String(last)}`);
      await sleep(systemClock, 50);
    }
  };
  const webhooks = await openWebhooks({
    resources: [Volume as unknown as Resource],
    api,
    clock,
    log: silentLog,
    registry,
    lifetimes,
    name: "volumes",
    namespace: ownNamespace,
    endpoint: httpsEndpoint(async (server) => {
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
    // The next test creates its own: objects of this one could not be converted any more.
    const crd = { namespace: "", name: "volumes.webhooks.example.com" };
    await api.delete(CustomResourceDefinition, crd, {});
    await until(
      () =>
        api.get(CustomResourceDefinition, crd).then(
          () => false,
          (error) => isApiError(error, "NotFound"),
        ),
      "the CRD is gone",
    );
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
    write,
  };
}

describe("webhooks on kube-apiserver", { skip }, () => {
  test("default, validate, warn about and convert user writes", async (t) => {
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

    await t.test("without webhooks, writes fail, but deletes and objects being deleted pass", async () => {
      await write("v2", "leaving", { size: "1Gi" }, { finalizers: ["example.com/hold"] });
      await world.webhooks[Symbol.asyncDispose]();
      await assert.rejects(write("v2", "late", { size: "1Gi" }), /failed calling webhook/u);
      await api.delete(Volume.as.v2, { namespace, name: "leaving" }, {});
      const freed = { metadata: { finalizers: null } };
      await api.patch(Volume.as.v2, { namespace, name: "leaving" }, freed, { type: "merge", manager: "test" });
      await assert.rejects(api.get(Volume.as.v2, { namespace, name: "leaving" }), (error) =>
        isApiError(error, "NotFound"),
      );
    });
  });

  test("certificates and authorities are rotated without a failed write", async (t) => {
    const [day, minute] = [86_400_000, 60_000];
    let ahead = -244 * day;
    const clock: Clock = { ...systemClock, wall: () => systemClock.wall() + ahead };
    const lifetimes = { authorityDays: 365, servingDays: 300, overlap: 60 * minute };
    const { api, ownNamespace, webhooks, write } = await stage(t, { clock, lifetimes });
    const kept = async (): Promise<Data> => {
      const place = { namespace: ownNamespace, name: "volumes-webhook-certificates" };
      return ((await api.get(Secret, place)) as unknown as { data: Data }).data;
    };
    const ending = new AbortController();
    let written = 100;
    const writing = (async () => {
      while (!ending.signal.aborted) await write("v1", "on", { gigabytes: ++written });
    })();
    const afterSomeWrites = async (): Promise<void> => {
      const target = written + 10;
      const isReached = (): boolean => written >= target;
      while (!isReached()) await Promise.race([sleep(systemClock, 10), writing]);
    };
    await afterSomeWrites();
    const before = await kept();

    ahead = -120 * minute;
    await webhooks.check();
    const announced = await kept();
    assert.equal(announced["ca.crt"], before["ca.crt"], "the old authority still signs");
    assert.notEqual(announced["next-ca.crt"], undefined);
    assert.notEqual(announced["tls.crt"], before["tls.crt"], "the serving certificate was due as well");
    assert.deepEqual(await trustedBy(api), [2, 2, 2]);
    await afterSomeWrites();

    ahead = -30 * minute;
    await webhooks.check();
    const promoted = await kept();
    assert.equal(promoted["ca.crt"], announced["next-ca.crt"], "the announced authority signs");
    assert.equal(promoted["previous-ca.crt"], before["ca.crt"]);
    assert.equal(promoted["next-ca.crt"], undefined);
    assert.deepEqual(await trustedBy(api), [2, 2, 2]);
    await afterSomeWrites();

    ahead = 45 * minute;
    await webhooks.check();
    assert.equal((await kept())["previous-ca.crt"], undefined);
    assert.deepEqual(await trustedBy(api), [1, 1, 1]);
    await afterSomeWrites();
    ending.abort();
    await writing;
    assert.ok(written >= 140);
  });
});

type Data = { readonly [key: string]: string };

const Secret = { group: "", version: "v1", kind: "Secret", plural: "secrets", scope: "Namespaced" } as const;

/** The number of authorities in each registration of the resource: defaulting, validating, conversion. */
async function trustedBy(api: Api): Promise<readonly number[]> {
  const kinds = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration, CustomResourceDefinition];
  const place = { namespace: "", name: "volumes.webhooks.example.com" };
  const found = await Promise.all(kinds.map((kind) => api.get(kind, place)));
  return found.map((object) => {
    const bundle = /"caBundle":"([^"]*)"/u.exec(JSON.stringify(object))?.[1] ?? "";
    return Buffer.from(bundle, "base64").toString().split("BEGIN CERTIFICATE").length - 1;
  });
}
