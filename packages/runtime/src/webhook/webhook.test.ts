import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError, jsonPatchBetween } from "@capstan/client";
import type { Json, KubeObject } from "@capstan/model";
import { applyJsonPatch } from "@capstan/patch";
import { isTrusted, parseCertificate, splitBundle } from "@capstan/pki";
import { defineResource, s } from "@capstan/schema";
import type { Resource } from "@capstan/schema";
import fc from "fast-check";
import { ModelApi } from "../../test/model-api.ts";
import type { AnyKind } from "../api.ts";
import { silentLog } from "../log.ts";
import { Registry } from "../manager/registry.ts";
import { VirtualClock } from "../testing/clock.ts";
import { defaulting } from "./admit.ts";
import { announce, trustedNow } from "./announce.ts";
import { bundleOf, nextTrust } from "./certificates.ts";
import type { Trust } from "./certificates.ts";
import { webhookHandler } from "./handler.ts";
import { checkPaths, webhookPaths } from "./paths.ts";
import type { WebhookHandler } from "./handler.ts";
import { webhookMeter } from "./meter.ts";
import { conversionOf, registrationsOf, servingNames } from "./registration.ts";
import type { Registration } from "./registration.ts";
import { REPLACE_ANNOTATION, keepTrust, parseTrust } from "./secret.ts";
import { openWebhooks } from "./webhooks.ts";
import { placeOf } from "./where.ts";

const Disk = defineResource({
  group: "example.com",
  kind: "Disk",
  versions: {
    v1: { spec: s.object({ gigabytes: s.int32().default(4) }) },
    v2: { spec: s.object({ size: s.string() }), storage: true },
    v3: { spec: s.object({ bytes: s.int64().default(1) }) },
  },
  convert: {
    "v1->v2": ({ gigabytes }) => ({ size: `${gigabytes}Gi` }),
    "v2->v1": ({ size }) => ({ gigabytes: Number.parseInt(size, 10) }),
    "v3->v2": ({ bytes }) => ({ size: `${bytes / 2 ** 30}Gi` }),
    "v2->v3": ({ size }) => ({ bytes: Number.parseInt(size, 10) * 2 ** 30 }),
  },
  default: (draft) => {
    draft.spec.size ??= "1Gi";
  },
  validate: ({ object, reject, operation }) => {
    if (object.spec.size === "0Gi") reject("spec.size", "is nothing");
    if (object.spec.size === "bug") throw new Error("oops");
    if (operation === "delete") reject("metadata.finalizers", "still needed");
  },
}) as unknown as Resource;

function handler(registry = new Registry()): WebhookHandler {
  const resources = [Disk];
  const meter = webhookMeter(registry, webhookPaths(resources));
  return webhookHandler({ resources, clock: new VirtualClock(), log: silentLog, meter });
}

function post(path: string, body: unknown, type = "application/json"): Request {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Request(`https://webhooks${path}?timeout=5s`, {
    method: "POST",
    headers: { "content-type": type },
    body: text,
  });
}

const disk = (spec: object | undefined, version = "v2"): object => ({
  apiVersion: `example.com/${version}`,
  kind: "Disk",
  metadata: { name: "d", namespace: "n", uid: "u" },
  ...(spec === undefined ? {} : { spec }),
});

const admission = (request: object): object => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "1", operation: "CREATE", name: "d", namespace: "n", object: null, oldObject: null, ...request },
});

const conversion = (to: string, ...objects: readonly object[]): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: { uid: "2", desiredAPIVersion: to, objects },
});

