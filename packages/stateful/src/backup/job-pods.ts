/** Pods that run jobs, as observed. */
import type { ObjectOf } from "@capstan/model";
import type { Pod } from "@capstan/kinds/v1";
import type { AgentResult } from "./agent/job.ts";
import { parseResult } from "./agent/result.ts";
import { AGENT } from "./parts.ts";

type PodObject = ObjectOf<typeof Pod>;
type ContainerStatus = NonNullable<NonNullable<PodObject["status"]>["containerStatuses"]>[number];

/**
 * A job in a pod.
 *
 * @example
 * const isDone = ({ state }: SeenJob<object, "backup">) => state.is === "ended" && state.result.ok;
 */
export interface SeenJob<M, U extends string> {
  readonly pod: string;
  readonly purpose: U;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly isLeaving: boolean;
  readonly state:
    | { readonly is: "running"; readonly failure?: string }
    | { readonly is: "ended"; readonly result: AgentResult<M> };
}

/**
 * Reads the state of a job from its pod. A label of the pod is its purpose; the first purpose is the default.
 *
 * @example
 * const jobOf = (pod: Parameters<typeof seeJob>[0]) => seeJob(pod, "example.com/purpose", ["backup", "verify"]);
 */
export function seeJob<M extends object, U extends string>(
  pod: PodObject,
  label: string,
  purposes: readonly [U, ...U[]],
): SeenJob<M, U> {
  const { metadata, status } = pod;
  const { name, labels, creationTimestamp, deletionTimestamp } = metadata;
  const result = resultOf<M>(status);
  const failure = failureOf(status);
  return {
    pod: name,
    purpose: purposes.find((purpose) => purpose === labels?.[label]) ?? purposes[0],
    created: Date.parse(creationTimestamp ?? ""),
    isLeaving: deletionTimestamp !== undefined,
    state: result ? { is: "ended", result } : { is: "running", ...(failure === undefined ? {} : { failure }) },
  };
}

type Failure = Extract<AgentResult<never>, { readonly ok: false }>;

/** A failed program of the server explains more than the agent, which sees that the output broke off. */
function resultOf<M extends object>(status: PodObject["status"]): AgentResult<M> | undefined {
  const containers = containersOf(status);
  const agent = containers.find(({ name, state }) => name === AGENT && state?.terminated);
  const own = parseResult<M>(agent?.state?.terminated?.message);
  const failed = containers.find(({ name, state }) => name !== AGENT && (state?.terminated?.exitCode ?? 0) !== 0);
  if (own !== undefined && (own.ok || own.code !== "Truncated" || failed === undefined)) return own;
  const { phase, reason } = status ?? {};
  const isOver = phase === "Failed" || phase === "Succeeded" || agent !== undefined;
  if (!isOver) return undefined;
  if (reason === "DeadlineExceeded") {
    return failure("TimedOut", "the job took longer than `timeout` allows: give it more time or look at the store");
  }
  return failed ? resultOfContainer(failed) : failure("Lost", `the pod ended without a result: ${reason ?? phase}`);
}

function containersOf(status: PodObject["status"]): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function resultOfContainer({ name, state }: ContainerStatus): Failure {
  const { message = "", exitCode, reason = "" } = state?.terminated ?? {};
  const own = parseResult<object>(message);
  if (own && !own.ok) return own;
  const tail = message.trim().slice(-800);
  return failure("JobFailed", `container ${name} ended with ${exitCode} ${reason}${tail === "" ? "" : `: ${tail}`}`);
}

/** Why a pod does not start: a missing Secret, image or claim. */
function failureOf(status: PodObject["status"]): string | undefined {
  const waiting = containersOf(status)
    .map(({ state }) => state?.waiting)
    .find(
      (state) =>
        state?.reason !== undefined && state.reason !== "PodInitializing" && state.reason !== "ContainerCreating",
    );
  if (waiting) return `${waiting.reason}: ${waiting.message ?? ""}`;
  const unscheduled = status?.conditions?.find(
    ({ type, status: holds }) => type === "PodScheduled" && holds === "False",
  );
  return unscheduled?.message;
}

function failure(code: string, message: string): Failure {
  return { ok: false, code, message };
}
