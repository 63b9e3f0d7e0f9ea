/** Worlds to start from, and the ends that are required of them. */
import { OLD } from "./world.ts";
import type { Slot, World } from "./world.ts";

/** A healthy member. */
export const base: Slot = {
  name: "",
  role: "voter",
  isStarted: true,
  data: "good",
  pod: "up",
  boot: "live",
  version: OLD,
  isOldForm: false,
  isLong: false,
};

/** Members with names, in these conditions. */
export function company(parts: readonly Partial<Slot>[]): Slot[] {
  return parts.map((part, at): Slot => ({ ...base, ...part, name: `m-${at}` }));
}

/** A world around these members without other faults. */
export function worldOf(part: Pick<World, "slots" | "size" | "version" | "update">): World {
  return {
    ...part,
    badVersion: undefined,
    recovery: undefined,
    hasIdentity: true,
    leader: undefined,
    recovers: true,
    backup: "none",
    restore: "none",
    store: "works",
    safeguards: {},
  };
}

/** Data that may still be of value. */
const DOUBTFUL: ReadonlySet<Slot["data"]> = new Set(["corrupt", "broken", "empty"]);

/** Whether the cluster can serve again without a user and without doubt about its data. */
export function mustRecover(world: World): boolean {
  const { slots, recovers } = world;
  const voters = slots.filter(({ role }) => role === "voter");
  const lastGood = voters.filter(({ data, pod }) => (data === "good" || data === "doomed") && pod !== "cut off");
  if (lastGood.length > voters.length / 2) return true;
  const isCertain = !isCutOff(world) && !voters.some(({ data }) => DOUBTFUL.has(data));
  return recovers && isCertain && lastGood.some(({ data }) => data === "good");
}

/** A member is on an unreachable node. */
export function isCutOff({ slots }: World): boolean {
  return slots.some(({ pod }) => pod === "cut off");
}

/** The text of a failure. */
export function describeWorld(world: World): string {
  const slots = world.slots.map((slot) => `${slot.name}: ${JSON.stringify(slot)}`);
  return [JSON.stringify({ ...world, slots: undefined }), ...slots].join("\n");
}
