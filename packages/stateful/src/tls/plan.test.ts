import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAuthority, isTrusted, parseCertificate, splitBundle, validFor } from "@capstan/pki";
import type { TlsSpec } from "../cluster/resource.ts";
import { endOf } from "./leaf.ts";
import { connectionTrust, planTls } from "./plan.ts";
import type { TlsInput, TlsPlan } from "./plan.ts";
import type { Texts } from "./secret.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const managed: TlsSpec = { mode: "Managed", validity: "90d", authorityValidity: "3650d", overlap: "1d", names: [] };
const MEMBER = "db-0.db-members.shop.svc";

/** Applies plans like the operator; members load the Secret that they mount when the test says so. */
class World {
  now: number = Date.parse("2026-11-15T00:00:00Z");
  spec: TlsSpec = managed;
  readonly secrets: Map<string, Texts> = new Map();
  /** What the members serve. */
  certificate: string | undefined;
  authorities: string = "";

  input(): Omit<TlsInput, "served"> {
    const { spec, now, secrets } = this;
    return { cluster: "db", namespace: "shop", spec, now, read: (name) => secrets.get(name) };
  }

  plan(): TlsPlan {
    const served = this.certificate === undefined ? [] : [endOf({ certificate: this.certificate })];
    const plan = planTls({ ...this.input(), served });
    for (const { name, texts } of plan.apply) {
      const given = Object.entries(texts).flatMap(([entry, text]) => (text === undefined ? [] : [[entry, text]]));
      this.secrets.set(name, Object.fromEntries(given));
    }
    return plan;
  }

  text(secret: string, entry: string): string {
    return this.secrets.get(secret)?.[entry] ?? "";
  }

  /** Members load what is in the Secret that they mount. */
  load(secret = "db-certificate"): void {
    this.certificate = this.text(secret, "tls.crt");
    this.authorities = this.text(secret, "ca.crt");
  }

  /** The operator, clients and replicas trust what members serve now, and what they serve after they load the Secret. */
  assertTrust(): void {
    const now = new Date(this.now);
    const served = [this.certificate ?? "", this.text("db-certificate", "tls.crt")];
    const trusting = [connectionTrust(this.input()) ?? "", this.authorities, this.text("db-certificate", "ca.crt")];
    for (const certificate of served) {
      for (const trust of trusting) assert.ok(isTrusted(certificate, { authorities: splitBundle(trust), now }));
    }
  }
}

describe("managed certificates", () => {
  test("the first plan makes an authority and a certificate for members and Services", () => {
    const world = new World();
    world.spec = { ...managed, names: ["db.example.com", "10.0.0.7"] };
    const plan = world.plan();
    assert.deepEqual([plan.state.isReady, plan.mount], [true, "db-certificate"]);
    const { dnsNames, ipAddresses } = parseCertificate(world.text("db-certificate", "tls.crt"));
    assert.ok(dnsNames.includes("*.db-members.shop.svc") && dnsNames.includes("db.shop.svc"), dnsNames.join());
    assert.ok(dnsNames.includes("db.example.com") && ipAddresses.includes("10.0.0.7"));
    assert.equal(world.text("db-trust", "tls.key"), "", "clients get no key");
    assert.deepEqual(world.plan().apply, plan.apply, "a second plan changes nothing");
  });

  test("a certificate is renewed after two thirds of its life, and the authority stays", () => {
    const world = new World();
    world.plan();
    world.load();
    const authority = world.text("db-trust", "ca.crt");
    world.now += 59 * DAY;
    world.plan();
    assert.equal(world.text("db-certificate", "tls.crt"), world.certificate);
    world.now += 2 * DAY;
    assert.equal(world.plan().state.reason, "Loading");
    assert.notEqual(world.text("db-certificate", "tls.crt"), world.certificate);
    assert.equal(world.text("db-trust", "ca.crt"), authority);
    world.load();
    assert.equal(world.plan().state.reason, "Valid");
  });

  test("in months of renewals, whatever is served is trusted", () => {
    const world = new World();
    world.spec = { ...managed, validity: "20d", authorityValidity: "60d" };
    world.plan();
    world.load();
    const authorities = new Set<string>();
    for (let turn = 0; turn < 300; turn++) {
      world.now += DAY / 2;
      const { state } = world.plan();
      assert.ok(state.isReady, `${turn}: ${state.message}`);
      world.assertTrust();
      if (turn % 3 === 0) world.load();
      authorities.add(world.text("db-authority", "tls.crt"));
    }
    assert.ok(authorities.size >= 3, `${authorities.size} authorities in 150 days`);
  });

  test("a new authority signs only when every member trusts it and the overlap is over", () => {
    const world = new World();
    world.plan();
    world.load();
    const signer = world.text("db-authority", "tls.crt");
    world.spec = { ...managed, rotation: "now" };
    world.plan();
    world.now += 5 * DAY;
    assert.equal(world.plan().state.reason, "Introducing", "no member has loaded the trust");
    assert.equal(world.text("db-authority", "tls.crt"), signer);
    world.load();
    assert.equal(world.plan().state.reason, "Retiring");
    assert.notEqual(world.text("db-authority", "tls.crt"), signer);
    world.load();
    assert.equal(world.plan().state.reason, "Retiring", "clients have a day to load the trust");
    world.now += 2 * DAY;
    world.plan();
    world.load();
    assert.equal(world.plan().state.reason, "Valid");
    assert.equal(splitBundle(world.text("db-trust", "ca.crt")).length, 1, "the old authority is not trusted any more");
  });

  test("members are trusted after the loss of the Secret of the authority", () => {
    const world = new World();
    world.plan();
    world.load();
    world.secrets.delete("db-authority");
    assert.equal(world.plan().state.reason, "Introducing");
    assert.equal(world.text("db-certificate", "tls.crt"), world.certificate, "there is no key to sign another");
    world.assertTrust();
  });

  test("names that no certificate can have change nothing", () => {
    const world = new World();
    world.plan();
    world.load();
    world.spec = { ...managed, names: ["bücher.example"] };
    const { state, apply, trust } = world.plan();
    assert.deepEqual([state.isReady, state.reason, apply.length], [false, "Invalid", 0]);
    assert.equal(trust, world.text("db-trust", "ca.crt"));
  });
});

