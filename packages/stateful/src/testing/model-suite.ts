/** The library's decisions are followed through all orders of writes, crashes, cuts and lost volumes in small clusters. */
import assert from "node:assert/strict";
import type { Application } from "../application.ts";
import { decide } from "../decide/decide.ts";
import type { TestCase } from "./case.ts";
import { explore, settle } from "./primary/explore.ts";
import { change } from "./primary/steps.ts";
import { observeWorld, rulesOf, settledWorld } from "./primary/world.ts";
import type { World } from "./primary/world.ts";

/**
 * How far a model suite goes.
 *
 * @example
 * const thorough: ModelOptions = { worlds: 200_000 };
 */
export interface ModelOptions {
  /** Worlds of each case. Default: 20,000, a few seconds. */
  readonly worlds?: number;
}

const CALM: World["budget"] = { writes: 0, crashes: 0, cuts: 0, losses: 0 };

/** What may happen in a case, in any order. */
const BUDGETS: readonly World["budget"][] = [
  { writes: 2, crashes: 1, cuts: 1, losses: 0 },
  { writes: 2, crashes: 1, cuts: 0, losses: 1 },
  { writes: 1, crashes: 2, cuts: 1, losses: 0 },
  { writes: 1, crashes: 0, cuts: 1, losses: 1 },
];

/**
 * The cases for an application with a primary and replicas: its rule for acknowledgements is used, its servers are in memory.
 *
 * @example
 * const register = <C extends AsyncDisposable, P>(
 *   store: Application<C, P>,
 *   test: (title: string, run: () => Promise<void>) => void,
 * ) => {
 *   for (const { title, run } of modelSuite(store)) test(title, run);
 * };
 */
export function modelSuite<C extends AsyncDisposable, P>(
  { topology }: Pick<Application<C, P>, "topology">,
  { worlds = 20_000 }: ModelOptions = {},
): readonly TestCase[] {
  const { acknowledgements } = topology;
  const begin = (size: number, budget: World["budget"]): World => settledWorld({ size, budget, acknowledgements });
  return [
    ...[2, 3].flatMap((size) =>
      BUDGETS.map((budget) => ({
        title: `no acknowledged write is lost: ${size} members, ${describe(budget)}`,
        run: async () => assertSafe(begin(size, budget), worlds),
      })),
    ),
    {
      title: "a settled cluster rests",
      run: async () => {
        for (const size of [1, 2, 3]) {
          const world = begin(size, CALM);
          assert.deepEqual(decide(observeWorld(world), rulesOf(world)), { do: "rest" }, `${size} members`);
        }
      },
    },
    { title: "a switchover loses no acknowledged write", run: async () => assertSwitchover(begin, worlds) },
    { title: "a cluster of three comes back after the loss of any member", run: async () => assertRepair(begin) },
  ];
}

function describe({ writes, crashes, cuts, losses }: World["budget"]): string {
  return `${writes} writes, ${crashes} crashes, ${cuts} cuts, ${losses} volumes`;
}

function assertSafe(begin: World, worlds: number): void {
  const found = explore(begin, worlds);
  assert.equal(found.violation, undefined, found.violation?.join("\n"));
  // Without acknowledgements, a failover in mode Safe is always refused.
  const isFailoverPossible = rulesOf(begin).acknowledgements(begin.size) > 0;
  assert.equal(found.appointments > 0, isFailoverPossible, `${found.appointments} failovers in ${found.worlds} worlds`);
}

type Start = (size: number, budget: World["budget"]) => World;

function assertSwitchover(begin: Start, worlds: number): void {
  const world = begin(3, { writes: 2, crashes: 0, cuts: 1, losses: 0 });
  const switchover = { to: "m-1", began: 1_000_000, why: "requested" };
  const found = explore({ ...world, recorded: { ...world.recorded, switchover } }, worlds);
  assert.equal(found.violation, undefined, found.violation?.join("\n"));
  assert.ok(found.appointments > 0, `no switchover in ${found.worlds} worlds`);
}

/** Without acknowledgements, the loss of the primary is not repaired: its last writes may be nowhere else. */
function assertRepair(begin: Start): void {
  const world = begin(3, CALM);
  const names = rulesOf(world).acknowledgements(3) > 0 ? ["m-0", "m-1", "m-2"] : ["m-1", "m-2"];
  for (const name of names) {
    const lost = change(world, name, () => ({ hasVolume: false, pod: "down", received: [], applied: 0 }));
    const { recorded } = settle(lost);
    const states = recorded.members.map((member) => member.state);
    assert.deepEqual(states, ["Joined", "Joined", "Joined"], `${name} is lost`);
    const isReused = recorded.members.some((member) => member.name === name);
    assert.equal(isReused, false, `the name ${name} is used twice`);
  }
}
