/** Generates files into a folder whose files users edit: a record of the last run tells their changes from those of the program. */
import { join, resolve } from "node:path";
import { type FileChange, type Files, planChange } from "@capstan/scaffold";
import { CliError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";
import { report } from "./apply.ts";
import { readFiles } from "./disk.ts";
import { writeChanges } from "./write.ts";

/** What the last run generated. It belongs into version control, beside the files. */
const recordFile = ".capstan-generated.json";

interface Generated {
  readonly made: Files;
  /** Whether a file belongs to the user once it is there. */
  readonly isWrittenOnce: (path: string) => boolean;
}

/** Writes new files, merges into changed ones, and reports; returns the exit code. */
export async function mergeGenerated(
  folder: string,
  { made, isWrittenOnce }: Generated,
  terminal: Terminal,
): Promise<number> {
  const root = resolve(terminal.cwd, folder);
  const recorded = await readFiles(root, [recordFile]);
  const base = parseRecord(recorded.get(recordFile), join(folder, recordFile));
  const disk = await readFiles(root, new Set([...base.keys(), ...made.keys()]));
  const next = new Map([...made].filter(([path]) => !(disk.has(path) && isWrittenOnce(path))));
  const isUnrecorded = (path: string): boolean =>
    !base.has(path) && disk.has(path) && disk.get(path) !== next.get(path);
  const changes = planChange(
    { base: without(base, isWrittenOnce), next: without(next, isUnrecorded), disk },
    "keep-both",
  );
  const unrecorded = [...next.keys()]
    .filter(isUnrecorded)
    .map((path) => ({ path, action: "leave", why: unknown }) as const);
  const record = formatRecord(without(next, isUnrecorded));
  const all: FileChange[] = [...changes, ...unrecorded];
  if (record !== recorded.get(recordFile)) {
    const action = recorded.has(recordFile) ? ("update" as const) : ("create" as const);
    await writeChanges(root, [...all, { path: recordFile, action, text: record }]);
  } else await writeChanges(root, all);
  return report(
    all.map((change) => ({ ...change, path: join(folder, change.path) })),
    terminal,
  );
}

const unknown = `it differs from what is generated, and ${recordFile} does not say who changed it; delete it to generate it again`;

function without(files: Files, isLeft: (path: string) => boolean): Files {
  return new Map([...files].filter(([path]) => !isLeft(path)));
}

function formatRecord(files: Files): string {
  const note =
    "What capstan generated last. It tells your changes from those of the program: commit it, do not edit it.";
  return `${JSON.stringify({ note, files: Object.fromEntries([...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) }, undefined, 1)}\n`;
}

function parseRecord(text: string | undefined, path: string): Files {
  if (text === undefined) return new Map();
  try {
    const { files } = JSON.parse(text) as { readonly files: { readonly [path: string]: string } };
    return new Map(Object.entries(files));
  } catch (cause) {
    throw new CliError("BadInput", `cannot read ${path}: it is damaged; restore it from version control`, { cause });
  }
}
