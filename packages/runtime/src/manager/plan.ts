/** What would an operator change: runs every reconcile with dry-run writes and tells what it would have written. */
import type { StoredObject } from "@capstan/model";
import type { Write } from "../apply/writer.ts";
import { sleep, systemClock } from "../clock.ts";
import { RunningOperator } from "./operator.ts";
import type { OperatorDefinition, StartOptions } from "./operator.ts";

/** A write that would be made. */
export interface PlannedWrite {
  readonly controller: string;
  readonly verb: Write["verb"];
  readonly kind: string;
  readonly key: string;
  /** What would change, field by field. */
  readonly changes: readonly FieldChange[];
}

/** One field that would change. */
export interface FieldChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** How often to look whether everything has had its turn. */
const LOOK = 20;

/** Runs an operator dry and tells what it would write. */
export async function plan(definition: OperatorDefinition, options: StartOptions): Promise<readonly PlannedWrite[]> {
  const writes: PlannedWrite[] = [];
  const clock = options.clock ?? systemClock;
  const onWrite = (controller: string, { verb, kind, key, before, after }: Write): void => {
    writes.push({ controller, verb, kind: kind.kind, key, changes: fieldChanges(before, after) });
  };
  await using operator = new RunningOperator(definition, {
    ...options,
    dryRun: true,
    onWrite,
    leaderElection: undefined,
  });
  await operator.synced();
  let quiet = 0;
  while (quiet < 2) {
    await sleep(clock, LOOK);
    const isBusy = operator.controllers.some(({ counts }) => counts.ready + counts.running > 0);
    quiet = isBusy ? 0 : quiet + 1;
  }
  return writes;
}

/** A plan as people read it. */
export function formatPlan(writes: readonly PlannedWrite[]): string {
  if (writes.length === 0) return "Nothing would be written.\n";
  return writes.map((write) => `${formatHead(write)}\n${write.changes.map(formatChange).join("")}`).join("\n");
}

function formatHead({ controller, verb, kind, key }: PlannedWrite): string {
  return `${verb} ${kind} ${key} (${controller})`;
}

function formatChange({ path, from, to }: FieldChange): string {
  if (from === undefined) return `  + ${path}: ${JSON.stringify(to)}\n`;
  if (to === undefined) return `  - ${path}: ${JSON.stringify(from)}\n`;
  return `  ~ ${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}\n`;
}

/** What the server keeps for itself. */
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

/** The values of an object by path. */
function leaves(value: unknown, path = "", found = new Map<string, unknown>()): Map<string, unknown> {
  if (BOOKKEEPING.has(path) || value === undefined) return found;
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return found.set(path, value);
  for (const [name, child] of Object.entries(value)) leaves(child, path === "" ? name : `${path}.${name}`, found);
  return found;
}
