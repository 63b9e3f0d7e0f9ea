/** Kills an operator before each of its writes, one per run: wherever it crashes, the world must end as without a crash. */
import assert from "node:assert/strict";
import type { StoredObject } from "@capstan/model";
import { kindId } from "../api.ts";
import type { AnyKind } from "../api.ts";
import type { Operator } from "../operator.ts";
import { formatFailures } from "./failures.ts";
import type { TestWorld } from "./test-operator.ts";

/**
 * A scenario in a world: the actions of users, and waiting until it settles. Its return value is compared, too.
 *
 * @example
 * const story: Story = async (world) => {
 *   await world.apply(Memcached, "cache", { spec: { size: 3 } });
 *   await world.settle();
 * };
 * await crashEverywhere(app, story);
 */
export type Story = (world: TestWorld) => Promise<unknown>;

/**
 * The number of survived crashes.
 *
 * @example
 * const report = ({ crashes }: Survived) => `survived ${crashes} crashes`;
 */
export interface Survived {
  readonly crashes: number;
}

/** The result of one run of a scenario. */
interface Told {
  readonly end: unknown;
  readonly writes: number;
  /** The last failures, as text. */
  readonly failures: string;
}

/**
 * Runs a scenario once without a crash, and then once for each write of the operator, which crashes right before it and restarts. Throws
 * at the first crash after which the operator's objects, its children, or the scenario's return value differ from the undisturbed run.
 */
export async function crashEverywhere(
  app: Operator,
  openWorld: () => Promise<TestWorld>,
  story: Story,
): Promise<Survived> {
  const tell = async (crashBefore: number): Promise<Told> => {
    await using world = await openWorld();
    if (crashBefore > 0) world.crashBeforeWrite(crashBefore);
    const returned = await story(world);
    // After a crash, a different end is reported together with the failures.
    await world.settle(crashBefore > 0 ? { failures: "expected" } : {});
    const end = { returned, objects: await picture(world, app) };
    return { end, writes: world.writes.length, failures: formatFailures(world.failures) };
  };
  const undisturbed = await tell(0);
  for (let nth = 1; nth <= undisturbed.writes; nth++) {
    const { end, failures } = await tell(nth);
    const what = `a crash before write ${nth} of ${undisturbed.writes} leads to another end`;
    assert.deepEqual(end, undisturbed.end, `${what}${failures}`);
  }
  return { crashes: undisturbed.writes };
}

/** All objects of the operator's kinds, without fields that differ between any two runs. */
async function picture(world: TestWorld, { definition }: Operator): Promise<unknown> {
  const kinds = new Map<string, AnyKind>();
  for (const { kind, owns } of definition.controllers)
    for (const each of [kind, ...owns]) kinds.set(kindId(each), each);
  const shown: { [kind: string]: unknown } = {};
  for (const [id, kind] of kinds) shown[id] = (await world.list(kind as never)).map((object) => timeless(object));
  return shown;
}

/** Fields that contain counters, times or random values of the server. */
const COUNTED: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "generation",
  "observedGeneration",
  "lastTransitionTime",
  "managedFields",
  "capstan.dev/owner-uid",
  "clusterIP",
  "clusterIPs",
  "nodePort",
]);

function timeless(object: StoredObject): unknown {
  return JSON.parse(JSON.stringify(object, (name, value: unknown) => (COUNTED.has(name) ? undefined : value)));
}
