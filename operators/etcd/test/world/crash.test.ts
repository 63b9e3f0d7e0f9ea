import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { MEMBER_LABEL } from "../../src/pods/index.ts";
import { crashPoints } from "./crash-points.ts";
import { isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

/** Events in a cluster of three; each is interrupted before every write of the operator. */
const EPISODES: {
  readonly [name: string]: {
    readonly from: Spec;
    readonly to: Spec;
    readonly harm?: (bed: EtcdWorld) => Promise<void>;
  };
} = {
  "is born": { from: { size: 0, version: "3.5.35" }, to: { size: 3, version: "3.5.35" } },
  grows: { from: { size: 1, version: "3.5.35" }, to: { size: 3, version: "3.5.35" } },
  shrinks: { from: { size: 3, version: "3.5.35" }, to: { size: 2, version: "3.5.35" } },
  "is updated": { from: { size: 3, version: "3.5.35" }, to: { size: 3, version: "3.6.16" } },
  "is backed up and updated": {
    from: { size: 3, version: "3.5.35", backup: { store: { volume: { claim: "b" } } } },
    to: { size: 3, version: "3.6.16", backup: { store: { volume: { claim: "b" } } } },
  },
  "is exchanged, being alone": { from: { size: 1, version: "3.5.35" }, to: { size: 1, version: "3.6.16" } },
  "loses a volume": {
    from: { size: 3, version: "3.5.35" },
    to: { size: 3, version: "3.5.35" },
    harm: (bed) => bed.loseVolumes(["e-1"]),
  },
  "loses its quorum": {
    from: { size: 3, version: "3.5.35" },
    to: { size: 3, version: "3.5.35" },
    harm: (bed) => bed.loseVolumes(["e-0", "e-1"]),
  },
};

interface Spec {
  readonly size: number;
  readonly version: string;
  readonly backup?: { readonly store: { readonly volume: { readonly claim: string } } };
}

/** Certificates are written first and are slow to make; the other stories cover them. */
const tls = { mode: "Off" } as const;

/** The crashes of the operator. */
type Deaths = { readonly before: number } | { readonly before: "again and again" } | { readonly before: "none" };

async function play(name: string, deaths: Deaths): Promise<{ readonly writes: number; readonly died: number }> {
  const episode = EPISODES[name];
  assert.ok(episode);
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec: { ...episode.from, tls } });
  const before = await bed.until(isSettled, "the beginning");
  const written = bed.world.writes.length;
  const killer = new Killer(bed, deaths);
  await bed.world.apply(EtcdCluster, "e", { spec: { ...episode.to, tls } });
  await episode.harm?.(bed);
  await bed.pass(5);
  const isOver = (now: ClusterObject): boolean => {
    killer.look();
    return isSettled(now) && bed.etcd.processes.size === episode.to.size;
  };
  const after = await bed.until(isOver, `${name}, died: ${deaths.before}`);
  assert.equal(bed.etcd.clusters.size, 1, "one cluster only");
  if (before.status?.clusterId !== undefined) assert.equal(after.status?.clusterId, before.status.clusterId);
  const members = (await bed.world.list(Pod)).filter(({ metadata }) => metadata.labels?.[MEMBER_LABEL] !== undefined);
  assert.equal(members.length, episode.to.size);
  assert.equal(after.status?.version, episode.to.version);
  return { writes: bed.world.writes.length - written, died: killer.died };
}

/** Kills the operator before one write, or again and again: each time one write more passes, so that it makes progress. */
class Killer {
  readonly #bed: EtcdWorld;
  readonly #isRelentless: boolean;
  #victim: unknown;
  died = 0;

  constructor(bed: EtcdWorld, { before }: Deaths) {
    this.#bed = bed;
    this.#isRelentless = before === "again and again";
    this.#victim = bed.world.running;
    if (before !== "none") bed.world.crashBeforeWrite(before === "again and again" ? 1 : before);
  }

  look(): void {
    const { running } = this.#bed.world;
    if (running === this.#victim) return;
    this.#victim = running;
    this.died++;
    if (this.#isRelentless) this.#bed.world.crashBeforeWrite(1 + this.died);
  }
}

for (const name of Object.keys(EPISODES)) {
  test(`a cluster that ${name} ends the same with an operator that keeps crashing`, async () => {
    const { writes } = await play(name, { before: "none" });
    assert.ok(writes > 3, `${writes} writes`);
    const { died } = await play(name, { before: "again and again" });
    assert.ok(died >= 3, `it died ${died} times`);
  });

  test(`a cluster that ${name} ends the same with a crash before any write`, async () => {
    const { writes } = await play(name, { before: "none" });
    for (const before of crashPoints(writes)) await play(name, { before });
  });
}
