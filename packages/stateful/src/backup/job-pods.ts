/** Pods that run jobs, as observed. */
import type { ObjectOf } from "@capstan/model";
import type { Pod } from "@capstan/kinds/v1";
import type { JobResult } from "./agent/job.ts";
import { parseResult } from "./agent/result.ts";
import { AGENT } from "./pods.ts";
import type { Purpose } from "./pods.ts";

type PodObject = ObjectOf<typeof Pod>;
type ContainerStatus = NonNullable<NonNullable<PodObject["status"]>["containerStatuses"]>[number];

/** A job in a pod. */
export interface SeenJob {
  readonly pod: string;
  readonly purpose: Purpose;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly isLeaving: boolean;
  readonly state:
    | { readonly is: "running"; readonly failure?: string }
    | { readonly is: "ended"; readonly result: JobResult };
}

/** Reads the state of a job from the status of its pod. */
export function seeJob(pod: PodObject, label: string): SeenJob {
  const { metadata, status } = pod;
  const { name, labels, creationTimestamp, deletionTimestamp } = metadata;
  const result = resultOf(status);
  const failure = failureOf(status);
  return {
    pod: name,
    purpose: purposeOf(labels?.[label]),
    created: Date.parse(creationTimestamp ?? ""),
    isLeaving: deletionTimestamp !== undefined,
    state: result ? { is: "ended", result } : { is: "running", ...(failure === undefined ? {} : { failure }) },
  };
}

function purposeOf(text: string | undefined): Purpose {
  return text === "log" || text === "verify" || text === "describe" ? text : "backup";
}

/** A failed program of the server explains more than the agent, which sees that the output broke off. */
function resultOf(status: PodObject["status"]): JobResult | undefined {
  const containers = containersOf(status);
  const agent = containers.find(({ name, state }) => name === AGENT && state?.terminated);
  const own = parseResult(agent?.state?.terminated?.message);
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

function resultOfContainer({ name, state }: ContainerStatus): JobResult {
  const { message = "", exitCode, reason = "" } = state?.terminated ?? {};
  const own = parseResult(message);
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

function failure(code: string, message: string): JobResult {
  return { ok: false, code, message };
}
