/** Follows every combination of happenings and operator steps, and checks each world. */
import { decide } from "../../decide/decide.ts";
import { act, happenings } from "./steps.ts";
import { observeWorld, rulesOf } from "./world.ts";
import type { World } from "./world.ts";

/** What was found. */
export interface Exploration {
  readonly worlds: number;
  readonly appointments: number;
  readonly refusals: number;
  /** The shortest way to a world that breaks a rule. */
  readonly violation: readonly string[] | undefined;
}

interface Place {
  readonly world: World;
  readonly before: Place | undefined;
  readonly step: string;
}

/** Breadth first, so that a violation comes with a shortest way. */
export function explore(begin: World, limit: number): Exploration {
  const seen = new Set([JSON.stringify(begin)]);
  const queue: Place[] = [{ world: begin, before: undefined, step: "begin" }];
  let [appointments, refusals] = [0, 0];
  for (let at = 0; at < queue.length && queue.length < limit; at++) {
    const place = queue[at];
    if (place === undefined) break;
    const { pending } = place.world;
    if (pending?.do === "appoint") appointments++;
    if (pending?.do === "refuse") refusals++;
    const next = [operate(place.world), ...happenings(place.world)];
    for (const [step, world] of next) {
      const violation = check(place.world, world);
      if (violation !== undefined) {
        return { worlds: seen.size, appointments, refusals, violation: [...wayTo(place), step, violation] };
      }
      const key = JSON.stringify(world);
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push({ world, before: place, step });
    }
  }
  return { worlds: seen.size, appointments, refusals, violation: undefined };
}

/** The operator looks and decides, or does what it decided on. */
function operate(world: World): readonly [string, World] {
  const { pending } = world;
  if (pending !== undefined) return [`does ${JSON.stringify(pending)}`, act({ ...world, pending: undefined }, pending)];
  const action = decide(observeWorld(world), rulesOf(world));
  return [`decides on ${JSON.stringify(action)}`, { ...world, pending: action }];
}

/** What must hold in every step. */
function check(before: World, after: World): string | undefined {
  const { primary } = after.recorded;
  const leader = after.nodes.find(({ name }) => name === primary);
  // A volume that is lost between a decision and its deed takes its writes along: no decision can prevent that.
  if (primary !== before.recorded.primary && leader?.hasVolume === true) {
    const lost = after.acknowledged.filter((id) => !leader.received.includes(id));
    if (lost.length > 0) return `${primary} leads without the acknowledged writes ${lost.join(", ")}`;
  }
  const fresh = after.acknowledged.filter((id) => !before.acknowledged.includes(id));
  const holders = fresh.filter((id) => leader?.received.includes(id) !== true);
  if (holders.length > 0) return `the writes ${holders.join(", ")} are acknowledged by a member that does not lead`;
  const servers = after.nodes.filter(({ serves }) => serves === "primary");
  if (servers.length > 1) return `${servers.map(({ name }) => name).join(", ")} have the label of the primary`;
  return undefined;
}

function wayTo(place: Place): readonly string[] {
  const steps: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.before) steps.unshift(at.step);
  return steps;
}

/** Lets the world come to rest without faults: the operator acts, the members replicate and restart. */
export function settle(begin: World, steps = 200): World {
  let world = begin;
  for (let step = 0; step < steps; step++) {
    const calm = { ...world, budget: { writes: 0, crashes: 0, cuts: 0, losses: 0 } };
    const [first] = happenings(calm);
    world = first === undefined ? world : first[1];
    world = act(world, decide(observeWorld(world), rulesOf(world)));
  }
  return world;
}
