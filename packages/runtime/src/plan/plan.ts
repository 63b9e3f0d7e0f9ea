/**
 * Plans the changes of an operator: runs every reconcile with dry-run writes and reports the writes.
 *
 * Side effects that a dry run cannot prevent do not happen: steps without a result, field handlers, acts and cleanups are reported, and
 * end the plan of their object; daemons and sources are not started.
 */
import type { StoredObject } from "@capstan/model";
import type { Write } from "../apply/writer.ts";
import { sleep, systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import type { History } from "../report/explain.ts";
import { RunningOperator } from "../manager/operator.ts";
import type { OperatorDefinition, StartOptions } from "../manager/operator.ts";

/** A write that would be made. */
export interface PlannedWrite {
  readonly controller: string;
  readonly verb: Write["verb"];
  readonly kind: string;
  readonly key: string;
  /** The changed fields. */
  readonly changes: readonly FieldChange[];
}

/** One field that would change. */
export interface FieldChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** An object that cannot be planned, and why. */
export interface Unplanned {
  readonly controller: string;
  readonly key: string;
  readonly message: string;
}

/** What an operator would do. */
export interface Plan {
  readonly writes: readonly PlannedWrite[];
  /** Objects with a failed reconcile: their further writes are not known. */
  readonly failures: readonly Unplanned[];
  /** Side effects that a dry run cannot prevent and that therefore did not happen: the further writes of their object are not known. */
  readonly stopped: readonly Unplanned[];
  /** Objects that are paused. */
  readonly paused: readonly Unplanned[];
}

/** The interval at which the plan checks whether every object was reconciled, in milliseconds. */
const LOOK = 20;
/** How long a watch may fail before the first list, in milliseconds: a longer failure is not temporary. */
const PATIENCE = 10_000;

/** Runs an operator with dry-run writes and returns the writes. */
export async function plan(definition: OperatorDefinition, options: StartOptions): Promise<Plan> {
  // Keyed by the write: a failed reconcile is retried while others run, and would report the same write again.
  const writes = new Map<string, PlannedWrite>();
  const clock = options.clock ?? systemClock;
  const onWrite = (controller: string, { verb, kind, key, before, after }: Write): void => {
    const changes = fieldChanges(before, after).map(isSecret(kind) ? withoutSecrets : asItIs);
    const id = [controller, verb, kind.group, kind.kind, key].join(" ");
    writes.set(id, { controller, verb, kind: kind.kind, key, changes });
  };
  await using operator = new RunningOperator(definition, {
    ...options,
    dryRun: true,
    onWrite,
    leaderElection: undefined,
  });
  await untilSynced(operator, clock);
  let quiet = 0;
  while (quiet < 2) {
    await sleep(clock, LOOK);
    const isBusy = operator.controllers.some(({ counts }) => counts.ready + counts.running > 0);
    quiet = isBusy ? 0 : quiet + 1;
  }
  return { writes: [...writes.values()], ...unplannedIn(operator.history) };
}

/** A watch that cannot list its objects ends the plan with its error; otherwise the plan would hang silently. */
async function untilSynced(operator: RunningOperator, clock: Clock): Promise<void> {
  let isSynced = false;
  void operator.synced().then(() => (isSynced = true));
  let failingSince: number | undefined;
  for (;;) {
    await sleep(clock, LOOK);
    if (isSynced) return;
    const failing = operator.health.find((watch) => watch.isFailing && !watch.isSynced);
    failingSince = failing && (failingSince ?? clock.now());
    if (failing === undefined || clock.now() - (failingSince ?? 0) < PATIENCE) continue;
    throw new RuntimeError(
      "NotSynced",
      `Cannot plan, because ${failing.kind} cannot be watched. ${failing.lastError ?? ""}`,
    );
  }
}

function unplannedIn(history: History): Pick<Plan, "failures" | "stopped" | "paused"> {
  const failures: Unplanned[] = [];
  const stopped: Unplanned[] = [];
  const paused: Unplanned[] = [];
  for (const { controller, key, reconciles } of history) {
    const last = reconciles.at(-1);
    if (last === undefined) continue;
    if (last.outcome === "failed") failures.push({ controller, key, message: last.message });
    if (last.outcome === "stopped") stopped.push({ controller, key, message: last.message });
    if (last.outcome === "paused") paused.push({ controller, key, message: last.message });
  }
  return { failures, stopped, paused };
}

/** A plan as text. */
export function formatPlan({ writes, failures, stopped, paused }: Plan): string {
  const parts = writes.map((write) => `${formatHead(write)}\n${write.changes.map(formatChange).join("")}`);
  if (writes.length === 0 && stopped.length === 0) parts.push("Nothing would be written.\n");
  if (paused.length > 0) parts.push(paused.map(({ key, message }) => `paused ${key}: ${message}\n`).join(""));
  const waiting = stopped.map(({ controller, key, message }) => `would ${message} for ${key} (${controller})\n`);
  if (waiting.length > 0) parts.push(`Not done in a plan, and what follows is not known:\n${waiting.join("")}`);
  const failed = failures.map(({ controller, key, message }) => `failed ${key} (${controller}): ${message}\n`);
  if (failed.length > 0) parts.push(`Not known, because their reconciles failed:\n${failed.join("")}`);
  return parts.join("\n");
}

function formatHead({ controller, verb, kind, key }: PlannedWrite): string {
  return `${verb} ${kind} ${key} (${controller})`;
}

function formatChange({ path, from, to }: FieldChange): string {
  if (from === undefined) return `  + ${path}: ${JSON.stringify(to)}\n`;
  if (to === undefined) return `  - ${path}: ${JSON.stringify(from)}\n`;
  return `  ~ ${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}\n`;
}

/** Fields that the server maintains. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "metadata.resourceVersion",
  "metadata.managedFields",
  "metadata.generation",
  "metadata.uid",
  "metadata.creationTimestamp",
]);

function fieldChanges(before: StoredObject | undefined, after: StoredObject | undefined): readonly FieldChange[] {
  const from = leaves(before);
  const to = leaves(after);
  const changes: FieldChange[] = [];
  for (const path of new Set([...from.keys(), ...to.keys()])) {
    const change = { path, from: from.get(path), to: to.get(path) };
    if (JSON.stringify(change.from) !== JSON.stringify(change.to)) changes.push(change);
  }
  return changes;
}

const isSecret = ({ group, kind }: Write["kind"]): boolean => group === "" && kind === "Secret";
const asItIs = (change: FieldChange): FieldChange => change;

/** The fields of a Secret with confidential values; kubectl copies all of them into an annotation. */
const HIDDEN =
  /^(?:data|stringData|metadata\.annotations\.kubectl\.kubernetes\.io\/last-applied-configuration)(?:\.|$)/u;

/** Plans are pasted into reviews and logs: a change of a confidential value is shown without the value. */
function withoutSecrets(change: FieldChange): FieldChange {
  const { path, from, to } = change;
  if (!HIDDEN.test(path)) return change;
  const isBoth = from !== undefined && to !== undefined;
  const hide = (value: unknown, when: string): unknown => value && (isBoth ? `*** (${when})` : "***");
  return { path, from: hide(from, "before"), to: hide(to, "after") };
}

/** The values of an object by path. */
function leaves(value: unknown, path = "", found = new Map<string, unknown>()): Map<string, unknown> {
  if (BOOKKEEPING.has(path) || value === undefined) return found;
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return found.set(path, value);
  for (const [name, child] of Object.entries(value)) leaves(child, path === "" ? name : `${path}.${name}`, found);
  return found;
}
