import assert from "node:assert/strict";
import { test } from "node:test";
import type { Subscription } from "../kinds/subscription.ts";
import { type ClusterProgress, type FleetCalls, type FleetResult, type Ring, rollOut } from "./roll-out.ts";

/** A cluster in memory, whose operator is in a phase some time after its version is approved. */
interface Fake {
  readonly name: string;
  readonly phase: string;
  readonly after: number;
  /** How long after its approval the operator fails; it has succeeded before. */
  readonly failsAfter?: number;
  subscription?: Subscription;
  approvedAt?: number;
}

const fake = (name: string, phase = "Succeeded", after = 5_000): Fake => ({ name, phase, after });

const wanted = {
  namespace: "shop",
  name: "foo",
  package: "foo",
  channel: "stable",
  source: "catalog",
  sourceNamespace: "olm",
  version: "foo.v1.1.0",
};

interface Run extends FleetResult {
  readonly reports: readonly ClusterProgress[];
  readonly end: number;
  readonly mostAtOnce: number;
}

async function run(rings: readonly Ring<Fake>[], { concurrency = 2, soak = 0, timeout = 60_000 } = {}): Promise<Run> {
  let time = 0;
  let [open, mostAtOnce] = [0, 0];
  const reports: ClusterProgress[] = [];
  const callsOf = (one: Fake): FleetCalls => ({
    get: (async (kind: { readonly kind: string }) => {
      if (kind.kind === "Subscription") return one.subscription;
      const age = one.approvedAt === undefined ? -1 : time - one.approvedAt;
      const phase = age >= (one.failsAfter ?? Infinity) ? "Failed" : one.phase;
      return age >= one.after ? { status: { phase, message: "because" } } : undefined;
    }) as never,
    create: (async (_kind: unknown, object: Subscription) => {
      one.subscription = object;
      one.approvedAt = time;
      return object;
    }) as never,
    change: (async (_kind: unknown, { after }: { readonly after: Subscription }) => {
      one.subscription = after;
      one.approvedAt = time;
      return after;
    }) as never,
  });
  const result = await rollOut({
    rings,
    subscription: wanted,
    concurrency,
    soak,
    timeout,
    now: () => time,
    wait: async (milliseconds) => {
      time += milliseconds;
    },
    report: (progress) => reports.push(progress),
    open: async (one) => {
      if (one.phase === "gone") throw new Error("the cluster does not answer");
      mostAtOnce = Math.max(mostAtOnce, ++open);
      return { cluster: callsOf(one), [Symbol.asyncDispose]: async () => void (open -= 1) };
    },
  });
  return { ...result, reports, end: time, mostAtOnce };
}

const states = ({ clusters }: FleetResult): readonly string[] =>
  clusters.map(({ cluster, state }) => `${cluster} ${state}`);

test("the canary gets the version first, then the other rings after a soak", async () => {
  const [canary, one, two] = [fake("canary"), fake("one"), fake("two")];
  const rings = [
    { name: "first", clusters: [canary] },
    { name: "rest", clusters: [one, two] },
  ];
  const seen = await run(rings, { soak: 600_000 });
  assert.deepEqual([seen.ok, states(seen)], [true, ["canary succeeded", "one succeeded", "two succeeded"]]);
  assert.ok((one.approvedAt ?? 0) >= (canary.approvedAt ?? 0) + 605_000);
  const { annotations } = canary.subscription?.metadata ?? {};
  assert.equal(annotations?.["lifecycle.capstan.dev/approve-versions"], "none");
  assert.equal(annotations["lifecycle.capstan.dev/approved-version"], "foo.v1.1.0");
  assert.equal(canary.subscription?.spec.startingCSV, "foo.v1.1.0");
});

test("a failure stops the roll-out, and what was not begun stays as it is", async () => {
  const [canary, one] = [fake("canary", "Failed"), fake("one")];
  const seen = await run([
    { name: "first", clusters: [canary] },
    { name: "rest", clusters: [one] },
  ]);
  assert.deepEqual([seen.ok, states(seen)], [false, ["canary failed", "one waiting"]]);
  assert.match(seen.clusters[0]?.message ?? "", /foo\.v1\.1\.0 is Failed: because/u);
  assert.match(seen.clusters[1]?.message ?? "", /the ring first has failures/u);
  assert.equal(one.subscription, undefined);
});

test("a canary that fails while it soaks stops the roll-out", async () => {
  const [canary, one] = [{ ...fake("canary"), failsAfter: 60_000 }, fake("one")];
  const rings = [
    { name: "first", clusters: [canary] },
    { name: "rest", clusters: [one] },
  ];
  const seen = await run(rings, { soak: 600_000 });
  assert.deepEqual([seen.ok, states(seen)], [false, ["canary failed", "one waiting"]]);
  assert.match(seen.clusters[0]?.message ?? "", /^after the soak: foo\.v1\.1\.0 is Failed: because$/u);
  assert.equal(one.subscription, undefined);
});

test("a ring of many stops at its failures, and may allow some", async () => {
  const clusters = (): Fake[] => [
    fake("a"),
    fake("b", "gone"),
    ...Array.from({ length: 8 }, (_, at) => fake(`c${at}`)),
  ];
  const strict = await run([{ name: "all", clusters: clusters() }]);
  assert.equal(strict.ok, false);
  assert.ok(strict.clusters.filter(({ state }) => state === "waiting").length >= 7);
  const lenient = await run([
    { name: "all", clusters: clusters(), maxFailures: 1 },
    { name: "last", clusters: [fake("z")] },
  ]);
  assert.equal(lenient.clusters.filter(({ state }) => state === "succeeded").length, 10);
  assert.equal(lenient.ok, false);
});

test("a cluster that takes too long is a failure, and so many work at once", async () => {
  const late = await run([{ name: "all", clusters: [fake("late", "Succeeded", 120_000)] }], { timeout: 30_000 });
  assert.match(late.clusters[0]?.message ?? "", /^not in time: nothing is installed yet$/u);
  const many = await run([{ name: "all", clusters: Array.from({ length: 200 }, (_, at) => fake(`c${at}`)) }], {
    concurrency: 20,
  });
  assert.deepEqual([many.ok, many.clusters.length, many.mostAtOnce], [true, 200, 20]);
});
