import assert from "node:assert/strict";
import { test } from "node:test";
import { backupsOf } from "./backups.ts";
import type { ObservedBackups, FoundBackup, FoundRestore, SeedSource } from "./backups.ts";

const here = { volume: { claim: "here", path: "" } } as const;
const there = { volume: { claim: "there", path: "" } } as const;
type Recovery = NonNullable<NonNullable<ObservedBackups["object"]["status"]>["recovery"]>;

function clusterOf(recovery?: Partial<Recovery>): ObservedBackups["object"] {
  const status = { clusterId: "1", ...(recovery ? { recovery } : {}) };
  return { metadata: { name: "e" }, spec: {}, status } as unknown as ObservedBackups["object"];
}

function backupOf(
  verify: "checksum" | "restore",
  records: readonly [hour: number, verified: "checksum" | "restore"][],
) {
  const backups = records.map(([hour, verified]) => ({
    name: `b${hour}`,
    time: `2026-01-01T0${hour}:00:00Z`,
    revision: hour,
    verified,
  }));
  const [last] = backups;
  return { spec: { cluster: "e", store: here, verify }, status: { ...(last ? { last } : {}), backups } } as FoundBackup;
}

const restore: FoundRestore = {
  metadata: { uid: "r-1", name: "r" },
  spec: { cluster: "e", overwrite: "e", ...({ store: there } satisfies SeedSource) },
  status: { phase: "Running", backup: "checked" },
};

test("the newest backup is the newest one verified as its EtcdBackup requires", () => {
  const newest = (...backups: readonly FoundBackup[]) => {
    const { newestBackup, seedFrom } = backupsOf({ object: clusterOf(), backups, restores: [] });
    assert.equal(seedFrom?.backup, newestBackup);
    return newestBackup;
  };
  const untried = backupOf("restore", [
    [5, "checksum"],
    [4, "restore"],
    [3, "restore"],
  ]);
  assert.equal(newest(untried), "b4");
  assert.equal(newest(backupOf("restore", [[5, "checksum"]])), undefined);
  assert.equal(newest(backupOf("checksum", [[5, "checksum"]])), "b5");
  assert.equal(newest(untried, backupOf("checksum", [[2, "checksum"]])), "b4");
});

test("a clock that ran ahead does not make old data the newest", () => {
  const record = (name: string, year: number, revision: number, clusterId?: string) =>
    ({ name, time: `${year}-01-01T00:00:00Z`, revision, clusterId, verified: "checksum" }) as const;
  const newest = (...backups: ReturnType<typeof record>[]): string | undefined => {
    const found = { spec: { cluster: "e", store: here, verify: "checksum" }, status: { backups } } as FoundBackup;
    return backupsOf({ object: clusterOf(), backups: [found], restores: [] }).newestBackup;
  };
  assert.equal(newest(record("ahead", 2036, 10, "1"), record("today", 2026, 1000, "1")), "today");
  // A restore in place resets the revisions: backups of the present cluster id count first.
  assert.equal(newest(record("before", 2036, 9000, "0"), record("today", 2026, 7, "1")), "today");
  assert.equal(newest(record("old", 2025, 9000, "0"), record("older", 2024, 9999)), "old");
});

test("backups of an earlier cluster of the same name do not count, its seed does", () => {
  const record = (name: string, day: number, more: object) =>
    ({ name, time: `2026-01-${10 + day}T00:00:00Z`, revision: day, verified: "checksum", ...more }) as const;
  const newest = (backup: ReturnType<typeof record>, more: object = {}): string | undefined => {
    const metadata = { name: "e", uid: "new", creationTimestamp: "2026-01-15T00:00:00Z" };
    const object = { ...clusterOf(), metadata, ...more } as unknown as ObservedBackups["object"];
    const found = { spec: { cluster: "e", store: here }, status: { backups: [backup] } } as FoundBackup;
    return backupsOf({ object, backups: [found], restores: [] }).newestBackup;
  };
  assert.equal(newest(record("of the one before", 4, { clusterUid: "old", clusterId: "0" })), undefined);
  assert.equal(newest(record("by a clock that is ahead", 9, { clusterUid: "old", clusterId: "0" })), undefined);
  assert.equal(newest(record("of an earlier id", 6, { clusterUid: "new", clusterId: "0" })), "of an earlier id");
  assert.equal(newest(record("by a clock that is behind", 1, { clusterUid: "new" })), "by a clock that is behind");
  assert.equal(newest(record("old operator, before", 4, { clusterId: "0" })), undefined);
  assert.equal(newest(record("old operator, since", 6, { clusterId: "0" })), "old operator, since");
  assert.equal(newest(record("present id", 4, { clusterId: "1", clusterUid: "old" })), "present id");
  const begun = { spec: { bootstrap: { store: here, backup: "it began with" } } };
  assert.equal(newest(record("it began with", 4, { clusterUid: "old" }), begun), "it began with");
  const { status } = clusterOf({ phase: "Done", from: { store: here, backup: "it was restored from" } });
  assert.equal(newest(record("it was restored from", 4, { clusterUid: "old" }), { status }), "it was restored from");
});

