/** Checks writes in the model: a write that a majority has had may be lost only if no remaining member has it. */
import { Disaster } from "./disaster.ts";
import type { Slot, World } from "./world.ts";

function logOf({ log = 0 }: Slot): number {
  return log;
}

/** The data is complete and of this cluster. */
function isWhole({ data }: Slot): boolean {
  return data === "good" || data === "doomed";
}

/** How much of the log a majority of voters has had: this much was acknowledged. */
export function acknowledgedBy(slots: readonly Slot[]): number {
  const logs = slots.filter(({ role }) => role === "voter").map(logOf);
  return logs.toSorted((one, other) => other - one)[Math.floor(logs.length / 2)] ?? 0;
}

/** The member that continues alone must have everything that any voter has. */
export function mustHaveAll({ slots, acknowledged }: World, chosen: Slot): void {
  if (acknowledged === undefined) return;
  const better = slots.find((slot) => slot.role === "voter" && isWhole(slot) && logOf(slot) > logOf(chosen));
  if (better !== undefined) throw new Disaster(`${chosen.name} goes on alone, and ${better.name} has more`);
}

/** When data is destroyed, another member must have what was acknowledged. A write that only one member had was never acknowledged. */
export function mustNotBeNewest({ slots, acknowledged = 0 }: World, doomed: Slot): void {
  if (!isWhole(doomed) || logOf(doomed) < acknowledged) return;
  const others = slots.filter((slot) => slot.name !== doomed.name && slot.role === "voter" && isWhole(slot));
  if (others.every((slot) => logOf(slot) < acknowledged))
    throw new Disaster(`${doomed.name} alone had what was acknowledged`);
}

/** What members do about their logs by themselves: with a quorum they get what the leader has, without one they apply what they have. */
export function replicate(world: World, hasQuorum: boolean, isVoting: (slot: Slot) => boolean): World {
  if (world.acknowledged === undefined) return world;
  if (!hasQuorum) return { ...world, slots: world.slots.map(takeIn) };
  const voting = world.slots.filter((slot) => slot.role === "voter" && isVoting(slot));
  const best = Math.max(...voting.map(logOf));
  if (best < world.acknowledged && !isExcused(world, best)) throw new Disaster("a write that a majority had is lost");
  const slots = world.slots.map((slot): Slot =>
    slot.pod === "up" && isWhole(slot) ? withLog(slot, best) : { ...slot, isForgotten: false },
  );
  return { ...world, slots, acknowledged: best };
}

/** The loss is unavoidable: no remaining known member has the write. */
function isExcused({ slots }: World, best: number): boolean {
  return slots.every((slot) => !isWhole(slot) || logOf(slot) <= best);
}

function takeIn(slot: Slot): Slot {
  return slot.pod === "up" ? { ...slot, isApplying: false } : slot;
}

function withLog(slot: Slot, log: number): Slot {
  return { ...slot, log, isApplying: false, isForgotten: false };
}
