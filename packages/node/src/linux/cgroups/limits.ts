/** The limits of a pod's containers in the units of the kernel, and the cgroup files for both versions. Pure. */
import { parseQuantity, quantityToInteger } from "@capstan/model";
import type { PodSpec, ResourceRequirements } from "@capstan/kinds/v1";
import { containersOf } from "../../pod/containers.ts";
import { qosClassOf } from "@capstan/model";

/** The two cgroup versions: one hierarchy for each controller, or one for all. */
export type CgroupVersion = 1 | 2;

/** The limits of a group; an absent limit is infinite. */
export interface Limits {
  /** Its CPU shares, 1024 for each CPU. */
  readonly shares: number;
  /** Microseconds of CPU time in each period. */
  readonly quota: number;
  readonly memory: number;
}

/** One file of a cgroup and its content. */
export interface Setting {
  readonly controller: string;
  readonly file: string;
  readonly value: string;
}

type Amounts = { readonly [resource: string]: string } | undefined;

const period = 100_000;
const leastQuota = 1000;
const leastShares = 2;
const mostShares = 262_144;

/** The limits of one container; limits also count as requests where these are missing. */
export function limitsOf({ requests, limits }: ResourceRequirements = {}): Limits {
  return {
    shares: toShares(milli(requests?.["cpu"] ?? limits?.["cpu"])),
    quota: toQuota(milli(limits?.["cpu"])),
    memory: bytes(limits?.["memory"]) || Infinity,
  };
}

/** The limits of a pod: its own, or the sum over its containers if each of them has a limit. */
export function podLimitsOf(spec: PodSpec): Limits {
  if (qosClassOf(spec) === "BestEffort") return { shares: leastShares, quota: Infinity, memory: Infinity };
  const members = containersOf(spec).filter(({ kind }) => kind === "regular" || kind === "sidecar");
  const limits = members.map((one) => one.spec.resources?.limits);
  const requests = members.map(({ spec: { resources } }) => resources?.requests ?? resources?.limits);
  const { resources: own = {} } = spec;
  const sum = (list: readonly Amounts[], name: string, read: (text: string | undefined) => number): number =>
    list.reduce((total, amounts) => total + read(amounts?.[name]), 0);
  const sumOfAll = (name: string, read: (text: string | undefined) => number): number =>
    limits.every((amounts) => read(amounts?.[name]) > 0) ? sum(limits, name, read) : 0;
  return {
    shares: toShares(own.requests?.["cpu"] === undefined ? sum(requests, "cpu", milli) : milli(own.requests["cpu"])),
    quota: toQuota(own.limits?.["cpu"] === undefined ? sumOfAll("cpu", milli) : milli(own.limits["cpu"])),
    memory:
      (own.limits?.["memory"] === undefined ? sumOfAll("memory", bytes) : bytes(own.limits["memory"])) || Infinity,
  };
}

function milli(quantity: string | undefined): number {
  return quantity === undefined ? 0 : Number(quantityToInteger(parseQuantity(quantity), -3));
}

function bytes(quantity: string | undefined): number {
  return quantity === undefined ? 0 : Number(quantityToInteger(parseQuantity(quantity), 0));
}

function toShares(milliCpu: number): number {
  if (milliCpu === 0) return leastShares;
  return Math.min(mostShares, Math.max(leastShares, Math.floor((milliCpu * 1024) / 1000)));
}

function toQuota(milliCpu: number): number {
  return milliCpu === 0 ? Infinity : Math.max(leastQuota, (milliCpu * period) / 1000);
}

/** The larger of each limit: during a resize the group has space for old and new. */
export function widest(a: Limits, b: Limits): Limits {
  return {
    shares: Math.max(a.shares, b.shares),
    quota: Math.max(a.quota, b.quota),
    memory: Math.max(a.memory, b.memory),
  };
}

/** The cgroup files for these limits. */
export function settingsOf({ shares, quota, memory }: Limits, version: CgroupVersion): readonly Setting[] {
  if (version === 2)
    return [
      { controller: "cpu", file: "cpu.weight", value: String(toWeight(shares)) },
      { controller: "cpu", file: "cpu.max", value: `${quota === Infinity ? "max" : quota} ${period}` },
      { controller: "memory", file: "memory.max", value: memory === Infinity ? "max" : String(memory) },
    ];
  return [
    { controller: "cpu", file: "cpu.shares", value: String(shares) },
    { controller: "cpu", file: "cpu.cfs_quota_us", value: quota === Infinity ? "-1" : String(quota) },
    { controller: "memory", file: "memory.limit_in_bytes", value: memory === Infinity ? "-1" : String(memory) },
  ];
}

/** Shares range from 2 to 262144 with the default 1024, weights from 1 to 10000 with the default 100: a curve through all three points. */
export function toWeight(shares: number): number {
  if (shares <= leastShares) return 1;
  if (shares >= mostShares) return 10_000;
  const magnitude = Math.log2(shares);
  return Math.ceil(10 ** ((magnitude * magnitude + 125 * magnitude) / 612 - 7 / 34));
}

/** The `oom_score_adj` of a container's processes: the less memory it requested, the earlier it is killed. */
export function oomScore(spec: PodSpec, { requests }: ResourceRequirements = {}, capacityBytes: number): number {
  switch (qosClassOf(spec)) {
    case "Guaranteed":
      return -997;
    case "BestEffort":
      return 1000;
    case "Burstable": {
      const score = 1000 - Math.floor((1000 * bytes(requests?.["memory"])) / capacityBytes);
      return Math.min(999, Math.max(3, score));
    }
  }
}