test("backups of an earlier cluster of the same name are counted for the message", () => {
  const metadata = { name: "e", uid: "new", creationTimestamp: "2026-01-15T00:00:00Z" };
  const object = { ...clusterOf(), metadata } as unknown as ObservedBackups["object"];
  const record = { name: "a", time: "2026-01-10T00:00:00Z", revision: 1, clusterUid: "old" } as const;
  const status = {
    last: record,
    backups: [record, { ...record, name: "b" }, { ...record, name: "c", clusterUid: "new" }],
  };
  const found = { spec: { cluster: "e", store: here }, status } as FoundBackup;
  assert.equal(backupsOf({ object, backups: [found], restores: [] }).backupsOfEarlierCluster, 2);
});

test("a restore in place applies to the cluster it was created for, by uid", () => {
  const object = { ...clusterOf(), metadata: { name: "e", uid: "new" } } as unknown as ObservedBackups["object"];
  const asked = (clusterUid: string): FoundRestore => ({ ...restore, status: { ...restore.status, clusterUid } });
  assert.equal(backupsOf({ object, backups: [], restores: [asked("old")] }).restore, undefined);
  assert.equal(backupsOf({ object, backups: [], restores: [asked("new")] }).restore?.uid, "r-1");
});

test("a restore in place restores the backup that was checked, not a newer one", () => {
  const { seedFrom } = backupsOf({ object: clusterOf(), backups: [], restores: [restore] });
  assert.deepEqual(seedFrom, { store: there, backup: "checked" });
});

test("a requested backup replaces the one of an automatic recovery", () => {
  const recovery = { phase: "Seeding", from: { store: here, backup: "newest" } } as const;
  const { seedFrom } = backupsOf({ object: clusterOf(recovery), backups: [], restores: [restore] });
  assert.deepEqual(seedFrom, { store: there, backup: "checked" });
});

test("a restore is withdrawn when its EtcdRestore is deleted; a recovery is not", () => {
  const isWithdrawn = (recovery: Partial<Recovery>, restores: readonly FoundRestore[]): boolean =>
    backupsOf({ object: clusterOf(recovery), backups: [], restores }).isRestoreDeleted;
  assert.equal(isWithdrawn({ phase: "Seeding", restore: "r-1" }, [restore]), false);
  assert.equal(isWithdrawn({ phase: "Seeding", restore: "r-1" }, []), true);
  assert.equal(isWithdrawn({ phase: "Seeding" }, []), false);
});

test("a recovery keeps its backup when the EtcdRestore is deleted or newer ones exist", () => {
  const from = { store: there, backup: "checked" };
  const backups = [backupOf("checksum", [[5, "checksum"]])];
  for (const phase of ["Stopping", "Seeding", "Rejoining"] as const) {
    assert.deepEqual(backupsOf({ object: clusterOf({ phase, from }), backups, restores: [] }).seedFrom, from);
  }
  for (const phase of ["Done", "Refused"] as const) {
    assert.equal(backupsOf({ object: clusterOf({ phase, from }), backups, restores: [] }).seedFrom?.backup, "b5");
  }
});

test("the backup that a cluster started with is its own, even if the spec names none", () => {
  const metadata = { name: "e", uid: "new" };
  const object = { metadata, spec: { bootstrap: { store: here } }, status: { clusterId: "1", bornFrom: "b1" } };
  const last = {
    name: "b1",
    time: "2026-01-01T01:00:00Z",
    revision: 1,
    clusterUid: "old",
    verified: "checksum",
  } as const;
  const backups = [{ spec: { cluster: "e", store: here }, status: { last } } as FoundBackup];
  const seen = backupsOf({ object: object as unknown as ObservedBackups["object"], backups, restores: [] });
  assert.equal(seen.newestBackup, "b1");
});

test("revisions are compared since the last single-member recovery only", () => {
  const record = (name: string, hour: number, revision: number, forks?: number) =>
    ({ name, time: `2026-01-01T0${hour}:00:00Z`, revision, clusterId: "1", verified: "checksum", forks }) as const;
  const look = (status: object, ...backups: ReturnType<typeof record>[]) => {
    const found = { spec: { cluster: "e", store: here }, status: { backups } } as FoundBackup;
    const object = { metadata: { name: "e" }, spec: {}, status: { clusterId: "1", ...status } };
    const seen = backupsOf({ object: object as unknown as ObservedBackups["object"], backups: [found], restores: [] });
    return [seen.newestBackup, seen.newestRevision, seen.isNewestComplete];
  };
  const [first, second, third] = [record("a", 1, 100), record("b", 2, 200, 0), record("c", 3, 150, 1)];
  assert.deepEqual(look({}, first, second), ["b", 200, true]);
  assert.deepEqual(look({ forks: 1 }, first, second), ["b", undefined, undefined]);
  assert.deepEqual(look({ forks: 1 }, first, second, third), ["c", 150, true]);
  // As an older operator recorded it.
  assert.deepEqual(look({ recovery: { phase: "Done", source: "Member" } }, first, second), ["b", undefined, undefined]);
  assert.deepEqual(look({}, second, record("d", 3, 150, 0)), ["b", 200, false]);
  assert.deepEqual(look({ comparison: { differing: ["e-1"] } }, first, second), ["b", 200, false]);
});

test("a skipped backup is not used again until the recovery is over", () => {
  const skipped = [{ backup: "b5", why: "it breaks off" }];
  const backups = [
    backupOf("checksum", [
      [5, "checksum"],
      [4, "checksum"],
    ]),
  ];
  const newest = (phase: Recovery["phase"]) =>
    backupsOf({ object: clusterOf({ phase, passed: skipped }), backups, restores: [] }).newestBackup;
  assert.deepEqual([newest("Refused"), newest("Stopping"), newest("Done")], ["b4", "b4", "b5"]);
});
