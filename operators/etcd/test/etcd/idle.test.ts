/** Hashes of a cluster without writes: etcd keeps the hashes of compactions, and members that joined later do not have them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemberStatus } from "../../src/contract.ts";
import { connectEtcd, EtcdError } from "../../src/etcd/index.ts";
import { compareData } from "capstan/stateful/quorum";
import type { ComparisonResult } from "capstan/stateful/quorum";
import { newestPatches } from "../../src/observe/index.ts";
import { MemberClients } from "../../src/observe/member-clients.ts";
import { startEtcd, startEtcdCluster, startHealthyEtcd, takePlace, until, untilHealthy } from "./processes.ts";
import type { EtcdProcess } from "./processes.ts";

const NEXT: readonly (readonly [from: string, to: string])[] = [
  ["3.5.35", "3.6.16"],
  ["3.6.16", "3.7.3"],
  ["3.7.3", "3.7.3"],
];

for (const [from, to] of NEXT) {
  test(`etcd ${from} and ${to}: members with and without compaction hashes compare`, async () => {
    await using cluster = await startEtcdCluster(2, { version: from });
    const [kept, other] = cluster.members;
    assert.ok(kept && other);
    await write(kept, 30);
    await compactAtNewest(kept);
    await other.stop("SIGTERM");
    const { place, name } = other;
    await using restarted = await startEtcd({ version: to, place, name, peers: [`${kept.name}=${kept.peerURL}`] });
    await untilHealthy(restarted);
    await areCompared([kept, restarted]);
  });
}

test("a newer member that joined by snapshot compares with a compaction hash", async () => {
  await using voter = await startHealthyEtcd({ version: "3.6.16", arguments: ["--snapshot-count=100"] });
  // More entries than the leader keeps in its log.
  await write(voter, 7_000);
  await compactAtNewest(voter);
  const place = await takePlace();
  await voter.client.members.add({ peerURLs: [`http://127.0.0.1:${place.peerPort}`], isLearner: true });
  const peers = [`${voter.name}=${voter.peerURL}`];
  await using joined = await startEtcd({ version: "3.7.3", place, name: "m1", state: "existing", peers });
  await until("it votes", async () => {
    const { members } = await voter.client.members.list();
    const learner = members.find(({ isLearner }) => isLearner);
    if (learner !== undefined) await voter.client.members.promote(learner.id);
    return true;
  });
  await areCompared([voter, joined]);
});

for (const version of Object.values(newestPatches))
  test(`etcd ${version}: HashKV of a compacted revision returns the kept hash`, async () => {
    const place = await takePlace();
    await using first = await startHealthyEtcd({ version, place });
    await write(first, 30);
    await first.client.kv.compact(10, { physical: true });
    await first.client.kv.compact(31, { physical: true });
    const at = async ({ client }: EtcdProcess, revision: number): Promise<number | string> =>
      await client.maintenance.hashKv({ revision }).then(
        ({ compactRevision }) => compactRevision,
        (error: unknown) => (error instanceof EtcdError ? error.code : "another error"),
      );
    const memberStatuses = async (one: EtcdProcess): Promise<readonly (number | string)[]> =>
      await Promise.all([NEWEST, 11, 31, 32].map((revision) => at(one, revision)));
    assert.deepEqual(await memberStatuses(first), [31, "Compacted", 10, "FutureRevision"]);
    await first.stop("SIGTERM");
    await using again = await startHealthyEtcd({ version, place });
    assert.deepEqual(
      await memberStatuses(again),
      [31, "Compacted", 31, "FutureRevision"],
      "it is forgotten with the process",
    );
    await write(again, 1);
    assert.deepEqual(await memberStatuses(again), [31, "Compacted", 31, 31]);
    assert.equal((await again.client.maintenance.hashKv({ revision: NEWEST })).revision, 32);
  });

const NEWEST = 0;

test("members under constant writes are compared, too", async () => {
  await using cluster = await startEtcdCluster(3, { version: "3.6.16" });
  const [first] = cluster.members;
  assert.ok(first);
  const end = new AbortController();
  const work = (async () => {
    while (!end.signal.aborted) await write(first, 20);
  })();
  try {
    await until("a comparison", async () => (await compare(cluster.members, {})).uncompared === undefined);
  } finally {
    end.abort();
    await work;
  }
});

async function write({ client }: EtcdProcess, count: number): Promise<void> {
  let left = count;
  const put = async (): Promise<void> => {
    while (left-- > 0) await client.kv.put(`k${left % 50}`, `v${left}`);
  };
  await Promise.all(Array.from({ length: 20 }, put));
}

async function compactAtNewest({ client }: EtcdProcess): Promise<void> {
  await client.kv.compact(10, { physical: true });
  await client.kv.compact((await client.maintenance.status()).revision, { physical: true });
}

/** Compares like the operator before it removes or adds a member. */
async function compare(members: readonly EtcdProcess[], former: ComparisonResult): Promise<ComparisonResult> {
  const urls = new Map(members.map(({ name, clientURL }) => [name, clientURL]));
  await using clients = new MemberClients({
    connect: ({ endpoint }) => connectEtcd({ endpoint: urls.get(new URL(endpoint).hostname) ?? "" }),
    place: { name: "e", namespace: "n", isSecure: false },
    addresses: new Map(members.map(({ name }) => [name, name])),
    steady: () => performance.now(),
  });
  const memberStatuses = await Promise.all(members.map(async (one) => [one.name, await answerOf(one)] as const));
  const listed = memberStatuses.map(([member, { id }]) => ({ member, id, isStarted: true, isLearner: false }));
  const clusterId = memberStatuses[0]?.[1].clusterId ?? "";
  return await compareData(clients, {
    hearing: {
      answers: Object.fromEntries(memberStatuses),
      quorum: { by: "quorum", clusterId, members: listed },
      alarms: [],
    },
    volumes: listed.map(({ member }) => ({ member, state: "bound", requested: 1, capacity: 1 })),
    now: Date.now(),
    former,
    reasons: ["they are about to change"],
    subject: "",
  });
}

async function answerOf({ client }: EtcdProcess): Promise<Extract<MemberStatus, { is: "talking" }>> {
  const { memberId: id, raftAppliedIndex: applied, dbSize, dbSizeInUse, ...status } = await client.maintenance.status();
  const { clusterId, version, isLearner, revision, raftIndex, raftTerm, leader = "" } = status;
  const sizes = { dbBytes: dbSize, dbBytesInUse: dbSizeInUse, isCorrupt: false, isFull: false };
  return { is: "talking", id, clusterId, version, isLearner, revision, raftIndex, raftTerm, applied, leader, ...sizes };
}

async function areCompared(members: readonly [EtcdProcess, EtcdProcess]): Promise<void> {
  const [one, other] = members;
  const { revision } = await one.client.maintenance.status();
  await until("the same revision", async () => (await other.client.maintenance.status()).revision === revision);
  const told = await Promise.all(members.map(({ client }) => client.maintenance.hashKv({ revision })));
  assert.equal(new Set(told.map(({ compactRevision }) => compactRevision)).size, 2, "one of them kept a hash");
  const { uncompared, comparison } = await compare(members, {});
  assert.equal(uncompared, undefined);
  assert.deepEqual(comparison?.differing, []);
  assert.equal((await one.client.maintenance.status()).revision, revision, "nobody wrote");
}
