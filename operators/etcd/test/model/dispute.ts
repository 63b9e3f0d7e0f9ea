/** Members with different data in the model: what the operator finds out about them, and which of them etcd keeps from starting. */
import type { Action, Observation } from "../../src/contract.ts";
import { decide } from "../../src/decide/index.ts";
import { combineRounds, withData } from "capstan/stateful/quorum";
import type { HashedMember } from "capstan/stateful/quorum";
import { Disaster } from "./disaster.ts";
import { age, observe, OLD, pass, perform } from "./world.ts";
import type { Slot, World } from "./world.ts";

/** A world, and the hash of each member's data. */
export interface Torn {
  readonly world: World;
  readonly hashes: { readonly [member: string]: number };
  /** The member that does not report a hash of its data. */
  readonly mute?: string | undefined;
  /** The hash that most of all voters have, as far as they can ever be read: no member with it may be removed. */
  readonly right: number | undefined;
}

/** The end of a run, with its last action. */
export interface TornEnd extends Torn {
  readonly last: Action;
}

/** More steps than any run needs. */
const PATIENCE = 300;

export function followTorn(start: Torn): TornEnd {
  let torn = start;
  let isAged = false;
  for (let steps = 0; steps < PATIENCE; steps++) {
    const action = decide(look(torn));
    mustKeepTheRight(torn, action);
    const next = passTorn({ ...torn, world: perform(torn.world, action) });
    const hasMoved = JSON.stringify(next) !== JSON.stringify(torn);
    if (!hasMoved && (isAged || action.do === "rest")) return { ...torn, last: action };
    torn = hasMoved ? next : { ...torn, world: age(torn.world) };
    isAged = !hasMoved;
  }
  return { ...torn, last: { do: "wait", for: "an end" } };
}

/** The observation, with the comparison: the operator compares when a member does not start, or before it removes or adds one. */
function look({ world, hashes, mute }: Torn): Observation {
  const seen = observe(world);
  if (seen.membership.by !== "quorum") return seen;
  const { members } = withData(seen.membership, { answers: seen.memberStatuses, volumes: seen.volumes });
  const asked = members.map(({ member }) => member).filter((name) => seen.memberStatuses[name]?.is === "talking");
  const hashed = asked.filter((name) => name !== mute).map((member) => hashOf(member, hashes[member]));
  const { found, isTorn, missing } = combineRounds([hashed], { members, asked });
  const undecided = isTorn ? members.map(({ member }) => member) : [];
  return {
    ...seen,
    differing: found === undefined ? undecided : found.differing,
    ...(missing.length === 0 ? {} : { uncompared: { members: missing, reasons: ["it is asked for"], since: 0 } }),
  };
}

function hashOf(member: string, hash = 0): HashedMember {
  return { member, hash: { hash, compactRevision: 1 }, version: OLD };
}

function mustKeepTheRight({ world, hashes, right }: Torn, action: Action): void {
  if (action.do !== "remove-member" && action.do !== "delete-volume") return;
  const slot = world.slots.find(({ name }) => name === action.member);
  const isRight = slot?.data === "good" && right !== undefined && hashes[action.member] === right;
  if (isRight && slot.role === "voter") throw new Disaster(`${action.member} is right, and given up`);
  const isJudged = slot?.data === "good" && right === undefined && slot.role === "voter";
  if (isJudged) throw new Disaster(`${action.member} is given up, and may be right`);
}

/**
 * etcd keeps a member from starting that differs from any member that is up, unless it skips the check. A joining member gets the
 * leader's data.
 */
function passTorn({ world, hashes, mute, right }: Torn): Torn {
  const up = world.slots.filter(({ pod, role }) => pod === "up" && role !== "unlisted");
  const isKeptOut = (slot: Slot): boolean =>
    slot.data === "good" && slot.isExcused !== true && up.some(({ name }) => hashes[name] !== hashes[slot.name]);
  const out = new Set(world.slots.filter((slot) => slot.pod !== "up" && isKeptOut(slot)).map(({ name }) => name));
  const held = world.slots.map((slot): Slot => (out.has(slot.name) ? { ...slot, data: "broken" } : slot));
  const skipped = pass({ ...world, slots: held });
  const slots = skipped.slots.map((slot): Slot => (out.has(slot.name) ? { ...slot, data: "good" } : slot));
  const next = { ...skipped, slots };
  // The model uses names again, but not data.
  const dataOf = ({ name }: Slot): number => hashes[name] ?? hashes[skipped.leader ?? ""] ?? 0;
  const whole = slots.filter(({ data }) => data === "good" || data === "broken");
  return { world: next, hashes: Object.fromEntries(whole.map((slot) => [slot.name, dataOf(slot)])), mute, right };
}
