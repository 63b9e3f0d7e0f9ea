/** Webhook registrations: their endpoints, rules and names. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "@capstan/client";
import type { KubeObject } from "@capstan/model";
import { ModelApi } from "../../test/model-api.ts";
import type { AnyKind } from "../api.ts";
import { silentLog } from "../log.ts";
import { Registry } from "../metrics/registry.ts";
import { VirtualClock } from "../testing/clock.ts";
import { announce } from "./announce.ts";
import { webhookHandler } from "./handler.ts";
import { checkPaths, webhookPaths } from "./paths.ts";
import { webhookMeter } from "./meter.ts";
import { conversionOf, registrationsOf, servingNames } from "./registration.ts";
import type { Registration } from "./registration.ts";
import { placeOf } from "./where.ts";
import { Disk, post, disk, admission } from "../../test/disk-webhooks.ts";

describe("registration", () => {
  const reach = { by: "service", namespace: "ops", name: "disk-webhook", port: 443 } as const;
  const options = { reach, bundle: "PEM", namespace: "ops", namespaces: ["a", "b"] };

  test("excludes the own namespace and statuses, and lets deletes pass if unreachable", () => {
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

  test("sets the conversion of a CRD with several versions and the certificate names", () => {
    assert.partialDeepStrictEqual(conversionOf(Disk, options), {
      strategy: "Webhook",
      webhook: { clientConfig: { caBundle: "UEVN", service: { name: "disk-webhook", path: "/convert" } } },
    });
    assert.deepEqual(servingNames(reach).dnsNames, ["disk-webhook.ops.svc", "disk-webhook.ops.svc.cluster.local"]);
    assert.deepEqual(servingNames({ by: "url", url: "https://[::1]:1" }).ipAddresses, ["::1"]);
  });

  test("webhooks are served only where the API server can reach them", () => {
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

describe("custom paths", () => {
  const paths = { "disks.example.com": { validate: "/check/disks" } };

  test("replace the default path in registration and handler", async () => {
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
    test(`${what} are rejected`, () =>
      assert.throws(() => checkPaths([Disk], chosen), { code: "BadSetting", message }));
  }
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

  test("are applied without a check if they may not be read", async () => {
    const api = new ModelApi();
    const one = registration("rule", "one");
    const get = api.get.bind(api);
    api.get = () => Promise.reject(new ApiError({ code: "Forbidden", message: "no", status: 403 }));
    for (const version of ["1.1.0", "1.0.0"]) await announce({ api, manager: "m", version }, one);
    const { metadata } = await get(one.kind, { namespace: "", name: "disks" });
    assert.equal(metadata.annotations?.["capstan.dev/operator-version"], "1.0.0");
  });

  test("are never downgraded, like CRDs", async () => {
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
