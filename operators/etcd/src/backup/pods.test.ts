import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterObject } from "../observe/index.ts";
import { endpointsOf, isDisputed, policyOf, retentionFor } from "./pods.ts";

type Status = NonNullable<ClusterObject["status"]>;

/** A cluster of three members with this status. */
function clusterWith(status: Partial<Status>): ClusterObject {
  const members = ["e-0", "e-1", "e-2"].map((name) => ({ name }));
  const whole = {
    metadata: { name: "e", namespace: "n" },
    spec: { tls: { mode: "Off" } },
    status: { members, ...status },
  };
  return whole as unknown as ClusterObject;
}

const compared = (differing: string[]): Partial<Status> => ({
  comparison: { at: "2026-01-01T00:00:00Z", differing },
});
const degraded = (reason: string): Partial<Status> =>
  ({ conditions: [{ type: "Degraded", status: "True", reason }] }) as unknown as Partial<Status>;
const spec = { retention: { count: 2 } };

test("a backup prunes others only if no data of members is known to differ", () => {
  assert.deepEqual(retentionFor(spec, clusterWith(compared([]))), { count: 2 });
  assert.deepEqual(retentionFor(spec, clusterWith(compared(["e-0"]))), {});
  assert.deepEqual(retentionFor(spec, clusterWith(degraded("DataDiffers"))), {});
  assert.deepEqual(retentionFor(spec, clusterWith(degraded("DataUncompared"))), {});
  assert.equal(isDisputed(clusterWith(degraded("MemberUnhealthy"))), false);
});

test("a member that differs from the majority is not asked for a snapshot", () => {
  const hosts = (differing: string[]): string[] =>
    endpointsOf(clusterWith(compared(differing))).map((url) => new URL(url).hostname.split(".")[0] ?? "");
  assert.deepEqual(hosts(["e-0"]), ["e-1", "e-2"]);
  assert.deepEqual(hosts(["e-0", "e-1", "e-2"]), ["e-0", "e-1", "e-2"]);
});

test("each schedule prunes its own backups; manual ones share one policy", () => {
  const of = (metadata: object, schedule?: string): string | undefined =>
    policyOf({ metadata: { name: "nightly", namespace: "n", ...metadata }, spec: { schedule } } as never);
  assert.equal(of({}, "0 3 * * *"), "n/nightly");
  assert.equal(of({}), "by hand");
  assert.equal(of({ labels: { "etcd.capstan.dev/before-update": "3.7.3" } }), undefined);
});
