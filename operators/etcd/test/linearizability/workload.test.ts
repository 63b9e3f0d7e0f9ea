/** The workload on real etcd: members are killed and restarted, and a store that returns wrong values is detected. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectEtcd } from "../../src/etcd/index.ts";
import type { EtcdClient } from "../../src/etcd/index.ts";
import { startEtcd, startEtcdCluster, startHealthyEtcd, until, untilHealthy } from "../etcd/processes.ts";
import { startWorkload } from "./workload.ts";

test("histories stay linearizable while members are killed and restarted", async () => {
  await using cluster = await startEtcdCluster(3, { version: "3.6.16" });
  await using lives = new AsyncDisposableStack();
  const { members } = cluster;
  const load = startWorkload({
    endpoints: () => members.map(({ clientURL }) => clientURL),
    connect: (endpoint) => connectEtcd({ endpoint }),
  });
  for (const member of members) {
    load.step(`kill ${member.name}`);
    await member.stop();
    const others = members.filter((other) => other !== member);
    await Promise.all(others.map(untilHealthy));
    const peers = others.map(({ name, peerURL }) => `${name}=${peerURL}`);
    const back = await startEtcd({ version: "3.6.16", name: member.name, place: member.place, peers });
    lives.use(back);
    await untilHealthy(back);
    await until("a client being served", load.served);
  }
  const report = await load.stop();
  assert.deepEqual(report.verdict.ok, true, JSON.stringify(report.verdict));
  assert.deepEqual(
    report.steps.map(({ name }) => name),
    ["start", "kill m0", "kill m1", "kill m2"],
  );
  assert.ok(report.steps.slice(1).every(({ acknowledged }) => acknowledged > 0));
});

test("a member that was restored to an older state is detected", async () => {
  await using etcd = await startHealthyEtcd({ version: "3.6.16" });
  await using other = await startHealthyEtcd({ version: "3.6.16" });
  let endpoint = etcd.clientURL;
  const load = startWorkload({
    endpoints: () => [endpoint],
    connect: (at) => connectEtcd({ endpoint: at }),
    clients: 2,
  });
  await until("some writes", async () => (await etcd.client.maintenance.status()).revision > 50);
  endpoint = other.clientURL;
  await etcd.stop();
  await until("some writes elsewhere", async () => (await other.client.maintenance.status()).revision > 20);
  const report = await load.stop();
  assert.equal(report.verdict.ok, false);
});

test("stale reads from a member's own memory are detected", async () => {
  await using etcd = await startHealthyEtcd({ version: "3.6.16" });
  const load = startWorkload({
    endpoints: () => [etcd.clientURL],
    connect: (endpoint) => forgetful(connectEtcd({ endpoint })),
    clients: 3,
    keys: 1,
  });
  await until("many writes", async () => (await etcd.client.maintenance.status()).revision > 200);
  const report = await load.stop();
  assert.equal(report.verdict.ok, false);
});

/** Serves some reads from an old state. */
function forgetful(client: EtcdClient): EtcdClient {
  let count = 0;
  const get: EtcdClient["kv"]["get"] = async (key, options) => {
    const { revision, kvs } = await client.kv.range({ key }, options);
    if (++count % 10 !== 0 || revision < 20) return kvs[0];
    return (await client.kv.range({ key, revision: revision - 10 }, options)).kvs[0];
  };
  return { ...client, kv: { ...client.kv, get } };
}
