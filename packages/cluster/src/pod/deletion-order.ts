/** Which pods are deleted first when there are too many. */
import type { Pod } from "@capstan/kinds/v1";
import { isReady, millisecondsOf, readySince } from "./state.ts";

/** The annotation with the deletion cost of a pod; lower costs go first. */
export const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

/** The number of pods of the same owner on a pod's node; of two equal pods, the one with the higher rank goes first. */
export type PodRank = (pod: Pod) => number;

const phases: { readonly [phase: string]: number } = { Pending: 0, Unknown: 1, Running: 2 };

/** What the order depends on besides the pods. */
export interface DeletionContext {
  readonly rank: PodRank;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Compares two pods; negative when `a` is deleted first. */
export function compareForDeletion(a: Pod, b: Pod, { rank, now }: DeletionContext): number {
  return (
    Number(hasNode(a)) - Number(hasNode(b)) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    costOf(a) - costOf(b) ||
    rank(b) - rank(a) ||
    (isReady(a) ? compareTimes(a, b, { of: readySince, now }) : 0) ||
    restartsOf(b) - restartsOf(a) ||
    compareTimes(a, b, { of: createdAt, now })
  );
}

/** The pods to delete. */
export function podsToDelete(pods: readonly Pod[], count: number, context: DeletionContext): readonly Pod[] {
  if (count >= pods.length) return pods;
  return [...pods].sort((a, b) => compareForDeletion(a, b, context)).slice(0, count);
}

function hasNode({ spec }: Pod): boolean {
  return (spec?.nodeName ?? "") !== "";
}

function phaseRank({ status }: Pod): number {
  return phases[status?.phase ?? "Pending"] ?? 0;
}

function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST];
  return text !== undefined && /^(?:0|-?[1-9]\d*)$/u.test(text) ? Number(text) : 0;
}

function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((most, { restartCount }) => Math.max(most, restartCount ?? 0), 0);
}

interface Times {
  readonly of: (pod: Pod) => number | undefined;
  readonly now: number;
}

/** The younger pod goes first, but only ages of different magnitude count; otherwise the uid decides. */
function compareTimes(a: Pod, b: Pod, { of, now }: Times): number {
  const [first, second] = [of(a), of(b)];
  if (first === second) return 0;
  if (first === undefined) return -1;
  if (second === undefined) return 1;
  return magnitude(now - first) - magnitude(now - second) || (a.metadata.uid < b.metadata.uid ? -1 : 1);
}

function magnitude(milliseconds: number): number {
  return milliseconds > 0 ? Math.floor(Math.log2(milliseconds * 1e6)) : -1;
}

function createdAt({ metadata }: Pod): number {
  return millisecondsOf(metadata.creationTimestamp);
}