describe("the handler", () => {
  test("answers with a patch that fills in, and with none when nothing is missing", async () => {
    const path = "/mutate-example-com-v2-disk";
    const ask = async (object: object): Promise<unknown> => (await handler()(post(path, admission({ object })))).json();
    const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/spec/size", value: "1Gi" }])).toString("base64");
    assert.deepEqual(await ask(disk({})), {
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1",
      response: { uid: "1", allowed: true, patchType: "JSONPatch", patch },
    });
    assert.deepEqual(await ask(disk({ size: "2Gi" })), {
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1",
      response: { uid: "1", allowed: true },
    });
  });

  test("fails where a default function leaves what JSON does not have, or nothing, instead of sending it on", async () => {
    const wrong: readonly (readonly [string, (draft: { spec?: unknown }) => unknown])[] = [
      ["spec.size is NaN, which JSON does not have", (draft) => void (draft.spec = { size: Number.NaN })],
      ["spec is a Map, which JSON does not have", (draft) => void (draft.spec = new Map())],
      ["spec.size is a function, which JSON does not have", (draft) => void (draft.spec = { size: () => "" })],
      ["it took the spec away", (draft) => void delete draft.spec],
      ["it answered another object, which nobody looks at", (draft) => ({ ...draft, spec: {} })],
    ];
    for (const [told, fill] of wrong) {
      const resource = { ...Disk, hooks: { default: fill } } as unknown as Resource;
      const admit = defaulting(resource);
      const request = { uid: "1", operation: "CREATE", name: "d", namespace: "n", oldObject: undefined } as const;
      const object = disk({ size: "3Gi" }) as KubeObject;
      await assert.rejects(admit({ ...request, object }, AbortSignal.any([])), (error: Error) => {
        assert.ok(error.message.startsWith(`The default function of Disk failed: ${told}`), error.message);
        return true;
      });
    }
  });

  test("refuses with a Status such as the server's own", async () => {
    const review = admission({ object: disk({ size: "0Gi" }) });
    const answer = (await (await handler()(post("/validate-example-com-v2-disk", review))).json()) as {
      response: { allowed: boolean; status: object };
    };
    assert.equal(answer.response.allowed, false);
    assert.partialDeepStrictEqual(answer.response.status, {
      code: 422,
      reason: "Invalid",
      message: 'Disk.example.com "d" is invalid: spec.size: Invalid value: "0Gi": is nothing',
      details: { causes: [{ field: "spec.size", reason: "FieldValueInvalid" }] },
    });
  });

  test("shows a hook what is deleted", async () => {
    const review = admission({ operation: "DELETE", oldObject: disk({ size: "1Gi" }) });
    const answer = (await (await handler()(post("/validate-example-com-v2-disk", review))).json()) as {
      response: { status: { message: string } };
    };
    assert.match(answer.response.status.message, /metadata\.finalizers: Required value: still needed/u);
  });

  test("converts through the stored version, and fills in defaults before a function sees the spec", async () => {
    const ask = async (to: string, ...objects: readonly object[]): Promise<unknown> =>
      (await handler()(post("/convert", conversion(to, ...objects)))).json();
    assert.deepEqual(await ask("example.com/v3", disk({ gigabytes: 2 }, "v1"), disk({ size: "1Gi" })), {
      kind: "ConversionReview",
      apiVersion: "apiextensions.k8s.io/v1",
      response: {
        uid: "2",
        convertedObjects: [disk({ bytes: 2 ** 31 }, "v3"), disk({ bytes: 2 ** 30 }, "v3")],
        result: { status: "Success" },
      },
    });
    assert.partialDeepStrictEqual(await ask("example.com/v2", disk({}, "v1"), disk(undefined, "v1")), {
      response: { convertedObjects: [disk({ size: "4Gi" }), disk(undefined)] },
    });
    assert.partialDeepStrictEqual(await ask("example.com/v9", disk({}, "v1")), {
      response: {
        convertedObjects: [],
        result: {
          status: "Failure",
          message: "could not convert Disk n/d from example.com/v1 to example.com/v9: Disk has the versions v1, v2, v3",
        },
      },
    });
  });

  test("says what is wrong with a call, in words and numbers", async () => {
    const registry = new Registry();
    const ask = handler(registry);
    const path = "/validate-example-com-v2-disk";
    const statusOf = async (request: Request): Promise<number> => (await ask(request)).status;
    assert.equal(await statusOf(post("/nowhere", {})), 404);
    assert.equal(await statusOf(new Request(`https://webhooks${path}`)), 405);
    assert.equal(await statusOf(post(path, {}, "text/plain")), 415);
    assert.equal(await statusOf(post(path, "{")), 400);
    assert.equal(await statusOf(post(path, conversion("example.com/v2"))), 400);
    assert.equal(await statusOf(post(path, admission({ operation: "GUESS" }))), 400);
    assert.equal(await statusOf(post(path, admission({ object: disk({}, "v1") }))), 400);
    assert.equal(await statusOf(post(path, admission({ object: disk({ size: "bug" }) }))), 500);
    const text = registry.text();
    assert.match(text, /^controller_runtime_webhook_panics_total 1$/mu);
    assert.match(
      text,
      /^controller_runtime_webhook_requests_in_flight\{webhook="\/validate-example-com-v2-disk"\} 0$/mu,
    );
    assert.match(text, /^controller_runtime_webhook_latency_seconds_count\{webhook="\/validate-[^}]*"\} 7$/mu);
  });
});

