/** Rolls a version of an operator out over many clusters: ring by ring, the canary first, and no further after a failure. */
import type { Cluster } from "../cluster/cluster.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { Subscription } from "../kinds/subscription.ts";
import { approvedVersionAnnotation, versionsAnnotation } from "../policy/annotations.ts";

/** A cluster of a fleet. */
export interface FleetCluster {
  readonly name: string;
}

/** Clusters that get the version together. */
export interface Ring<C extends FleetCluster = FleetCluster> {
  readonly name: string;
  readonly clusters: readonly C[];
  /** How many of them may fail before the roll-out stops; default: none. */
  readonly maxFailures?: number;
}

/** What is rolled out. */
export interface FleetSubscription {
  readonly namespace: string;
  readonly name: string;
  readonly package: string;
  readonly channel: string;
  readonly source: string;
  readonly sourceNamespace: string;
  /** The ClusterServiceVersion that every cluster gets. */
  readonly version: string;
}

/** How far a cluster is. */
export interface ClusterProgress {
  readonly ring: string;
  readonly cluster: string;
  readonly state: "waiting" | "running" | "succeeded" | "failed";
  readonly message: string;
}

/** The end of a roll-out: a line for each cluster. */
export interface FleetResult {
  readonly ok: boolean;
  readonly clusters: readonly ClusterProgress[];
}

/** Everything that a roll-out needs. */
export interface RollOutOptions<C extends FleetCluster> {
  readonly rings: readonly Ring<C>[];
  readonly subscription: FleetSubscription;
  readonly open: (cluster: C) => Promise<{ readonly cluster: FleetCalls } & AsyncDisposable>;
  /** How many clusters of a ring work at the same time. */
  readonly concurrency: number;
  /** How long a cluster may take, and how long the next ring waits after a ring, in milliseconds. */
  readonly timeout: number;
  readonly soak: number;
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly report: (progress: ClusterProgress) => void;
}

/** The calls to a cluster. */
export type FleetCalls = Pick<Cluster, "get" | "create" | "change">;

const LOOK = 1_000;

/** Rolls out. A cluster that has the version already is not changed, so a roll-out that stopped is continued by another call. */
export async function rollOut<C extends FleetCluster>(options: RollOutOptions<C>): Promise<FleetResult> {
  const { rings, soak, wait } = options;
  const done: ClusterProgress[] = [];
  for (const [at, ring] of rings.entries()) {
    let results = await runRing(ring, options);
    const isLast = at === rings.length - 1;
    if (!isLast && soak > 0 && !hasFailed(ring, results)) {
      await wait(soak);
      // What has soaked must still run before the next ring begins.
      results = await lookAgain(ring, results, options);
    }
    done.push(...results);
    if (hasFailed(ring, results)) {
      const left = rings
        .slice(at + 1)
        .flatMap((each) => each.clusters.map(({ name }) => waiting(each.name, name, ring.name)));
      for (const each of left) options.report(each);
      return { ok: false, clusters: [...done, ...left] };
    }
  }
  return { ok: done.every(({ state }) => state === "succeeded"), clusters: done };
}

function hasFailed({ maxFailures = 0 }: Ring, results: readonly ClusterProgress[]): boolean {
  return results.filter(({ state }) => state === "failed").length > maxFailures;
}

/** The clusters of a ring after its soak: those that had succeeded and do not run the version any more have failed. */
async function lookAgain<C extends FleetCluster>(
  { clusters }: Ring<C>,
  results: readonly ClusterProgress[],
  options: RollOutOptions<C>,
): Promise<readonly ClusterProgress[]> {
  const looked: ClusterProgress[] = [];
  for (const known of results) {
    const target = clusters.find(({ name }) => name === known.cluster);
    const problem = target === undefined || known.state !== "succeeded" ? undefined : await problemOf(target, options);
    const now: ClusterProgress =
      problem === undefined ? known : { ...known, state: "failed", message: `after the soak: ${problem}` };
    if (now !== known) options.report(now);
    looked.push(now);
  }
  return looked;
}

