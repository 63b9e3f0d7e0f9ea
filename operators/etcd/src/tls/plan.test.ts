import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAuthority, isTrusted, parseCertificate, splitBundle, validFor } from "capstan/pki";
import { planTls } from "./plan.ts";
import type { TlsInput, TlsPlan, TlsSpec } from "./plan.ts";
import { readSecret, toSecret } from "./secret.ts";
import type { StoredSecret } from "./secret.ts";

const DAY = 86_400_000;
const spec: TlsSpec = {
  mode: "Managed",
  validity: "90d",
  caValidity: "3650d",
  names: ["etcd.example.com", "10.0.0.7"],
};
const cluster = { name: "db", namespace: "shop" };

/** Applies plans like the operator, with a simulated clock. */
class World {
  now: number = Date.parse("2026-11-15T00:00:00Z");
  secrets: StoredSecret[] = [];
  members: string[] = [];
  request = "";

  plan(change: Partial<TlsInput> = {}): TlsPlan {
    const { secrets, now, request } = this;
    const plan = planTls({ cluster, spec, secrets, now, trusted: this.members, request, ...change });
    this.secrets = plan.apply.map(({ name, data }) => ({ metadata: { name }, data }));
    return plan;
  }

  restartAll(plan: TlsPlan): void {
    this.members = [plan.restart, plan.restart, plan.restart];
  }

  text(name: string, entry: string): string {
    return readSecret(this.secrets, name)[entry] ?? "";
  }

  /** Every certificate in use is trusted by all its peers. */
  assertTrust(): void {
    const now = new Date(this.now);
    for (const name of ["db-server", "db-peer", "db-client", "db-operator"]) {
      for (const other of ["db-server", "db-peer", "db-client", "db-operator"]) {
        const authorities = splitBundle(this.text(other, "ca.crt"));
        assert.ok(isTrusted(this.text(name, "tls.crt"), { authorities, now }), `${other} does not trust ${name}`);
      }
    }
  }
}

