/** The client against real etcd of every minor version that the operator runs. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { ETCD_VERSIONS } from "@capstan/kubernetes";
import { EtcdError, connectEtcd } from "../../src/etcd/index.ts";
import type { EtcdErrorCode } from "../../src/etcd/index.ts";
import { startEtcd, startEtcdCluster, startHealthyEtcd, takePlace, until, untilHealthy } from "./processes.ts";

const failsWith = (code: EtcdErrorCode) => (error: unknown) => error instanceof EtcdError && error.code === code;

for (const version of ETCD_VERSIONS) {
  const minor = version.split(".").slice(0, 2).join(".");
  describe(`etcd ${version}`, () => {
    test("keys are put, read, deleted and compared", async () => {
      await using etcd = await startHealthyEtcd({ version });
      const { kv } = etcd.client;
      const first = await kv.put("a", "1");
      await kv.put("a", Buffer.from([0, 255, 128]));
      await kv.put("b", "");
      const found = await kv.get("a");
      assert.deepEqual(found?.value, Buffer.from([0, 255, 128]));
      assert.equal(found?.version, 2);
      assert.equal(found?.createRevision, first.revision);
      assert.equal(await kv.get("nothing"), undefined);
      const old = await kv.range({ key: "a", revision: first.revision });
      assert.equal(old.kvs[0]?.value.toString(), "1");
      const all = await kv.range({ prefix: "" });
      assert.deepEqual(
        all.kvs.map(({ key }) => key.toString()),
        ["a", "b"],
      );
      assert.deepEqual(await kv.range({ from: "b", to: "c", countOnly: true }).then(({ count }) => count), 1);
      const limited = await kv.range({ prefix: "", limit: 1, keysOnly: true, serializable: true });
      assert.deepEqual([limited.more, limited.kvs.length, limited.kvs[0]?.value.length], [true, 1, 0]);
      const deleted = await kv.delete({ prefix: "b" });
      assert.deepEqual([deleted.deleted, deleted.revision], [1, first.revision + 3]);
    });

    test("a transaction runs one of two branches", async () => {
      await using etcd = await startHealthyEtcd({ version });
      const { kv } = etcd.client;
      const create = {
        when: [{ key: "k", is: "=", version: 0 }],
        then: [{ do: "put", key: "k", value: "v" }],
        otherwise: [{ do: "get", keys: { key: "k" } }],
      } as const;
      const made = await kv.txn(create);
      assert.deepEqual([made.succeeded, made.answers], [true, [{ did: "put" }]]);
      const again = await kv.txn(create);
      assert.equal(again.succeeded, false);
      const [answer] = again.answers;
      assert.ok(answer?.did === "get");
      assert.equal(answer.range.kvs[0]?.value.toString(), "v");
      const swap = await kv.txn({
        when: [
          { key: "k", is: "=", value: "v" },
          { key: "k", is: ">", createRevision: 1 },
          { key: "k", is: "<", modRevision: 100 },
        ],
        then: [{ do: "delete", keys: { key: "k" } }],
      });
      assert.deepEqual([swap.succeeded, swap.answers], [true, [{ did: "delete", deleted: 1 }]]);
    });

    test("compacted revisions are gone, future revisions do not exist yet", async () => {
      await using etcd = await startHealthyEtcd({ version });
      const { kv, maintenance } = etcd.client;
      for (const value of ["1", "2", "3"]) await kv.put("a", value);
      await kv.compact(3, { physical: true });
      await assert.rejects(kv.range({ key: "a", revision: 2 }), failsWith("Compacted"));
      await assert.rejects(kv.range({ key: "a", revision: 99 }), failsWith("FutureRevision"));
      await assert.rejects(kv.put("", "x"), failsWith("Invalid"));
      const hash = await maintenance.hashKv();
      assert.equal(hash.compactRevision, 3);
      assert.equal(hash.revision, 4);
      assert.equal(hash.hashRevision, minor === "3.5" ? undefined : 4);
    });

    test("a watch sees changes from a revision on and ends with its consumer", async () => {
      await using etcd = await startHealthyEtcd({ version });
      const { client } = etcd;
      await client.kv.put("w/1", "a");
      const seen: string[] = [];
      await client.kv.put("x", "elsewhere");
      for await (const batch of client.watch({ prefix: "w/", fromRevision: 2 })) {
        for (const { type, kv } of batch.events) seen.push(`${type} ${kv.key.toString()} ${kv.value.toString()}`);
        if (seen.length === 1) await client.kv.put("w/2", "b");
        if (seen.length === 2) await client.kv.delete({ key: "w/1" });
        if (seen.length === 3) break;
      }
      assert.deepEqual(seen, ["put w/1 a", "put w/2 b", "delete w/1 "]);
      await client.kv.compact(4);
      await assert.rejects(
        client.watch({ prefix: "w/", fromRevision: 1 })[Symbol.asyncIterator]().next(),
        failsWith("Compacted"),
      );
      const controller = new AbortController();
      const waiting = client.watch({ key: "never", signal: controller.signal })[Symbol.asyncIterator]().next();
      controller.abort();
      await assert.rejects(waiting, failsWith("Aborted"));
    });

    test("keys of a lease expire with it", async () => {
      await using etcd = await startHealthyEtcd({ version });
      const { kv, leases } = etcd.client;
      const { id, ttlSeconds } = await leases.grant(60);
      assert.equal(ttlSeconds, 60);
      await kv.put("a", "1", { lease: id });
      assert.equal((await kv.get("a"))?.lease, id);
      assert.equal((await leases.keepAlive(id)).ttlSeconds, 60);
      await leases.revoke(id);
      assert.equal(await kv.get("a"), undefined);
      await assert.rejects(leases.revoke(id), failsWith("LeaseNotFound"));
      await assert.rejects(leases.keepAlive(id), failsWith("LeaseNotFound"));
    });

    test("a member reports its status", async () => {
      await using etcd = await startHealthyEtcd({ version, arguments: ["--quota-backend-bytes=104857600"] });
      const { maintenance } = etcd.client;
      const status = await maintenance.status();
      assert.equal(status.version, version);
      assert.equal(status.leader, status.memberId);
      assert.match(status.memberId, /^[1-9a-f][0-9a-f]*$/);
      assert.ok(status.dbSize >= status.dbSizeInUse && status.dbSizeInUse > 0);
      assert.equal(status.dbSizeQuota, minor === "3.5" ? undefined : 104_857_600);
      await until("the cluster's version", async () => (await maintenance.versions()).cluster === `${minor}.0`);
      const versions = await maintenance.versions();
      assert.equal(versions.server, version);
      if (minor !== "3.5") {
        await until("the storage's version", async () => (await maintenance.versions()).storage === `${minor}.0`);
        assert.equal((await maintenance.status()).storageVersion, `${minor}.0`);
      }
      await maintenance.defragment();
      assert.deepEqual(await maintenance.alarms(), []);
    });

    test("a full member raises an alarm, rejects writes, and is repaired", async () => {
      await using etcd = await startHealthyEtcd({ version, arguments: ["--quota-backend-bytes=1048576"] });
      const { kv, maintenance } = etcd.client;
      const fill = async (): Promise<void> => {
        for (let i = 0; i < 100; i++) await kv.put("big", Buffer.alloc(200_000, i));
      };
      await assert.rejects(fill(), failsWith("NoSpace"));
      const [alarm] = await maintenance.alarms();
      assert.equal(alarm?.kind, "NoSpace");
      assert.ok(alarm);
      assert.equal((await maintenance.status()).errors.length, 1);
      const { revision } = await kv.range({ key: "big" });
      await kv.compact(revision, { physical: true });
      await maintenance.defragment();
      await maintenance.disarm(alarm);
      await kv.put("big", "small");
      assert.deepEqual(await maintenance.alarms(), []);
    });

    test("a snapshot ends with the checksum of its content", async () => {
      await using etcd = await startHealthyEtcd({ version });
      for (let i = 0; i < 20; i++) await etcd.client.kv.put(`k${i}`, Buffer.alloc(100_000, i));
      const snapshot = await etcd.client.maintenance.snapshot();
      const parts: Buffer[] = [];
      for await (const part of snapshot) parts.push(part);
      const whole = Buffer.concat(parts);
      assert.equal(whole.length, snapshot.size);
      const data = whole.subarray(0, -32);
      assert.deepEqual(createHash("sha256").update(data).digest(), whole.subarray(-32));
      assert.equal(data.length % 512, 0);
    });

    test("users log in, can access only their keys, and tokens are renewed", async () => {
      await using etcd = await startHealthyEtcd({ version });
      const { auth } = etcd.client;
      await assert.rejects(auth.enable(), failsWith("NoRoot"));
      await auth.addRole("root");
      await auth.addUser({ name: "root", password: "secret" });
      await auth.grantRole({ user: "root", role: "root" });
      await auth.addRole("reader");
      await auth.allow("reader", { allow: "read", keys: { prefix: "app/" } });
      await auth.addUser({ name: "app", password: "pw" });
      await auth.addUser({ name: "by-certificate" });
      await auth.grantRole({ user: "app", role: "reader" });
      await assert.rejects(auth.addUser({ name: "app", password: "pw" }), failsWith("AlreadyExists"));
      assert.equal(await auth.isEnabled(), false);
      await auth.enable();
      const endpoint = etcd.clientURL;
      await using root = connectEtcd({ endpoint, credentials: { name: "root", password: "secret" } });
      await using app = connectEtcd({ endpoint, credentials: { name: "app", password: "pw" } });
      await using stranger = connectEtcd({ endpoint, credentials: { name: "app", password: "wrong" } });
      await root.kv.put("app/x", "1");
      assert.equal((await app.kv.get("app/x"))?.value.toString(), "1");
      await assert.rejects(app.kv.put("app/x", "2"), failsWith("Denied"));
      await assert.rejects(app.kv.get("other"), failsWith("Denied"));
      await app.maintenance.checkHealth();
      await assert.rejects(stranger.kv.get("app/x"), failsWith("Unauthenticated"));
      await assert.rejects(etcd.client.kv.get("app/x"), failsWith("Unauthenticated"));
      assert.deepEqual(await root.auth.users(), ["app", "by-certificate", "root"]);
      assert.deepEqual(await root.auth.rolesOf("app"), ["reader"]);
      const [permission] = await root.auth.permissionsOf("reader");
      assert.deepEqual(permission, { allow: "read", keys: { prefix: Buffer.from("app/") } });
      // Tokens live in the member's memory: after a restart the client gets a new one and the caller does not notice.
      await etcd.stop();
      await using restarted = await startEtcd({ version, place: etcd.place });
      await until("the member to be back", async () => (await root.auth.users()).length === 3);
      assert.equal(restarted.clientURL, endpoint);
      await root.kv.put("app/x", "3");
      await root.auth.changePassword({ name: "app", password: "new" });
      await assert.rejects(stranger.kv.get("app/x"), failsWith("Unauthenticated"));
      await root.auth.forbid("reader", { prefix: "app/" });
      await root.auth.revokeRole({ user: "app", role: "reader" });
      await root.auth.removeRole("reader");
      await assert.rejects(root.auth.permissionsOf("reader"), failsWith("RoleNotFound"));
      await root.auth.removeUser("app");
      await assert.rejects(root.auth.rolesOf("app"), failsWith("UserNotFound"));
      await root.auth.disable();
      await etcd.client.kv.put("open", "again");
      await root.kv.put("open", "again");
    });
  });
}

describe("a cluster", () => {
  for (const version of ETCD_VERSIONS) {
    test(`etcd ${version}: a learner joins, is promoted, leads, and leaves`, async () => {
      await using cluster = await startEtcdCluster(1, { version });
      const [first] = cluster.members;
      assert.ok(first);
      const { client } = first;
      const place = await takePlace();
      const peerURL = `http://127.0.0.1:${place.peerPort}`;
      const { added, members } = await client.members.add({ peerURLs: [peerURL], isLearner: true });
      assert.deepEqual([added.name, added.isLearner, added.peerURLs, members.length], ["", true, [peerURL], 2]);
      await assert.rejects(client.members.add({ peerURLs: [peerURL] }), failsWith("MemberExists"));
      await assert.rejects(
        client.members.add({ peerURLs: ["http://127.0.0.1:1"], isLearner: true }),
        failsWith("TooManyLearners"),
      );
      await assert.rejects(client.members.promote(added.id), failsWith("LearnerNotReady"));
      await using second = await startEtcd({
        version,
        name: "m1",
        place,
        state: "existing",
        peers: [`m0=${first.peerURL}`],
      });
      await until("the learner to answer", async () => (await second.client.maintenance.status()).isLearner);
      await assert.rejects(second.client.kv.put("a", "b"), failsWith("IsLearner"));
      await until("the promotion", async () => {
        await client.members.promote(added.id);
        return true;
      });
      await untilHealthy(second);
      await assert.rejects(client.members.promote(added.id), failsWith("NotLearner"));
      await assert.rejects(second.client.maintenance.moveLeader(added.id), failsWith("NotLeader"));
      // On a busy machine the response to a move can come too late.
      await until("the new leader", async () => {
        const { leader } = await client.maintenance.status();
        if (leader !== added.id) await client.maintenance.moveLeader(added.id);
        return leader === added.id;
      });
      const hashes = await Promise.all(
        [first, second].map(({ client: one }) => one.maintenance.hashKv({ revision: 1 })),
      );
      assert.equal(hashes[0]?.hash, hashes[1]?.hash);
      const local = await second.client.members.list({ local: true });
      assert.deepEqual(local.members.map(({ name }) => name).toSorted(), ["m0", "m1"]);
      const self = await client.maintenance.status();
      await client.members.update(self.memberId, { peerURLs: [first.peerURL, "http://127.0.0.1:2"] });
      // etcd removes a member only after the remaining ones have been connected for a while.
      await until("the removal", async () => {
        const left = await second.client.members.remove(self.memberId);
        return left.members.map(({ name }) => name).join() === "m1";
      });
      await assert.rejects(second.client.members.remove("1"), failsWith("MemberNotFound"));
    });
  }

  test("calls without quorum fail in time with a clear error", async () => {
    await using cluster = await startEtcdCluster(3, { version: "3.6.16" });
    const [first, second, third] = cluster.members;
    assert.ok(first && second && third);
    await first.client.kv.put("a", "1");
    await Promise.all([second.stop(), third.stop()]);
    const read = first.client.kv.get("a", { timeoutMs: 2000 });
    await assert.rejects(read, (error) => failsWith("Deadline")(error) || failsWith("NoLeader")(error));
    // The first call may be under way when the connection ends; the next one fails before it reaches a member.
    await assert.rejects(second.client.kv.get("a"), failsWith("Unreachable"));
    await assert.rejects(second.client.kv.get("a"), (error: unknown) => {
      return error instanceof EtcdError && error.code === "Unreachable" && !error.maybeDone;
    });
    // Calls that need no quorum still work, and the connection has survived.
    assert.equal((await first.client.members.list({ local: true })).members.length, 3);
    assert.equal((await first.client.kv.range({ key: "a", serializable: true })).kvs.length, 1);
    await until("the leader to be missed", async () => (await first.client.maintenance.status()).leader === undefined);
  });

  test("after a restart the same client connects again", async () => {
    const place = await takePlace();
    const first = await startHealthyEtcd({ version: "3.6.16", place });
    await using client = connectEtcd({ endpoint: first.clientURL });
    await client.kv.put("a", "1");
    await first.stop();
    await assert.rejects(client.kv.get("a"), failsWith("Unreachable"));
    await using second = await startHealthyEtcd({ version: "3.6.16", place });
    assert.equal((await client.kv.get("a"))?.value.toString(), "1");
    assert.equal(second.clientURL, first.clientURL);
    await first.client[Symbol.asyncDispose]();
  });
});