async function problemOf<C extends FleetCluster>(
  target: C,
  { open, subscription }: RollOutOptions<C>,
): Promise<string | undefined> {
  try {
    await using connected = await open(target);
    const seen = await lookAt(connected.cluster, subscription);
    return seen.ok ? undefined : seen.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function waiting(ring: string, cluster: string, failed: string): ClusterProgress {
  return { ring, cluster, state: "waiting", message: `not begun: the ring ${failed} has failures` };
}

async function runRing<C extends FleetCluster>(
  ring: Ring<C>,
  options: RollOutOptions<C>,
): Promise<readonly ClusterProgress[]> {
  const results: ClusterProgress[] = [];
  const open = [...ring.clusters];
  const work = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const result = await runCluster(next, { ...options, ring: ring.name });
      options.report(result);
      results.push(result);
      // No further cluster of the ring begins after too many failures.
      if (hasFailed(ring, results))
        for (const left of open.splice(0)) results.push(waiting(ring.name, left.name, ring.name));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.concurrency) }, work));
  return results;
}

type Running<C extends FleetCluster> = RollOutOptions<C> & { readonly ring: string };

async function runCluster<C extends FleetCluster>(target: C, options: Running<C>): Promise<ClusterProgress> {
  const { ring, subscription, timeout, now, wait, report } = options;
  const base = { ring, cluster: target.name };
  try {
    await using connected = await options.open(target);
    await approve(connected.cluster, subscription);
    report({ ...base, state: "running", message: `approved ${subscription.version}` });
    const end = now() + timeout;
    for (;;) {
      const seen = await lookAt(connected.cluster, subscription);
      if (seen.isFinal) return { ...base, state: seen.ok ? "succeeded" : "failed", message: seen.message };
      if (now() > end) return { ...base, state: "failed", message: `not in time: ${seen.message}` };
      await wait(LOOK);
    }
  } catch (error) {
    // Whatever a cluster fails with: it is one failure of its ring.
    return { ...base, state: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

/** Subscribes, or approves the version. With the policy `none`, no cluster of the fleet goes ahead by itself. */
async function approve(cluster: FleetCalls, wanted: FleetSubscription): Promise<void> {
  const { namespace, name, version } = wanted;
  const policy = { [versionsAnnotation]: "none", [approvedVersionAnnotation]: version };
  const before = await cluster.get(Subscription, { namespace, name });
  if (before === undefined) {
    const { package: of, channel, source, sourceNamespace } = wanted;
    const spec = {
      name: of,
      channel,
      source,
      sourceNamespace,
      startingCSV: version,
      installPlanApproval: "Manual",
    } as const;
    await cluster.create(Subscription, { metadata: { namespace, name, annotations: policy }, spec });
    return;
  }
  const annotations = { ...before.metadata.annotations, ...policy };
  await cluster.change(Subscription, { before, after: { ...before, metadata: { ...before.metadata, annotations } } });
}

interface Seen {
  readonly isFinal: boolean;
  readonly ok: boolean;
  readonly message: string;
}

const fatal = new Set(["ResolutionFailed", "InstallPlanFailed", "RolledBack"]);

async function lookAt(cluster: FleetCalls, { namespace, name, version }: FleetSubscription): Promise<Seen> {
  const csv = await cluster.get(ClusterServiceVersion, { namespace, name: version });
  const { phase, message = "" } = csv?.status ?? {};
  if (phase === "Succeeded") return { isFinal: true, ok: true, message: `runs ${version}` };
  if (phase === "Failed") return { isFinal: true, ok: false, message: `${version} is Failed: ${message}` };
  const { conditions = [] } = (await cluster.get(Subscription, { namespace, name }))?.status ?? {};
  const bad = conditions.find(({ type, status }) => fatal.has(type) && status === "True");
  if (bad !== undefined) return { isFinal: bad.type === "RolledBack", ok: false, message: bad.message ?? bad.type };
  const waits = phase === undefined ? "nothing is installed yet" : `${version} is ${phase}: ${message}`;
  return { isFinal: false, ok: false, message: waits };
}