test("a patch turns any object into any other", () => {
  const value = fc.object({
    key: fc.string({ maxLength: 3 }),
    maxDepth: 3,
    values: [fc.integer(), fc.string(), fc.constant(null)],
  });
  fc.assert(
    fc.property(value, value, (before, after) => {
      const [from, to] = [before, after].map((one) => JSON.parse(JSON.stringify(one)) as Json) as [Json, Json];
      assert.deepEqual(applyJsonPatch(from, jsonPatchBetween(from, to) as unknown as Json), to);
    }),
  );
});

describe("certificates", () => {
  const names = { dnsNames: ["w.n.svc"], ipAddresses: [] };
  const day = 86_400_000;
  const start = Date.UTC(2026, 0, 1);

  test("over four lives of an authority, whoever trusted the bundle of an hour ago trusts what is served now", () => {
    let trust: Trust | undefined;
    let [authorities, servings, bundleBefore] = [new Set<string>(), new Set<string>(), ""];
    const lifetimes = { authorityDays: 30, servingDays: 10, overlap: 3_600_000 };
    for (let at = start; at < start + 80 * day; at += lifetimes.overlap) {
      const now = new Date(at);
      trust = nextTrust(trust, { now, names, lifetimes });
      const serving = parseCertificate(trust.serving.certificate);
      assert.ok(serving.notBefore <= now && now < serving.notAfter, `not valid on ${now.toISOString()}`);
      for (const bundle of [bundleOf(trust), bundleBefore]) {
        if (bundle === "") continue;
        const isKnown = splitBundle(bundle).some((authority) =>
          isTrusted(trust?.serving.certificate ?? "", { authorities: [authority], now }),
        );
        assert.ok(isKnown, `not trusted on ${now.toISOString()}`);
      }
      bundleBefore = bundleOf(trust);
      authorities.add(trust.signer.certificate);
      servings.add(trust.serving.certificate);
    }
    assert.ok(authorities.size >= 4 && authorities.size <= 6, `${authorities.size} authorities`);
    assert.ok(servings.size >= 12 && servings.size <= 20, `${servings.size} certificates`);
  });

  test("an operator that was away for years begins anew, and new names need a new certificate", () => {
    const first = nextTrust(undefined, { now: new Date(start), names });
    const later = nextTrust(first, { now: new Date(start + 1000 * day), names });
    assert.notEqual(later.signer.certificate, first.signer.certificate);
    const renamed = nextTrust(first, {
      now: new Date(start),
      names: { dnsNames: ["x.n.svc"], ipAddresses: ["10.0.0.1"] },
    });
    assert.equal(renamed.signer, first.signer);
    assert.deepEqual(parseCertificate(renamed.serving.certificate).ipAddresses, ["10.0.0.1"]);
    assert.equal(nextTrust(first, { now: new Date(start), names }), first);
  });

  test("replicas that start at once agree on one authority", async () => {
    const api = new ModelApi(() => start);
    const place = { api, namespace: "n", name: "certificates", manager: "m" };
    const kept = await Promise.all([1, 2, 3, 4].map(() => keepTrust(place, { now: new Date(start), names })));
    assert.equal(new Set(kept.map(({ signer }) => signer.certificate)).size, 1);
    const due = new Date(start + 250 * day);
    const renewed = await Promise.all([1, 2, 3].map(() => keepTrust(place, { now: due, names })));
    assert.equal(new Set(renewed.map(({ next }) => next?.certificate)).size, 1);
    assert.notEqual(renewed[0]?.next, undefined);
  });

  const Secret: AnyKind = { group: "", version: "v1", kind: "Secret", plural: "secrets", scope: "Namespaced" };
  const key = { namespace: "n", name: "certificates" };

  /** Two replicas, of which one looks and the other one does not yet: whatever happens to the Secret, both are trusted. */
  async function whileOneLooks(harm: (api: ModelApi) => Promise<unknown>): Promise<{ before: Trust; after: Trust }> {
    const api = new ModelApi(() => start);
    const place = { api, ...key, manager: "m" };
    const before = await keepTrust(place, { now: new Date(start), names });
    await harm(api);
    const now = new Date(start + 10 * day);
    const after = await keepTrust(place, { now, names }, before);
    for (const { serving } of [before, after]) {
      assert.ok(isTrusted(serving.certificate, { authorities: splitBundle(bundleOf(after)), now }));
    }
    // The other one finds what it can go on with, and an overlap later only one authority is left.
    const other = await keepTrust(place, { now, names }, before);
    assert.deepEqual(other, after);
    const later = await keepTrust(place, { now: new Date(now.getTime() + 3_600_000), names }, other);
    assert.deepEqual(splitBundle(bundleOf(later)), [after.signer.certificate]);
    return { before, after };
  }

  for (const [what, harm] of [
    ["deleted", (api: ModelApi) => api.delete(Secret, key, {})],
    ["spoiled", (api: ModelApi) => api.patch(Secret, key, { data: { "ca.key": "" } }, { type: "merge", manager: "x" })],
  ] as const) {
    test(`a Secret that is ${what} gets back what replicas serve by`, async () => {
      const { before, after } = await whileOneLooks(harm);
      assert.equal(after.signer.certificate, before.signer.certificate);
    });
  }

  test("where a Secret of another time is put back, the authority that replicas serve under is trusted on for a while", async () => {
    const older = new ModelApi(() => start);
    const restored = await keepTrust({ api: older, ...key, manager: "m" }, { now: new Date(start - day), names });
    const { data } = (await older.get(Secret, key)) as { readonly data?: unknown };
    const { after } = await whileOneLooks((api) => api.patch(Secret, key, { data }, { type: "merge", manager: "x" }));
    assert.equal(after.signer.certificate, restored.signer.certificate);
  });

  test("an authority that somebody wants replaced goes within two overlaps, and all are trusted all the time", async () => {
    const hour = 3_600_000;
    const api = new ModelApi(() => start);
    const place = { api, ...key, manager: "m" };
    const old = await keepTrust(place, { now: new Date(start), names });
    const metadata = { annotations: { [REPLACE_ANNOTATION]: "leaked" } };
    await api.patch(Secret, key, { metadata }, { type: "merge", manager: "x" });
    let one = old;
    const signers: string[] = [];
    for (let at = start + 60_000; signers.length < 4; at += hour) {
      const now = new Date(at);
      const known = one;
      const bundle = bundleOf(known);
      const [mine, others] = await Promise.all([1, 2].map(() => keepTrust(place, { now, names }, known)));
      assert.deepEqual(mine, others, "replicas agree");
      one = mine ?? known;
      for (const authorities of [bundle, bundleOf(one)].map(splitBundle))
        assert.ok(authorities.some((each) => isTrusted(one.serving.certificate, { authorities: [each], now })));
      signers.push(one.signer.certificate);
    }
    const [first, second, third] = signers;
    assert.equal(first, old.signer.certificate, "it is announced before it signs");
    assert.notEqual(second, first);
    assert.equal(third, second, "it is replaced once");
    assert.deepEqual(splitBundle(bundleOf(one)), [second]);
    assert.deepEqual((await api.get(Secret, key)).metadata.annotations ?? {}, {});
  });

  test("a replica that starts while the Secret is gone leaves those trusted that serve already", async () => {
    const clock = new VirtualClock(start);
    const api = new ModelApi(() => clock.wall());
    const served: string[] = [];
    const open = () =>
      openWebhooks({
        resources: [Disk],
        api,
        clock,
        log: silentLog,
        registry: new Registry(),
        name: "disks",
        namespace: "n",
        door: async () => ({
          reach: { by: "service", namespace: "n", name: "w", port: 443 },
          use: ({ certificate }) => void served.push(certificate),
          [Symbol.asyncDispose]: async () => {},
        }),
      });
    const told = registrationsOf(Disk, {
      reach: { by: "service", namespace: "n", name: "w", port: 443 },
      bundle: "",
      namespace: "n",
    })[0];
    const isTrustedNow = async (certificate: string): Promise<boolean> => {
      assert.ok(told !== undefined);
      const authorities = splitBundle((await trustedNow(api, told)) ?? "");
      return isTrusted(certificate, { authorities, now: new Date(clock.wall()) });
    };
    await using first = await open();
    await first.register();
    await api.delete(Secret, { namespace: "n", name: "disks-webhook-certificates" }, {});
    await using second = await open();
    await second.register();
    const [old = "", young = ""] = served;
    assert.notEqual(old, young);
    assert.deepEqual([await isTrustedNow(old), await isTrustedNow(young)], [true, true]);
  });

  test("a Secret that is empty or spoiled is filled anew", () => {
    assert.equal(parseTrust({}), undefined);
    const text = (one: string): string => Buffer.from(one).toString("base64");
    const { signer, serving } = nextTrust(undefined, { now: new Date(start), names });
    const data = {
      "ca.crt": text(signer.certificate),
      "ca.key": text(signer.privateKey),
      "tls.crt": text(serving.certificate),
      "tls.key": text(serving.privateKey),
    };
    assert.deepEqual(parseTrust(data)?.serving, serving);
    assert.equal(parseTrust({ ...data, "tls.key": data["ca.key"] }), undefined);
    assert.equal(parseTrust({ ...data, "ca.crt": text("nonsense") }), undefined);
  });
});