describe("given certificates", () => {
  const give = (world: World, { name = MEMBER, days = 30 } = {}): void => {
    const now = new Date(world.now);
    const authority = createAuthority({ commonName: "company", now, days: 365 });
    const leaf = authority.issue({
      commonName: "db",
      dnsNames: [name],
      usages: ["server"],
      ...validFor({ now, days }),
    });
    const texts = { "tls.crt": leaf.certificate, "tls.key": leaf.privateKey, "ca.crt": authority.certificate };
    world.secrets.set("given", texts);
  };
  const provided = (): World => {
    const world = new World();
    world.spec = { ...managed, mode: "Provided", secret: "given" };
    return world;
  };

  test("a good Secret is mounted, and its authorities are published", () => {
    const world = provided();
    give(world, { name: "*.db-members.shop.svc" });
    const { state, mount } = world.plan();
    assert.deepEqual([state.isReady, mount], [true, "given"], state.message);
    assert.equal(world.text("db-trust", "ca.crt"), world.text("given", "ca.crt"));
  });

  test("a Secret that cannot be used is a reason and is not mounted", () => {
    const reasonOf = (spoil: (world: World) => void): string => {
      const world = provided();
      give(world, { name: "*.db-members.shop.svc" });
      spoil(world);
      const { state, mount } = world.plan();
      assert.deepEqual([state.isReady, mount], [false, undefined]);
      return state.reason;
    };
    assert.equal(
      reasonOf((world) => world.secrets.delete("given")),
      "SecretMissing",
    );
    assert.equal(
      reasonOf((world) => world.secrets.set("given", { "tls.crt": "nonsense" })),
      "SecretIncomplete",
    );
    assert.equal(
      reasonOf((world) => give(world, { name: "db.example.com" })),
      "WrongNames",
    );
    assert.equal(
      reasonOf((world) => (world.now += 31 * DAY)),
      "Expired",
    );
    const otherTrust = (world: World): void => {
      const { "ca.crt": _own, ...leaf } = world.secrets.get("given") ?? {};
      give(world);
      world.secrets.set("given", { ...leaf, "ca.crt": world.text("given", "ca.crt") });
    };
    assert.equal(reasonOf(otherTrust), "Untrusted");
  });

  test("members with the former authority and with the new one are reached", () => {
    const world = provided();
    give(world, { name: "*.db-members.shop.svc" });
    world.plan();
    world.load("given");
    const now = new Date(world.now);
    const reaches = (certificate: string): boolean =>
      isTrusted(certificate, { authorities: splitBundle(connectionTrust(world.input()) ?? ""), now });
    give(world, { name: "*.db-members.shop.svc", days: 31 });
    for (let turn = 0; turn < 3; turn++) {
      assert.ok(reaches(world.certificate ?? "") && reaches(world.text("given", "tls.crt")));
      assert.equal(world.plan().state.reason, "Loading");
    }
    world.load("given");
    assert.equal(world.plan().state.reason, "Valid");
    assert.equal(splitBundle(world.text("db-trust", "ca.crt")).length, 1);
    world.secrets.delete("given");
    assert.ok(reaches(world.certificate ?? ""), "the published trust stays");
  });
});

test("without TLS there is nothing to apply", () => {
  const world = new World();
  world.spec = { ...managed, mode: "Off" };
  const { apply, mount, state } = world.plan();
  assert.deepEqual([apply, mount, state.reason], [[], undefined, "Off"]);
});
