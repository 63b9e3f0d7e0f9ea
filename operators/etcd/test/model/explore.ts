/** Follows decisions through the small world from a start until nothing more is to be done, and watches over them. */
import type { Action } from "../../src/contract.ts";
import { decide } from "../../src/decide/index.ts";
import { Disaster } from "./disaster.ts";
import { age, isAlive, observe, pass, perform, quorumExists } from "./world.ts";
import type { World } from "./world.ts";

/** How a world ended. */
export type End = {
  readonly end: "available" | "refused" | "asleep" | "stuck";
  readonly world: World;
  readonly last: Action;
};

/** So many steps are more than any way needs. */
const PATIENCE = 400;

/** Actions that the user asked for and that stop the cluster on purpose. */
function isOnPurpose({ size, recovery }: World): boolean {
  return size === 0 || (recovery !== undefined && recovery.phase !== "Done" && recovery.phase !== "Refused");
}

/** One decision and what it does; a quorum that existed must exist after it. */
export function takeStep(world: World): { readonly action: Action; readonly after: World } {
  const action = decide(observe(world));
  const after = perform(world, action);
  if (quorumExists(world) && !quorumExists(after) && !isOnPurpose(world)) {
    throw new Disaster(`${JSON.stringify(action)} ends a quorum`);
  }
  return { action, after };
}

/** Where each state leads that some way came through: ways that meet go on together. */
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

/** What Available means: as many voters as wanted, all alive, nobody else but pods that nobody can end. */
export function isAsWanted({ slots, size }: World): boolean {
  const present = slots.filter(({ role, pod }) => role !== "unlisted" || pod !== "cut off, leaving");
  return present.length === size && present.every((slot) => slot.role === "voter" && isAlive(slot));
}