describe("registration", () => {
  const reach = { by: "service", namespace: "ops", name: "disk-webhook", port: 443 } as const;
  const options = { reach, bundle: "PEM", namespace: "ops", namespaces: ["a", "b"] };

  test("never matches the operator's own namespace, leaves statuses alone, and lets deletes through when it is gone", () => {
    const registrations = registrationsOf(Disk, options) as unknown as {
      object: {
        webhooks: { namespaceSelector: { matchExpressions: object[] }; rules: object[]; failurePolicy: string }[];
      };
    }[];
    const webhooks = registrations.flatMap(({ object }) => object.webhooks);
    assert.equal(webhooks.length, 3);
    for (const { namespaceSelector, rules } of webhooks) {
      assert.deepEqual(namespaceSelector.matchExpressions, [
        { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["ops", "kube-system"] },
        { key: "kubernetes.io/metadata.name", operator: "In", values: ["a", "b"] },
      ]);
      assert.partialDeepStrictEqual(rules, [{ resources: ["disks"], apiVersions: ["v2"], scope: "Namespaced" }]);
    }
    assert.deepEqual(
      webhooks.map(({ failurePolicy }) => failurePolicy),
      ["Fail", "Fail", "Ignore"],
    );
  });

  test("points a CRD with several versions at the converter, and the certificate names the service", () => {
    assert.partialDeepStrictEqual(conversionOf(Disk, options), {
      strategy: "Webhook",
      webhook: { clientConfig: { caBundle: "UEVN", service: { name: "disk-webhook", path: "/convert" } } },
    });
    assert.deepEqual(servingNames(reach).dnsNames, ["disk-webhook.ops.svc", "disk-webhook.ops.svc.cluster.local"]);
    assert.deepEqual(servingNames({ by: "url", url: "https://[::1]:1" }).ipAddresses, ["::1"]);
  });

  test("webhooks are served where the API server can be expected to reach them, and nowhere else", () => {
    const around = { address: undefined, url: undefined, service: "w", namespace: "n" };
    const inside = placeOf({ ...around, isInCluster: true, server: "https://10.96.0.1" });
    assert.equal(inside.listen, ":9443");
    const beside = placeOf({ ...around, isInCluster: false, server: "https://127.0.0.1:6443" });
    assert.equal(beside.listen, "127.0.0.1:0");
    assert.equal(beside.failurePolicy, "Ignore");
    const far = placeOf({ ...around, isInCluster: false, server: "https://prod.example.com" });
    assert.ok(far.listen === undefined && /--webhook-url/u.test(far.why));
    assert.equal(placeOf({ ...around, address: "", isInCluster: true, server: "https://10.96.0.1" }).listen, undefined);
  });
});

