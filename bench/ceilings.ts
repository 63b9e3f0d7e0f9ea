/** The promised figures. A figure above its ceiling fails the benchmark, and the page says so. */
import { bendName, growths } from "./growth.ts";
import { median } from "./result.ts";
import type { Row } from "./result.ts";

/** A limit: a value, or a share of a peer's figure in the same run. */
export type Limit =
  | { readonly atMost: number }
  | { readonly atLeast: number }
  | { readonly atMost: number; readonly times: string }
  | { readonly atLeast: number; readonly times: string };

/** Linear: each further object costs the same as the ones before. The excess allows for the noise of a machine. */
const straight: Limit = { atMost: 1.25 };

/** Limits of Capstan's figures, by suite and name. */
export const ceilings: { readonly [row: string]: Limit } = {
  "import/import capstan, CPU": { atMost: 60 },
  "import/import capstan, memory": { atMost: 20 },
  "import/capstan --help": { atMost: 120 },
  "dev/empty folder to first reconcile": { atMost: 60 },
  "dev/saved file to first reconcile of the new code": { atMost: 1_000 },
  "queue/add, take and done": { atLeast: 1_000_000 },
  "client/small request, CPU": { atMost: 60 },
  "runtime/burst, CPU per object": { atMost: 0.75, times: "controller-runtime" },
  "runtime/burst, writes per object": { atMost: 2 },
  "runtime/burst, peak memory": { atMost: 2, times: "controller-runtime" },
  "runtime/restart, CPU": { atMost: 0.8, times: "controller-runtime" },
  "runtime/restart, writes": { atMost: 0 },
  "runtime/one change, p50 to ConfigMap": { atMost: 1, times: "controller-runtime" },
  "runtime/one change, p50 to status": { atMost: 1, times: "controller-runtime" },
  "runtime/cold start to first write": { atMost: 0.8, times: "controller-runtime" },
  "runtime/churn, CPU": { atMost: 0.75, times: "controller-runtime" },
  "runtime/churn, writes per change": { atMost: 2 },
  "changes/one after the other: reconciled": { atLeast: 1_000 },
  "changes/one after the other: p50 to ConfigMap": { atMost: 1, times: "controller-runtime" },
  "cache/memory per 1 KB ConfigMap": { atMost: 0.5, times: "controller-runtime" },
  [`scale/${bendName(growths.cpu.name)}`]: straight,
  [`scale/${bendName(growths.peak.name)}`]: straight,
  [`scale/${bendName(growths.cached.name)}`]: straight,
  "apiserver/start in process": { atMost: 150 },
  "apiserver/start as a process": { atMost: 400 },
  "apiserver/memory after start": { atMost: 1 / 3, times: "kube-apiserver + etcd" },
  "apiserver/memory of 10,000 ConfigMaps over their JSON": { atMost: 3 },
  "apiserver/get": { atLeast: 2, times: "kube-apiserver + etcd" },
  "apiserver/create": { atLeast: 2, times: "kube-apiserver + etcd" },
  "apiserver/mixed": { atLeast: 1, times: "kube-apiserver + etcd" },
  "apiserver/event to 1,000 watchers, p99": { atMost: 50 },
  "apiserver/watchers that missed an event or saw another order": { atMost: 0 },
  "apiserver/stall by a list of 10,000": { atMost: 50 },
  "apiserver/stall by a list of 10,000 as protobuf": { atMost: 50 },
  "apiserver/stall by a list of 10,000 as a table": { atMost: 50 },
  "apiserver/memory kept by 500 servers": { atMost: 0.1 },
  "crowd/200 misbehaving clients, p99 over that of an idle server": { atMost: 3 },
  "crowd/2,000 slow watchers, p99 over that of an idle server": { atMost: 3 },
  "cluster/start to first pod ready": { atMost: 1.5 },
  "cluster/pod start over the program's own": { atMost: 100 },
  "cluster/idle CPU": { atMost: 2 },
  "cluster/memory of cluster and node, each page once": { atMost: 150e6 / 2 ** 20 },
  "cluster/1,000 simulated pods ready": { atMost: 1 / 5, times: "controller-manager + scheduler" },
  "cluster/service, requests": { atLeast: 0.8, times: "direct" },
  "cluster/service, large values": { atLeast: 0.8, times: "direct" },
  "cluster/service, new connections": { atLeast: 0.8, times: "direct" },
};

/** A row compared with its ceiling. */
export interface Verdict {
  readonly row: Row;
  readonly limit: Limit;
  readonly figure: number;
  /** The value that must not be exceeded, in the row's unit. */
  readonly bound: number;
  readonly holds: boolean;
}

/** Judges the rows that have a ceiling and figures of all their contenders. */
export function judge(rows: readonly Row[]): Verdict[] {
  return rows.flatMap((row) => {
    const limit = ceilings[`${row.suite}/${row.name}`];
    const own = row.figures["capstan"];
    if (limit === undefined || own === undefined) return [];
    const base = "times" in limit ? row.figures[limit.times] : [1];
    if (base === undefined) return [];
    const figure = median(own);
    const bound = median(base) * ("atMost" in limit ? limit.atMost : limit.atLeast);
    return [{ row, limit, figure, bound, holds: "atMost" in limit ? figure <= bound : figure >= bound }];
  });
}

/** Promises without a row: they were not measured, so they do not hold. */
export function unmeasured(rows: readonly Row[], suites?: readonly string[]): readonly string[] {
  const judged = new Set(judge(rows).map(({ row }) => `${row.suite}/${row.name}`));
  const isWanted = (promise: string): boolean => suites?.includes(promise.slice(0, promise.indexOf("/"))) ?? true;
  return Object.keys(ceilings).filter((promise) => isWanted(promise) && !judged.has(promise));
}

/** The text of a limit. */
export function formatLimit(limit: Limit): string {
  const amount = "atMost" in limit ? limit.atMost : limit.atLeast;
  const number = Number.isInteger(amount) ? amount.toLocaleString("en") : String(Number(amount.toFixed(2)));
  const side = "atMost" in limit ? "≤" : "≥";
  return "times" in limit ? `${side} ${number} x ${limit.times}` : `${side} ${number}`;
}
