/** What decisions need to know of etcd. */
import type { NextVersion, QuorumApplication } from "capstan/stateful/quorum";
import { compareVersions, minorOf } from "./versions.ts";

/** The first minor version that cannot read entries of older ones: up to 3.5, members write raft entries that 3.7 cannot read. */
const ENTRIES_UNREADABLE = 7;

export const etcd: QuorumApplication = {
  name: "etcd",
  kinds: { cluster: "EtcdCluster", restore: "EtcdRestore", operation: "EtcdOperation" },
  versions: {
    compare: compareVersions,
    next: nextVersion,
    isTooOldFor: (version, clusterVersion) => minorOf(version) < minorOf(clusterVersion),
    readsLogOf: (version, writer) =>
      minorOf(version) < ENTRIES_UNREADABLE || (writer !== undefined && minorOf(writer) >= ENTRIES_UNREADABLE),
  },
  quotaAdvice: "Raise quota-backend-bytes or the profile again, or delete keys and defragment with an EtcdOperation",
};

/** etcd goes up one minor version at a time, so the next version may be an intermediate one. */
function nextVersion(from: string, to: string, newest: { readonly [minor: number]: string }): NextVersion {
  const next = minorOf(from) + 1;
  if (minorOf(to) <= next) return { go: to };
  const stop = newest[next];
  return stop === undefined ? { missing: `3.${next}` } : { go: stop };
}
