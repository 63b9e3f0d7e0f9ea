/** Runs pods until as many as a Job wants have succeeded. */
import { isApiError } from "@capstan/client";
import { Job } from "@capstan/kinds/batch/v1";
import { Pod } from "@capstan/kinds/v1";
import { formatTime } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { controllerOf } from "../ownership/owner.ts";
import { podIndexes } from "../pod/cache.ts";
import { Crew, slowStart } from "../pod/crew.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import { finishing, isEnded, suspension } from "./conditions.ts";
import type { Condition } from "./conditions.ts";
import { activeOf, decide, readyOf, terminatingOf } from "./decide.ts";
import type { Action } from "./decide.ts";
import { podOf, TRACKING } from "./pod.ts";
import { tallyOf, tallyStatus } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Jobs that name another manager are not ours. */
const OURS = "kubernetes.io/job-controller";

interface Turn extends Setting {
  readonly crew: Crew;
  readonly job: Job;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** The controller of Jobs. */
export function jobController(setting: Setting): Controller {
  const crew = new Crew(setting);
  return controller(
    Job,
    {
      name: "job",
      reporter: "job-controller",
      reads: [Pod],
      predicate: anyChange,
      watches: [crew.ledger.watch],
      cache: { Pod: podIndexes },
    },
    async ({ object: job, find, signal, event }): Promise<ReconcileResult> => {
      if (isEnded(job) || (job.spec?.managedBy ?? OURS) !== OURS) return;
      const pods = await crew.of({ kind: Job, object: job, selector: job.spec?.selector }, find);
      return sync({ ...setting, crew, job, signal, event }, pods);
    },
  );
}

/** Notes the ends, acts, and lets go of pods whose end is noted: a controller that dies in between can go on from the status. */
async function sync(turn: Turn, pods: readonly Pod[]): Promise<ReconcileResult> {
  const { client, clock, crew, job, signal } = turn;
  const now = clock.wall();
  const tally = tallyOf(job, pods);
  const action = decide({ job, pods, tally, now });
  await act(turn, action);
  const after = crew.ledger.current(pods, (pod) => controllerOf(pod)?.uid === job.metadata.uid);
  const status = statusOf({ job, pods: after, tally, action, now });
  const written = await writeStatus(client, Job, { object: job, status, signal });
  tellSuspension(turn, status.conditions ?? []);
  await Promise.all(tally.release.map((pod) => release(turn, pod)));
  if (isEnded(written) && !isEnded(job)) tellEnd(turn, action);
  return action.do === "work" && action.wait !== undefined
    ? requeue(action.wait, { reason: "waiting for a time" })
    : undefined;
}

async function act({ crew, job, signal, event }: Turn, action: Action): Promise<void> {
  for (const pod of action.end) {
    await crew.end(pod, signal);
    event("Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
  }
  if (action.do !== "work") return;
  await slowStart(action.start.length, async (index) => {
    const { metadata } = await crew.start(podOf(job, action.start[index] ?? { index: undefined }), signal);
    event("Normal", "SuccessfulCreate", `Created pod: ${metadata.name}`);
  });
}

interface Seen {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly tally: Tally;
  readonly action: Action;
  readonly now: number;
}

function statusOf(seen: Seen): NonNullable<Job["status"]> {
  const { job, tally, action, now } = seen;
  const active = activeOf(seen).length;
  const terminating = terminatingOf(seen).length;
  const isAtRest = active === 0 && terminating === 0 && !hasUncounted(tally);
  const old = job.status?.conditions ?? [];
  const conditions =
    action.do === "finish"
      ? finishing(old, action.finish, { isAtRest, now })
      : suspension(old, action.do === "suspend", now);
  const { startTime: _begun, completionTime: _completed, ...kept } = job.status ?? {};
  const startTime = startOf(seen, conditions !== old);
  const isComplete = action.do === "finish" && action.finish.type === "Complete" && isAtRest;
  return {
    ...kept,
    ...tallyStatus(job, tally),
    active,
    ready: readyOf(seen),
    terminating,
    ...(startTime !== undefined && { startTime }),
    ...(isComplete && { completionTime: formatTime(now) }),
    conditions,
  };
}

function hasUncounted({ uncounted, release: held }: Tally): boolean {
  return uncounted.succeeded.length > 0 || uncounted.failed.length > 0 || held.length > 0;
}

/** A job begins when it first works, and anew when it is resumed. */
function startOf({ job, action, now }: Seen, hasNewConditions: boolean): string | undefined {
  if (action.do === "suspend") return undefined;
  const isResumed = action.do === "work" && hasNewConditions;
  return isResumed ? formatTime(now) : (job.status?.startTime ?? formatTime(now));
}

/** A pod whose end is noted may go. */
async function release({ client, crew, signal }: Turn, pod: Pod): Promise<void> {
  const { namespace = "", name, uid } = pod.metadata;
  const strategic = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [TRACKING] } };
  try {
    const left = await client.patch(Pod, { namespace, name }, { strategic }, { fieldManager: MANAGER, signal });
    // Whoever was to go and was held by nothing else is gone with it, and no cache will show what was answered.
    if (left.metadata.deletionTimestamp === undefined) crew.ledger.wrote(left);
    else crew.ledger.deleted(pod, left);
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
    crew.ledger.deleted(pod, { kind: "Status" });
  }
}

function tellSuspension({ job, event }: Turn, conditions: readonly Condition[]): void {
  const [before, after] = [job.status?.conditions, conditions].map(
    (all) => all?.find(({ type }) => type === "Suspended")?.status ?? "False",
  );
  if (before === after) return;
  if (after === "True") event("Normal", "Suspended", "Job suspended");
  else event("Normal", "Resumed", "Job resumed");
}

function tellEnd({ event }: Turn, action: Action): void {
  if (action.do !== "finish") return;
  const { type, reason, message } = action.finish;
  if (type === "Complete") event("Normal", "Completed", "Job completed");
  else event("Warning", reason, message);
}