describe("chosen paths", () => {
  const paths = { "disks.example.com": { validate: "/check/disks" } };

  test("are where a hook is registered and answered, and the usual one is not", async () => {
    const options = {
      reach: { by: "service", namespace: "n", name: "w", port: 443 },
      bundle: "",
      namespace: "n",
      paths,
    } as const;
    const said = JSON.stringify(registrationsOf(Disk, options).map(({ object }) => object));
    assert.match(said, /"path":"\/check\/disks"/u);
    assert.match(said, /"path":"\/mutate-example-com-v2-disk"/u);
    assert.doesNotMatch(said, /validate-example-com-v2-disk/u);
    const meter = webhookMeter(new Registry(), webhookPaths([Disk], paths));
    const answer = webhookHandler({ resources: [Disk], clock: new VirtualClock(), log: silentLog, meter, paths });
    const review = admission({ object: disk({ size: "1Gi" }) });
    assert.equal((await answer(post("/check/disks", review))).status, 200);
    assert.equal((await answer(post("/validate-example-com-v2-disk", review))).status, 404);
  });

  for (const [what, chosen, message] of [
    ["for a resource without the hook", { "other.example.com": { validate: "/x" } }, /there is no such hook/u],
    ["that are no paths", { "disks.example.com": { validate: "check" } }, /Cannot answer at "check"/u],
    ["that two share", { "disks.example.com": { validate: "/x", default: "/x" } }, /two hooks at \/x/u],
    ["that conversions have", { "disks.example.com": { validate: "/convert" } }, /two hooks at \/convert/u],
  ] as const) {
    test(`${what} are refused`, () => assert.throws(() => checkPaths([Disk], chosen), { code: "BadSetting", message }));
  }
});