describe("managed certificates", () => {
  test("expired certificates are not reported as ready", () => {
    const world = new World();
    const short = { ...spec, caValidity: "2d", overlap: "24h" };
    world.restartAll(world.plan({ spec: short }));
    for (let hour = 0; hour <= 48; hour += 6) {
      world.now += DAY / 4;
      world.plan({ spec: short });
    }
    const { state } = world.plan({ spec: short });
    assert.deepEqual([state.ready, state.reason], [false, "Expired"]);
  });

  test("with the shortest authority allowed, nothing ever expires", () => {
    const world = new World();
    const short = { ...spec, caValidity: "6d", overlap: "24h" };
    for (let hour = 0; hour < 24 * 20; hour += 6) {
      const plan = world.plan({ spec: short });
      assert.ok(plan.state.ready, `hour ${hour}: ${plan.state.message}`);
      world.restartAll(plan);
      world.now += DAY / 4;
    }
  });

  test("the first plan creates everything, the second changes nothing", () => {
    const world = new World();
    const first = world.plan();
    world.assertTrust();
    assert.deepEqual(
      first.apply.map(({ name, type }) => `${name} ${type}`),
      [
        "db-ca kubernetes.io/tls",
        "db-server kubernetes.io/tls",
        "db-peer kubernetes.io/tls",
        "db-client kubernetes.io/tls",
        "db-operator kubernetes.io/tls",
      ],
    );
    assert.deepEqual(first.state.ready, true);
    assert.deepEqual(world.plan(), first);
    assert.equal(world.text("db-client", "endpoints"), "https://db-client.shop.svc:2379");
    const server = parseCertificate(world.text("db-server", "tls.crt"));
    for (const name of ["*.db.shop.svc", "db-client.shop.svc.cluster.local", "localhost", "etcd.example.com"]) {
      assert.ok(server.dnsNames.includes(name), name);
    }
    assert.ok(server.ipAddresses.includes("10.0.0.7"));
    assert.deepEqual(server.usages, ["server", "client"]);
    assert.equal(parseCertificate(world.text("db-operator", "tls.crt")).subject.commonName, "root");
  });

  test("certificates are renewed after two thirds of their life, the authority stays", () => {
    const world = new World();
    const first = world.plan();
    const serial = (): string => parseCertificate(world.text("db-server", "tls.crt")).serialNumber;
    const before = serial();
    world.now += 59 * DAY;
    assert.deepEqual(world.plan(), first);
    assert.ok((first.lookAgain ?? 0) > world.now && (first.lookAgain ?? 0) < world.now + 2 * DAY);
    world.now += 2 * DAY;
    const renewed = world.plan();
    assert.notEqual(serial(), before);
    assert.equal(renewed.restart, first.restart);
    world.assertTrust();
  });

  test("another name, a foreign certificate or a wrong key cause a new certificate", () => {
    const world = new World();
    world.plan();
    const serial = (): string => parseCertificate(world.text("db-server", "tls.crt")).serialNumber;
    const before = serial();
    world.plan({ spec: { ...spec, names: ["other.example.com"] } });
    assert.notEqual(serial(), before);
    const second = serial();
    const foreign = new World();
    foreign.plan();
    world.secrets = world.secrets.map((secret) =>
      secret.metadata.name === "db-server" ? toStored("db-server", readSecret(foreign.secrets, "db-server")) : secret,
    );
    world.plan({ spec: { ...spec, names: ["other.example.com"] } });
    assert.notEqual(serial(), second);
    world.secrets = world.secrets.map((secret) =>
      secret.metadata.name === "db-peer"
        ? toStored("db-peer", { ...readSecret(world.secrets, "db-peer"), "tls.key": "garbage" })
        : secret,
    );
    world.plan();
    world.assertTrust();
  });

  test("each phase of an authority rotation waits for the members", () => {
    const world = new World();
    const old = world.plan();
    world.restartAll(old);
    world.request = "please";
    const introducing = world.plan();
    assert.equal(introducing.state.reason, "Introducing");
    assert.notEqual(introducing.restart, old.restart);
    assert.equal(splitBundle(world.text("db-server", "ca.crt")).length, 2);
    world.assertTrust();
    const signedBefore = world.text("db-server", "tls.crt");
    world.now += 2 * DAY;
    assert.equal(world.plan().state.reason, "Introducing", "members do not trust the new one yet");
    world.members = [introducing.restart, introducing.restart, old.restart];
    assert.equal(world.plan().state.reason, "Introducing", "one member does not trust the new one yet");
    world.restartAll(introducing);
    const retiring = world.plan();
    assert.equal(retiring.state.reason, "Retiring");
    assert.notEqual(world.text("db-server", "tls.crt"), signedBefore);
    world.assertTrust();
    const authorities = splitBundle(world.text("db-server", "ca.crt"));
    assert.ok(isTrusted(signedBefore, { authorities, now: new Date(world.now) }), "clients may still show old ones");
    world.restartAll(retiring);
    assert.equal(world.plan().state.reason, "Retiring", "clients have a day");
    world.now += 2 * DAY;
    const steady = world.plan();
    assert.equal(steady.state.reason, "Valid");
    assert.equal(splitBundle(world.text("db-server", "ca.crt")).length, 1);
    world.assertTrust();
    assert.deepEqual(world.plan(), steady);
  });

  test("an authority is rotated before it expires", () => {
    const world = new World();
    const reasons = new Set<string>();
    for (let day = 0; day < 4000; day += 50) {
      const plan = world.plan();
      reasons.add(plan.state.reason);
      world.assertTrust();
      world.restartAll(plan);
      world.now += 50 * DAY;
    }
    assert.deepEqual([...reasons], ["Valid", "Introducing", "Retiring"]);
  });

  test("a lost authority is replaced without loss of trust", () => {
    const world = new World();
    const before = world.plan();
    world.restartAll(before);
    world.secrets = world.secrets.filter(({ metadata }) => metadata.name !== "db-ca");
    const lost = world.plan();
    assert.deepEqual([lost.state.ready, lost.state.reason], [true, "Introducing"]);
    world.assertTrust();
    world.restartAll(lost);
    world.now += 2 * DAY;
    assert.equal(world.plan().state.reason, "Retiring");
    world.assertTrust();
  });
});

