/** Changes a project: plans from old and new inputs, shows the plan, applies it, and reports the result. */
import { type Additions, type FileChange, type Inputs, planChange, renderProject } from "@capstan/scaffold";
import { exitCodes } from "../errors.ts";
import { styleOf } from "../output/style.ts";
import type { Terminal } from "../terminal.ts";
import { type Project, readFiles } from "./disk.ts";
import { writeChanges } from "./write.ts";

/** The desired state of a project. */
export interface Wanted {
  readonly inputs: Inputs;
  readonly additions: Additions;
  readonly dryRun: boolean;
}

/** Changes the files of a project from the output of its inputs to the output of new inputs; returns the exit code. */
export async function changeProject({ root, inputs }: Project, wanted: Wanted, terminal: Terminal): Promise<number> {
  const base = renderProject(inputs);
  const next = renderProject(wanted.inputs);
  const disk = await readFiles(root, new Set([...base.keys(), ...next.keys()]));
  const changes = planChange({ base, next, disk }, wanted.additions);
  if (wanted.dryRun) {
    const { formatDiff } = await import("../output/diff.ts");
    terminal.out(changes.map((change) => formatDiff(change, disk.get(change.path) ?? "", styleOf(terminal))).join(""));
    return 0;
  }
  await writeChanges(root, changes);
  return report(changes, terminal);
}

/** Prints what was done to each file. */
export function report(changes: readonly FileChange[], terminal: Terminal): number {
  const { green, yellow, red, dim } = styleOf(terminal);
  const paint = { create: green, update: green, delete: yellow, leave: dim, conflict: red };
  for (const change of changes) {
    const more = change.action === "leave" ? ` (${change.why})` : "";
    terminal.out(`  ${paint[change.action](change.action.padEnd(8))} ${change.path}${more}\n`);
  }
  if (changes.length === 0) terminal.out("nothing to change\n");
  const conflicts = changes.filter(({ action }) => action === "conflict");
  if (conflicts.length === 0) return exitCodes.Done.code;
  const files = conflicts.map(({ path }) => path).join(", ");
  terminal.err(`capstan: both you and this change touched the same lines of ${files}: look for <<<<<<< and choose\n`);
  return exitCodes.Conflict.code;
}
