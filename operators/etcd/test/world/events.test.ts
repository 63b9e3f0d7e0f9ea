/** Every change in a cluster's life creates an event, so that `kubectl describe` shows its history. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Event } from "capstan/kinds/events.k8s.io/v1";
import { EtcdBackup, EtcdCluster, EtcdOperation } from "../../src/kinds/index.ts";
import { isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

const spec = {
  size: 3,
  version: "3.5.35",
  tls: { mode: "Off" },
  backup: { store: { volume: { claim: "b" } }, schedule: "0 0 1 1 *" },
} as const;

/** Reasons of all events so far. */
async function told({ world }: EtcdWorld): Promise<ReadonlySet<string>> {
  return new Set((await world.list(Event)).map(({ reason }) => reason ?? ""));
}

/** The changes, and the reasons of their events. */
const CHAPTERS: readonly {
  readonly name: string;
  readonly happens: (bed: EtcdWorld) => Promise<unknown>;
  readonly tells: readonly string[];
}[] = [
  {
    name: "it is born",
    happens: ({ world }) => world.apply(EtcdCluster, "e", { spec }),
    tells: ["MemberStarted", "MemberAdded", "MemberPromoted"],
  },
  {
    name: "it is updated",
    happens: ({ world }) => world.apply(EtcdCluster, "e", { spec: { ...spec, version: "3.6.16" } }),
    tells: ["SnapshotBeforeUpdate", "BackupSucceeded", "Update", "MemberStopped", "LeaderMoved"],
  },
  {
    name: "a member is replaced",
    happens: ({ world }) =>
      world.apply(EtcdOperation, "replace", { spec: { cluster: "e", do: { replaceMember: { member: "e-1" } } } }),
    tells: ["MemberRemoved", "VolumeDeleted"],
  },
  {
    name: "a volume is lost",
    happens: (bed) => bed.loseVolumes(["e-2"]),
    tells: ["MemberUnhealthy", "Resolved"],
  },
  {
    name: "most volumes are lost",
    happens: async (bed) => {
      const members = (await bed.cluster()).status?.members?.map(({ name }) => name) ?? [];
      await bed.loseVolumes(members.slice(1));
    },
    tells: ["RecoveryStopping", "RecoverySeeding", "RecoveryRejoining", "RecoveryDone"],
  },
  {
    name: "a store refuses",
    happens: async ({ kubelet, world }) => {
      kubelet.store.refusal = "the credentials are wrong";
      await world.apply(EtcdBackup, "now", { spec: { cluster: "e", store: spec.backup.store } });
    },
    tells: ["BackupFailed"],
  },
];

test("every change in a cluster's life creates an event", async () => {
  await using bed = await startWorld();
  for (const { name, happens, tells } of CHAPTERS) {
    await happens(bed);
    for (let second = 0; second < 600; second++) {
      const reasons = await told(bed);
      if (tells.every((reason) => reasons.has(reason))) break;
      await bed.pass(1);
    }
    const reasons = await told(bed);
    const missing = tells.filter((reason) => !reasons.has(reason));
    assert.deepEqual(missing, [], `${name}: ${[...reasons].join(", ")}`);
    await bed.until(isSettled, `calm after: ${name}`);
    // The events of one object are rate limited, so the next change comes later.
    await bed.world.advance("45m");
  }
});
