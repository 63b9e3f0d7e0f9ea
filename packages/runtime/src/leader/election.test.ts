import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ForbiddenError } from "@capstan/client";
import type { StoredObject } from "@capstan/model";
import { ModelApi } from "../../test/model-api.ts";
import { silentLog } from "../log.ts";
import { VirtualClock } from "../testing/clock.ts";
import { errors } from "../testing/faulty-api.ts";
import { Election } from "./election.ts";
import { Lease } from "./lease.ts";
import type { LeaseObject } from "./lease.ts";

async function holderIn(api: ModelApi): Promise<string | null | undefined> {
  const lease: LeaseObject = await api.get(Lease, { namespace: "default", name: "x" });
  return lease.spec?.holderIdentity;
}

describe("leader election", () => {
  interface Candidates {
    readonly clock: VirtualClock;
    readonly api: ModelApi;
    readonly one: Election;
    readonly two: Election;
    /** Messages that were logged as errors. */
    readonly told: string[];
    /** Other logged messages. */
    readonly said: string[];
  }

  function candidates(): Candidates {
    const clock = new VirtualClock();
    const api = new ModelApi(() => clock.wall());
    const told: string[] = [];
    const said: string[] = [];
    const error = (message: string): void => void told.push(message);
    const log = { ...silentLog, error, info: (message: string) => void said.push(message) };
    const make = (identity: string): Election =>
      new Election({ api, clock, random: () => 1, log, namespace: "default", name: "x", identity });
    return { clock, api, one: make("one"), two: make("two"), told, said };
  }

  test("elects one replica, and another after the first releases the lease", async () => {
    const { clock, one, two, said } = candidates();
    one.start();
    await clock.advance(0);
    two.start();
    await clock.advance(60_000);
    assert.deepEqual([one.isLeader, two.isLeader], [true, false]);
    const released = one.release();
    await clock.advance(3_100);
    await released;
    assert.deepEqual([one.isLeader, two.isLeader], [false, true]);
    const [leads, standsBy] = ["leads: holds the lease default/x", 'stands by: "one" holds the lease default/x'];
    assert.deepEqual(said, [leads, standsBy, leads], "each is told once");
    await two.abandon();
  });

  test("keeps the lease when one renewal hangs: each request has half of the deadline", async () => {
    const { clock, api, one, told } = candidates();
    one.start();
    await clock.advance(1_000);
    const patch = api.patch.bind(api);
    const signals: (AbortSignal | undefined)[] = [];
    api.patch = (...call) =>
      signals.push(call[3].signal) === 1 ? new Promise(() => undefined) : (patch(...call) as Promise<StoredObject>);
    await clock.advance(30_000);
    assert.ok(signals.length > 2, "it was tried again");
    assert.deepEqual([one.isLeader, one.lost.aborted, signals[0]?.aborted], [true, false, true]);
    assert.deepEqual(told, [
      "cannot get or keep the lease, and goes on trying: the API server did not answer within 5000 ms",
    ]);
    await one.abandon();
  });

  for (const call of ["get", "patch"] as const) {
    test(`a release with a hanging ${call} is abandoned, not awaited`, async () => {
      const { clock, api, one } = candidates();
      one.start();
      await clock.advance(1_000);
      api[call] = () => new Promise(() => undefined);
      let isOver = false;
      const released = one.release().then(() => (isOver = true));
      await clock.advance(5_001);
      assert.equal(isOver, true);
      await released;
    });
  }

  test("does not allow writes when a renewal succeeds after the release has begun", async () => {
    const { clock, api, one } = candidates();
    one.start();
    await clock.advance(1_000);
    const patch = api.patch.bind(api);
    const answered = Promise.withResolvers<void>();
    let asked = 0;
    api.patch = async (...call) => {
      const changed = await patch(...call);
      if (asked++ === 0) await answered.promise;
      return changed;
    };
    await clock.advance(3_000);
    assert.deepEqual([asked, one.isLeader], [1, true]);
    const released = one.release();
    answered.resolve();
    await clock.advance(3_000);
    await released;
    assert.equal(await holderIn(api), "");
    assert.throws(() => one.check(), { code: "Fenced" });
  });

  for (const verb of ["create", "patch"] as const) {
    test(`releases a lease that was acquired by ${verb} during a stop`, async () => {
      const { clock, api, one, two } = candidates();
      if (verb === "patch") {
        two.start();
        await clock.advance(1_000);
        await Promise.all([two.release(), clock.advance(1_000)]);
      }
      const answered = Promise.withResolvers<void>();
      let asked = 0;
      const slow = async (change: Promise<StoredObject>): Promise<StoredObject> => {
        const changed = await change;
        if (asked++ === 0) await answered.promise;
        return changed;
      };
      const [create, patch] = [api.create.bind(api), api.patch.bind(api)];
      api.create = (...call) => slow(create(...call));
      api.patch = (...call) => (verb === "patch" ? slow(patch(...call)) : patch(...call));
      one.start();
      await clock.advance(3_000);
      assert.equal(asked, 1);
      const released = one.release();
      answered.resolve();
      await clock.advance(3_000);
      await released;
      assert.deepEqual([await holderIn(api), one.isLeader], ["", false]);
    });
  }

  test("does not touch the lease if the replica never contended for it", async () => {
    const { clock, api, one, two } = candidates();
    one.start();
    await clock.advance(1_000);
    two.start();
    await clock.advance(3_000);
    await Promise.all([two.release(), clock.advance(1_000)]);
    assert.deepEqual([await holderIn(api), one.isLeader], ["one", true]);
    await one.abandon();
  });

  test("elects another replica one lease duration after a crash, whatever the wall clock", async () => {
    const { clock, one, two } = candidates();
    one.start();
    await clock.advance(0);
    two.start();
    await clock.advance(10_000);
    await one.abandon();
    clock.jump(86_400_000);
    await clock.advance(12_000);
    assert.equal(two.isLeader, false);
    await clock.advance(8_000);
    assert.equal(two.isLeader, true);
    await two.abandon();
  });

  test("logs once why it cannot get the lease, with the missing rule, and then gets it", async () => {
    const { clock, api, one, told } = candidates();
    const attempt = {
      verb: "get",
      group: "coordination.k8s.io",
      version: "v1",
      kind: "Lease",
      plural: "leases",
      namespace: "default",
      name: "x",
    } as const;
    const get = api.get.bind(api);
    api.get = () => Promise.reject(new ForbiddenError({ attempt, why: "no permission" }));
    one.start();
    await clock.advance(60_000);
    assert.deepEqual(told, [
      "cannot get or keep the lease, and goes on trying: Cannot get Lease default/x: no permission. " +
        "If a permission is missing, this rule grants it:\n" +
        '- apiGroups: ["coordination.k8s.io"]\n  resources: ["leases"]\n  verbs: ["get"]',
    ]);
    api.get = get;
    await clock.advance(3_000);
    assert.equal(one.isLeader, true);
    await one.abandon();
  });

  test("ignores an older record of a stale server", async () => {
    const { clock, api, one, two } = candidates();
    two.start();
    await clock.advance(0);
    const old = await api.get(Lease, { namespace: "default", name: "x" });
    const released = two.release();
    await clock.advance(3_000);
    await released;
    one.start();
    await clock.advance(3_000);
    const get = api.get.bind(api);
    let asked = 0;
    api.get = (kind, key) => (asked++ % 2 === 0 ? Promise.resolve(structuredClone(old)) : get(kind, key));
    await clock.advance(60_000);
    assert.ok(asked > 20);
    assert.deepEqual([one.isLeader, one.lost.aborted], [true, false], "that somebody led before is no news");
    await one.abandon();
  });

  test("a restored backup with an older record does not end the leadership", async () => {
    const { clock, api, one, two } = candidates();
    one.start();
    await clock.advance(0);
    two.start();
    const old = await api.get(Lease, { namespace: "default", name: "x" });
    await clock.advance(30_000);
    await one.abandon();
    // The record is as it was: its version is earlier than the one that the other replica has seen, and stays so.
    const { resourceVersion } = old.metadata;
    api.get = () => Promise.resolve(structuredClone(old));
    api.patch = (_kind, _key, body) => {
      const guard = (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
      return guard === resourceVersion ? Promise.resolve(structuredClone(old)) : Promise.reject(errors.conflict());
    };
    await clock.advance(60_000);
    assert.equal(two.isLeader, true);
    await two.abandon();
  });

  test("stops writing before another replica could begin when it cannot renew", async () => {
    const { clock, api, one } = candidates();
    one.start();
    await clock.advance(5_000);
    api.patch = () => new Promise(() => undefined);
    await clock.advance(8_000);
    one.check();
    await clock.advance(3_000);
    assert.throws(() => one.check(), { code: "Fenced" });
    assert.equal(one.lost.aborted, true);
  });
});
