/** The cost of an idle cluster with one node and one pod. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { costOf } from "../measured-process.ts";
import type { Figures } from "../result.ts";
import { openHome } from "./embedded.ts";
import { onceCounted } from "./pages.ts";
import { startPod } from "./pods.ts";

const SETTLE = 10_000;
const LOOK = 60_000;

/** All processes of the cluster together: its own, the shim of its network, and the pod's. */
export async function measureIdle(figures: Figures): Promise<void> {
  using home = await openHome(["busybox"]);
  await using cluster = await home.start();
  await startPod(cluster.client, "one");
  await cluster.client.close();
  await wait(SETTLE);
  const before = treeOf(cluster.pid);
  await wait(LOOK);
  const after = treeOf(cluster.pid);
  figures.add("capstan", "idle CPU", "% of a core", ((after.cpuSeconds - before.cpuSeconds) / (LOOK / 1000)) * 100);
  figures.add("capstan", "memory of cluster and node, each page once", "MiB", after.onceMiB);
  figures.add("capstan", "memory of cluster and node, pages counted for each process", "MiB", after.residentMiB);
}

interface TreeCost {
  readonly cpuSeconds: number;
  /** Pages that several processes share count for each. */
  readonly residentMiB: number;
  /** Pages that several processes share count once. */
  readonly onceMiB: number;
}

function treeOf(root: number): TreeCost {
  const family = familyOf(root);
  const costs = family.map(costOf);
  const sum = (pick: (cost: (typeof costs)[number]) => number): number =>
    costs.reduce((total, cost) => total + pick(cost), 0);
  return {
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    residentMiB: sum(({ residentMiB }) => residentMiB || 0),
    onceMiB: onceCounted(family) / 2 ** 20,
  };
}

function familyOf(root: number): readonly number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(Number(name));
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const family = [root];
  for (const pid of family) family.push(...(parents.get(pid) ?? []));
  return family;
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