describe("provided certificates", () => {
  const now = Date.parse("2026-11-15T00:00:00Z");
  const authority = createAuthority({ commonName: "corporate", now: new Date(now), days: 3650 });
  const issue = (days: number, dnsNames: string[]): StoredSecret["data"] => {
    const usages = ["server", "client"] as const;
    const leaf = authority.issue({ commonName: "x", usages, dnsNames, ...validFor({ now: new Date(now), days }) });
    return toSecret("x", { "tls.crt": leaf.certificate, "tls.key": leaf.privateKey, "ca.crt": authority.certificate })
      .data;
  };
  const given: TlsSpec = { ...spec, mode: "Provided", secrets: { server: "s", peer: "p", client: "c" } };
  const lastGood = { s: issue(90, ["*.db.shop.svc"]), p: issue(90, ["*.db.shop.svc"]), c: issue(90, []) };
  const planOf = (secrets: Record<string, StoredSecret["data"]>, superusers?: string[]): TlsPlan => {
    const stored = Object.entries(secrets).map(([name, data]) => ({ metadata: { name }, ...(data ? { data } : {}) }));
    return planTls({ cluster, spec: given, secrets: stored, now, trusted: [], ...(superusers && { superusers }) });
  };
  const GARBAGE = Buffer.from("-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n").toString("base64");

  test("valid ones are used as they are", () => {
    const plan = planOf(lastGood);
    assert.deepEqual(plan.apply, []);
    assert.deepEqual(plan.state, { ready: true, reason: "Valid", message: "The given certificates are good" });
    assert.deepEqual(plan.mounts, { server: "s", peer: "p" });
    assert.equal(plan.operator?.ca, authority.certificate);
  });

  test("each certificate of a long bundle is checked once", () => {
    const stranger = createAuthority({ commonName: "stranger", now: new Date(now), days: 3650 });
    const validity = validFor({ now: new Date(now), days: 90 });
    const leaf = stranger.issue({ commonName: "x", usages: ["client"], ...validity });
    const texts = { "tls.key": leaf.privateKey, "ca.crt": authority.certificate };
    const bundle = leaf.certificate + stranger.certificate.repeat(100);
    assert.equal(
      planOf({ ...lastGood, c: toSecret("c", { ...texts, "tls.crt": bundle }).data }).state.reason,
      "Untrusted",
    );
  });

  test("invalid ones are reported", () => {
    const other = new World();
    other.plan();
    const foreign = other.secrets.find(({ metadata }) => metadata.name === "db-server")?.data;
    const reasons = {
      missing: planOf({ s: lastGood.s, p: lastGood.p }).state.reason,
      incomplete: planOf({ ...lastGood, p: { "tls.crt": lastGood.p?.["tls.crt"] ?? "" } }).state.reason,
      expired: planOf({ ...lastGood, s: issue(-1, ["*.db.shop.svc"]) }).state.reason,
      untrusted: planOf({ ...lastGood, s: foreign }).state.reason,
      names: planOf({ ...lastGood, s: issue(90, ["elsewhere.example.com"]) }).state.reason,
      garbage: planOf({ ...lastGood, s: { ...lastGood.s, "ca.crt": GARBAGE } }).state.reason,
      user: planOf(lastGood, ["root"]).state.reason,
      "good user": planOf(lastGood, ["root", "x"]).state.reason,
    };
    assert.deepEqual(reasons, {
      missing: "SecretMissing",
      incomplete: "SecretIncomplete",
      expired: "Expired",
      untrusted: "Untrusted",
      names: "WrongNames",
      garbage: "SecretIncomplete",
      user: "WrongUser",
      "good user": "Valid",
    });
  });
});

function toStored(name: string, texts: Record<string, string>): StoredSecret {
  return { metadata: { name }, data: toSecret(name, texts).data };
}

describe("a spec that was stored before its rules", () => {
  const wrong = { ...spec, names: ["etcd.ex\u00e4mple.com", "", "a b", "fe80::1%eth0", "db.example.com"] };

  test("impossible names are left out and reported; the other names are covered", () => {
    const world = new World();
    const born = world.plan({ spec: wrong });
    assert.deepEqual([born.state.ready, born.state.reason], [false, "Invalid"]);
    assert.match(
      born.state.message,
      /spec\.tls\.names has "etcd\.ex\u00e4mple\.com", "", "a b", "fe80::1%eth0", which/u,
    );
    world.restartAll(born);
    const first = world.text("db-server", "tls.crt");
    assert.ok(parseCertificate(first).dnsNames.includes("db.example.com"));
    world.plan({ spec: wrong });
    assert.equal(world.text("db-server", "tls.crt"), first);
    world.now += 61 * DAY;
    world.plan({ spec: wrong });
    assert.notEqual(world.text("db-server", "tls.crt"), first);
    world.assertTrust();
  });

  for (const caValidity of ["999999999d", "9999999d"])
    test(`an authority of ${caValidity} is issued for a hundred years`, () => {
      const world = new World();
      const long = { ...spec, caValidity };
      const plan = world.plan({ spec: long });
      assert.equal(plan.state.reason, "Valid");
      assert.equal(parseCertificate(world.text("db-ca", "tls.crt")).notAfter.getTime(), world.now + 36_500 * DAY);
      world.restartAll(plan);
      world.request = "now";
      assert.equal(world.plan({ spec: long }).state.reason, "Introducing");
      world.assertTrust();
    });

  test("a plan that fails for any reason changes nothing and is reported", () => {
    const world = new World();
    const before = world.plan();
    const { secrets } = world;
    const after = world.plan({ now: Number.NaN });
    assert.deepEqual([after.state.ready, after.state.reason], [false, "Invalid"]);
    assert.deepEqual(world.secrets, secrets);
    assert.deepEqual([after.restart, after.mounts], [before.restart, before.mounts]);
    assert.equal(after.operator?.certificate, before.operator?.certificate);
  });
});

test("an IP address in another notation does not renew the certificate", () => {
  const world = new World();
  const odd = { ...spec, names: ["FD00:0::1", "::ffff:10.0.0.1", "Db.Example.com"] };
  world.plan({ spec: odd });
  const first = world.text("db-server", "tls.crt");
  world.plan({ spec: odd });
  assert.equal(world.text("db-server", "tls.crt"), first);
});
