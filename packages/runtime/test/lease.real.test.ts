/** A leader keeps its lease while it is annotated all the time, as by the inventory, and loses it when it is taken over. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { kubernetesMissing } from "@capstan/kubernetes";
import { systemClock } from "../src/clock.ts";
import { silentLog } from "../src/log.ts";
import { Election } from "../src/leader/election.ts";
import { Lease } from "../src/leader/lease.ts";
import type { LeaseObject } from "../src/leader/lease.ts";
import { onEmbedded, onReal } from "./places.ts";
import type { Place } from "./places.ts";

/** A lease that lasts long enough for a slow machine, and is renewed quickly. */
const tuning = { duration: 900_000, deadline: 600_000, period: 20 };
const MANY = 5;

function tell(where: string, connect: (t: TestContext) => Promise<Place>, skip: string | false): void {
  describe(`a lease on ${where}`, { skip }, () => {
    test("is renewed despite concurrent changes, and lost when it is taken over", async (t) => {
      const { api, namespace } = await connect(t);
      const [clock, log] = [systemClock, silentLog];
      const key = { namespace, name: "annotated" };
      const merge = { type: "merge", manager: "somebody" } as const;
      let [looks, renewals] = [0, 0];
      const many = Promise.withResolvers<void>();
      const annotated: typeof api = {
        ...api,
        async get(kind, place, signal) {
          const lease = await api.get(kind, place, signal);
          await api.patch(Lease, key, { metadata: { annotations: { looks: String(++looks) } } }, merge);
          return lease;
        },
        async patch(kind, place, body, options) {
          const lease = await api.patch(kind, place, body, options);
          if (++renewals === MANY) many.resolve();
          return lease;
        },
      };
      const one = new Election({ api: annotated, clock, random: () => 1, log, ...key, identity: "one", tuning });
      one.start();
      await many.promise;
      assert.equal(one.isLeader, true);
      const lease: LeaseObject = await api.get(Lease, key);
      assert.deepEqual([lease.spec?.holderIdentity, lease.spec?.leaseTransitions], ["one", 0]);

      const lost = once(one.lost, "abort");
      await api.patch(Lease, key, { spec: { holderIdentity: "two" } }, merge);
      await lost;
      const taken: LeaseObject = await api.get(Lease, key);
      assert.deepEqual([taken.spec?.holderIdentity, one.isLeader], ["two", false]);
      await one.abandon();
    });
  });
}

tell("the embedded API server", onEmbedded, false);
tell("the real API server", onReal, kubernetesMissing());
