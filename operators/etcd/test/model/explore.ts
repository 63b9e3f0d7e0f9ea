/** Follows decisions through the model from a start until nothing is left to do, and checks invariants at each step. */
import type { Action } from "../../src/contract.ts";
import { decide } from "../../src/decide/index.ts";
import { Disaster } from "./disaster.ts";
import { age, isAlive, observe, pass, perform, quorumExists } from "./world.ts";
import type { World } from "./world.ts";

/** The end of a run. */
export type End = {
  readonly end: "available" | "refused" | "asleep" | "stuck";
  readonly world: World;
  readonly last: Action;
};

/** More steps than any run needs. */
const PATIENCE = 400;

/** The user requested to stop the cluster: hibernation or a recovery. */
function isOnPurpose({ size, recovery }: World): boolean {
  return size === 0 || (recovery !== undefined && recovery.phase !== "Done" && recovery.phase !== "Refused");
}

/** One decision and its effect; a quorum that existed must exist after it. */
export function takeStep(world: World): { readonly action: Action; readonly after: World } {
  const action = decide(observe(world));
  const after = perform(world, action);
  if (quorumExists(world) && !quorumExists(after) && !isOnPurpose(world)) {
    throw new Disaster(`${JSON.stringify(action)} ends a quorum`);
  }
  return { action, after };
}

/** The end of each state that a run has passed: a run that reaches a known state stops there. */
export type Known = Map<string, End>;

export function follow(start: World, recordedState: Known): End {
  const way: string[] = [];
  const end = walk(start, recordedState, way);
  for (const state of way) recordedState.set(state, end);
  return end;
}

/** Every state on the way from a start to its end. */
export function wayFrom(start: World): readonly World[] {
  const way = new Map<string, World>([[JSON.stringify(start), start]]);
  let world = start;
  for (let steps = 0; steps < PATIENCE; steps++) {
    const next = pass(takeStep(world).after);
    const moved = JSON.stringify(next) === JSON.stringify(world) ? age(world) : next;
    const text = JSON.stringify(moved);
    if (way.has(text)) break;
    way.set(text, moved);
    world = moved;
  }
  return [...way.values()];
}

function walk(start: World, recordedState: Known, way: string[]): End {
  let world = start;
  let isAged = false;
  for (let steps = 0; steps < PATIENCE; steps++) {
    const { action, after } = takeStep(world);
    const next = pass(after);
    const text = JSON.stringify(next);
    const hasMoved = text !== JSON.stringify(world);
    const found = hasMoved ? recordedState.get(text) : undefined;
    if (found !== undefined) return found;
    if (hasMoved) way.push(text);
    const isDone = action.do === "rest" || (action.do === "refuse" && action.reason === "DowngradeRefused");
    if (!hasMoved && isDone) return { end: world.size === 0 ? "asleep" : "available", world, last: action };
    if (!hasMoved && isAged) return { end: action.do === "refuse" ? "refused" : "stuck", world, last: action };
    world = hasMoved ? next : age(world);
    isAged = !hasMoved;
  }
  return { end: "stuck", world, last: { do: "wait", for: "an end" } };
}

/** The meaning of Available: as many voters as the spec requests, all alive, and nothing else but pods that cannot be deleted. */
export function isAsWanted({ slots, size }: World): boolean {
  const present = slots.filter(({ role, pod }) => role !== "unlisted" || pod !== "cut off, leaving");
  return present.length === size && present.every((slot) => slot.role === "voter" && isAlive(slot));
}
