/** A whole rotation of the authority on real etcd members that use TLS with each other and with a client that never stops. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ETCD_VERSIONS } from "@capstan/kubernetes";
import { connectEtcd, EtcdError } from "../../src/etcd/index.ts";
import type { TlsMaterial } from "../../src/etcd/index.ts";
import { peerName, planTls } from "../../src/tls/index.ts";
import type { StoredSecret, TlsPlan, TlsSpec } from "../../src/tls/index.ts";
import { startEtcd, takePlace, until, untilHealthy } from "../etcd/processes.ts";
import type { EtcdProcess, MemberPlace } from "../etcd/processes.ts";
import { mountSecret, storedSecrets } from "./files.ts";

const spec: TlsSpec = { mode: "Managed", validity: "90d", caValidity: "3650d", overlap: "24h", names: [] };
const DAY = 86_400_000;

/** The default version of clusters; `CAPSTAN_ETCD_VERSIONS=all` tests each version. */
const versions = ETCD_VERSIONS.filter(
  (one) => process.env["CAPSTAN_ETCD_VERSIONS"] === "all" || one.startsWith("3.6."),
);

for (const version of versions) {
  test(`etcd ${version}: the authority changes while a client writes`, async () => {
    // Certificates are issued in the past, so that etcd, which uses the machine's clock, accepts them all.
    let now = Date.now() - 14 * DAY;
    let secrets: StoredSecret[] = [];
    let trusted: string[] = [];
    const plan = (request: string): TlsPlan => {
      const made = planTls({ cluster: { name: "db", namespace: "shop" }, spec, secrets, now, trusted, request });
      secrets = storedSecrets(made);
      return made;
    };
    const places = await Promise.all([takePlace(), takePlace(), takePlace()]);
    const first = plan("");
    await writeFiles(places, secrets);
    const members = await Promise.all(places.map((_, at) => startMember({ places, at, version, plan: first })));
    await using _members = { [Symbol.asyncDispose]: () => stopAll(members) };
    await Promise.all(members.map(untilHealthy));
    trusted = members.map(() => first.restart);
    let material = first.operator;
    const stop = new AbortController();
    const writing = write(places, () => material, stop.signal);

    const phases: string[] = [];
    for (const request of ["now", "now", "now"]) {
      const next = plan(request);
      phases.push(next.state.reason);
      await writeFiles(places, secrets);
      for (const at of places.keys()) {
        await members[at]?.stop("SIGTERM");
        await members[at]?.client[Symbol.asyncDispose]();
        members[at] = await untilHealthy(await startMember({ places, at, version, plan: next }));
        trusted[at] = next.restart;
      }
      material = next.operator;
      now += 2 * DAY;
    }
    stop.abort();
    const written = await writing;
    const keys = await members[0]?.client.kv.range({ prefix: "w/", countOnly: true });
    assert.deepEqual(phases, ["Introducing", "Retiring", "Valid"]);
    assert.ok(written > 10, `only ${written} writes`);
    assert.equal(keys?.count, written);
  });
}

async function stopAll(members: readonly EtcdProcess[]): Promise<void> {
  await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
}

interface Start {
  readonly places: readonly MemberPlace[];
  readonly at: number;
  readonly version: string;
  readonly plan: TlsPlan;
}

async function startMember({ places, at, version, plan }: Start): Promise<EtcdProcess> {
  const place = places[at];
  assert.ok(place && plan.operator);
  const peers = places.map(({ peerPort }, index) => `m${index}=https://127.0.0.1:${peerPort}`);
  const file = (secret: string, entry: string): string => join(place.folder, "tls", secret, entry);
  return startEtcd({
    version,
    name: `m${at}`,
    scheme: "https",
    place,
    peers: peers.filter((_, index) => index !== at),
    connect: { tls: plan.operator },
    arguments: [
      `--cert-file=${file("db-server", "tls.crt")}`,
      `--key-file=${file("db-server", "tls.key")}`,
      `--trusted-ca-file=${file("db-server", "ca.crt")}`,
      "--client-cert-auth",
      `--peer-cert-file=${file("db-peer", "tls.crt")}`,
      `--peer-key-file=${file("db-peer", "tls.key")}`,
      `--peer-trusted-ca-file=${file("db-peer", "ca.crt")}`,
      "--peer-client-cert-auth",
      `--peer-cert-allowed-cn=${peerName({ name: "db" })}`,
    ],
  });
}

/** Writes the files of every member while it runs. */
async function writeFiles(places: readonly MemberPlace[], secrets: readonly StoredSecret[]): Promise<void> {
  for (const { folder } of places) {
    for (const secret of secrets) await mountSecret(join(folder, "tls", secret.metadata.name), secret);
  }
}

/** Writes one key after the other, each until a member accepts it; counts them. */
async function write(
  places: readonly MemberPlace[],
  material: () => TlsMaterial | undefined,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    await until(`write ${count} to be taken by somebody`, async () => {
      const tls = material();
      assert.ok(tls);
      for (const { clientPort } of places) {
        await using client = connectEtcd({ endpoint: `https://127.0.0.1:${clientPort}`, tls, timeoutMs: 2000 });
        try {
          await client.kv.put(`w/${count}`, String(count));
          return true;
        } catch (error) {
          if (!(error instanceof EtcdError)) throw error;
        }
      }
      return false;
    });
    count++;
  }
  return count;
}

test("unknown certificates are rejected", async () => {
  const place = await takePlace();
  const input = { cluster: { name: "db", namespace: "shop" }, spec, secrets: [], now: Date.now(), trusted: [] };
  const plan = planTls(input);
  const stranger = planTls(input);
  await writeFiles([place], storedSecrets(plan));
  await using member = await startMember({ places: [place], at: 0, version: "3.6.16", plan });
  await untilHealthy(member);
  const endpoint = member.clientURL;
  assert.ok(plan.operator && stranger.operator);
  const { ca } = plan.operator;
  const attempts: TlsMaterial[] = [
    { ca },
    { ...stranger.operator, ca },
    { ...plan.operator, ca: stranger.operator.ca },
  ];
  for (const tls of attempts) {
    await using client = connectEtcd({ endpoint, tls });
    await assert.rejects(client.kv.get("a"), (error) => error instanceof EtcdError && error.code === "Unreachable");
  }
});
