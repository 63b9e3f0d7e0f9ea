/** Volume expansion: to the size in the spec, and automatically when volumes fill up. */
import type { Action } from "../cluster/action.ts";
import type { DesiredState, RecordedState } from "../cluster/observation.ts";
import type { Member, View } from "./view.ts";

const MEBIBYTE = 2 ** 20;

/** The size that every volume should have: that of the spec, or the recorded size after automatic growth if that is larger. */
export function volumeTarget({
  desired,
  recorded,
}: {
  readonly desired: Pick<DesiredState, "volumeBytes">;
  readonly recorded: Pick<RecordedState, "volumes">;
}): number {
  return Math.max(desired.volumeBytes, recorded.volumes?.bytes ?? 0);
}

/** Volumes grow before all other rules, because a full volume may be the reason for an unhealthy member. */
export function growVolumes<P>(view: View<P>): Action | undefined {
  if (view.seen.growthRefused !== undefined) return undefined;
  const target = volumeTarget(view.seen);
  const small = view.members.find(({ volume }) => volume?.state === "bound" && volume.requested < target);
  if (small !== undefined) return { do: "grow-volume", member: small.name };
  return growFull(view, target);
}

/** One expansion at a time, and only after the last one took effect: storage systems limit how often a volume can grow. */
function growFull<P>(view: View<P>, target: number): Action | undefined {
  const { desired, recorded, now } = view.seen;
  const { growth } = desired;
  const full = fullest(view);
  if (growth === undefined || full === undefined || target >= growth.maximumBytes) return undefined;
  const elapsed = now - (recorded.volumes?.grewAt ?? Number.NEGATIVE_INFINITY);
  // With a clock that went back, the last growth is in the future.
  if (elapsed >= 0 && elapsed < growth.everyMs) return undefined;
  const isUnderWay = view.members.some(({ volume }) => volume?.state === "bound" && volume.capacity < target);
  if (isUnderWay) return undefined;
  const grown = Math.ceil((target * (1 + growth.percent / 100)) / MEBIBYTE) * MEBIBYTE;
  const why = `the volume of ${full.name} is ${percentOf(full)} % full`;
  return { do: "record-growth", bytes: Math.min(grown, growth.maximumBytes), why };
}

/** The fullest member above the threshold. */
function fullest<P>({ members, seen }: View<P>): Member<P> | undefined {
  const threshold = seen.desired.growth?.threshold ?? DEFAULT_THRESHOLD;
  const [first] = members.toSorted((one, other) => percentOf(other) - percentOf(one));
  return first !== undefined && percentOf(first) >= threshold ? first : undefined;
}

/** Also the threshold of the warning for clusters without automatic growth. */
const DEFAULT_THRESHOLD = 90;

function percentOf<P>({ report }: Member<P>): number {
  const { usedBytes = 0, sizeBytes = 0 } = report?.volume ?? {};
  return sizeBytes === 0 ? 0 : Math.floor((usedBytes / sizeBytes) * 100);
}

/** The warning about a nearly full volume that does not grow automatically. */
export function fullVolume<P>(view: View<P>): string | undefined {
  const full = fullest(view);
  const { growth } = view.seen.desired;
  if (full === undefined || (growth !== undefined && volumeTarget(view.seen) < growth.maximumBytes)) return undefined;
  const action =
    growth === undefined ? "set a larger spec.storage.size" : "spec.storage.growth.maximum is reached: raise it";
  return `the volume of ${full.name} is ${percentOf(full)} % full: ${action}`;
}