describe("a hook that hangs", () => {
  const told: unknown[] = [];
  const hang = (signal: AbortSignal): Promise<void> => {
    signal.addEventListener("abort", () => told.push(signal.reason.code));
    return new Promise<void>(() => undefined);
  };
  const Slow = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Slow",
    spec: s.object({}),
    validate: ({ signal }) => hang(signal),
    default: (_draft, { signal }) => hang(signal),
  }) as unknown as Resource;
  const object = { apiVersion: "example.com/v1", kind: "Slow", metadata: { name: "a" }, spec: {} };
  const request = { uid: "u", operation: "CREATE", name: "a", namespace: "", object };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const open = () => {
    const clock = new VirtualClock();
    const meter = webhookMeter(new Registry(), webhookPaths([Slow]));
    return { clock, answer: webhookHandler({ resources: [Slow], clock, log: silentLog, meter }) };
  };

  for (const verb of ["validate", "mutate"]) {
    test(`is answered before the API server gives up, so that its failure policy decides, and is told: ${verb}`, async () => {
      const { clock, answer } = open();
      const said: number[] = [];
      told.length = 0;
      const call = answer(post(`/${verb}-example-com-v1-slow`, review)).then(async (response) => {
        said.push(response.status);
        return await response.text();
      });
      await clock.advance(4_400);
      assert.deepEqual([said, told], [[], []]);
      await clock.advance(101);
      assert.match(await call, /^The hook did not answer within 4500 ms\. Do less in it, or give it more time/u);
      assert.deepEqual([said, told], [[504], ["TooSlow"]]);
    });
  }

  test("is told when nobody waits for it any more", async () => {
    const { clock, answer } = open();
    told.length = 0;
    const caller = new AbortController();
    const call = answer(new Request(post("/validate-example-com-v1-slow", review), { signal: caller.signal }));
    await clock.advance(10);
    caller.abort();
    assert.equal((await call).status, 504);
    assert.deepEqual(told, ["TooSlow"]);
  });
});

