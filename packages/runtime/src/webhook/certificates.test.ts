/** Certificates of webhooks: created, stored, rotated before they expire, and trusted in time. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isTrusted, parseCertificate, splitBundle } from "@capstan/pki";
import { ModelApi } from "../../test/model-api.ts";
import type { AnyKind } from "../api.ts";
import { silentLog } from "../log.ts";
import { Registry } from "../metrics/registry.ts";
import { VirtualClock } from "../testing/clock.ts";
import { trustedNow } from "./announce.ts";
import { bundleOf, nextTrust } from "./certificates.ts";
import type { Trust } from "./certificates.ts";
import { registrationsOf } from "./registration.ts";
import { REPLACE_ANNOTATION, keepTrust, parseTrust } from "./secret.ts";
import { openWebhooks } from "./webhooks.ts";
import { Disk } from "../../test/disk-webhooks.ts";

describe("certificates", () => {
  const names = { dnsNames: ["w.n.svc"], ipAddresses: [] };
  const day = 86_400_000;
  const start = Date.UTC(2026, 0, 1);

  test("over four lives of a CA, the bundle of an hour ago trusts the served certificate", () => {
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

  test("an operator that was down for years starts again, and new names need a new leaf", () => {
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

  /** Two replicas, of which one checks the Secret and the other does not yet: whatever happens to the Secret, both are trusted. */
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
    // The other one finds a state that it can continue with, and an overlap later only one authority is left.
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
    test(`a Secret that is ${what} is restored from the serving replicas`, async () => {
      const { before, after } = await whileOneLooks(harm);
      assert.equal(after.signer.certificate, before.signer.certificate);
    });
  }

  test("after an old Secret is restored, the authority in use stays trusted for a while", async () => {
    const older = new ModelApi(() => start);
    const restored = await keepTrust({ api: older, ...key, manager: "m" }, { now: new Date(start - day), names });
    const { data } = (await older.get(Secret, key)) as { readonly data?: unknown };
    const { after } = await whileOneLooks((api) => api.patch(Secret, key, { data }, { type: "merge", manager: "x" }));
    assert.equal(after.signer.certificate, restored.signer.certificate);
  });

  test("a replaced authority is gone after two overlaps, without a gap in trust", async () => {
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

  test("a replica that starts without the Secret keeps the serving ones trusted", async () => {
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
        endpoint: async () => ({
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

  test("an empty or invalid Secret is filled again", () => {
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