describe("the configurations of an operator", () => {
  const registration = (rule: string, caBundle: string): Registration => {
    const kind: AnyKind = {
      group: "admissionregistration.k8s.io",
      version: "v1",
      kind: "ValidatingWebhookConfiguration",
      plural: "validatingwebhookconfigurations",
      scope: "Cluster",
    };
    const webhooks = [{ name: "a.example.com", clientConfig: { caBundle }, rules: [rule] }];
    const head = { apiVersion: "admissionregistration.k8s.io/v1", kind: kind.kind, metadata: { name: "disks" } };
    return { tells: "webhooks", kind, object: { ...head, webhooks } as KubeObject };
  };
  const steps: readonly (readonly [string, version: string | undefined, rule: string, ca: string, expected: string])[] =
    [
      ["are made", "1.0.0", "old", "one", "old one"],
      ["are replaced by a later version", "1.1.0", "new", "one", "new one"],
      ["stay when an earlier version looks after them", "1.0.0", "old", "one", "new one"],
      ["trust whom they must, whoever says so", "1.0.0", "old", "two", "new two"],
      ["follow their own version", "1.1.0", "newer", "two", "newer two"],
      ["follow who has no version", undefined, "mine", "two", "mine two"],
    ];

  test("are applied unseen where they may not be read", async () => {
    const api = new ModelApi();
    const one = registration("rule", "one");
    const get = api.get.bind(api);
    api.get = () => Promise.reject(new ApiError({ code: "Forbidden", message: "no", status: 403 }));
    for (const version of ["1.1.0", "1.0.0"]) await announce({ api, manager: "m", version }, one);
    const { metadata } = await get(one.kind, { namespace: "", name: "disks" });
    assert.equal(metadata.annotations?.["capstan.dev/operator-version"], "1.0.0");
  });

  test("go forward only, like CRDs", async () => {
    const api = new ModelApi();
    for (const [what, version, rule, ca, expected] of steps) {
      const one = registration(rule, ca);
      await announce({ api, manager: "m", version }, one);
      const stored = (await api.get(one.kind, { namespace: "", name: "disks" })) as unknown as {
        readonly webhooks: readonly {
          readonly clientConfig: { readonly caBundle: string };
          readonly rules: string[];
        }[];
      };
      const [webhook] = stored.webhooks;
      assert.equal(`${webhook?.rules[0]} ${webhook?.clientConfig.caBundle}`, expected, what);
    }
  });
});
