/** Brings a project from one set of files to another without losing what its users wrote. */
import { endedLike } from "../merge/line-ends.ts";
import { type Additions, merge } from "../merge/merge.ts";
import { mergeSource } from "../merge/source.ts";
import { inputsFile } from "./inputs.ts";
import type { Files } from "./render.ts";

/** The files of a project: as they were made, as they should be made now, and as they are. */
export interface Situation {
  readonly base: Files;
  readonly next: Files;
  readonly disk: Files;
}

/** What happens to one file. */
export type FileChange =
  | { readonly path: string; readonly action: "create" | "update"; readonly text: string }
  | { readonly path: string; readonly action: "conflict"; readonly text: string; readonly conflicts: number }
  | { readonly path: string; readonly action: "delete" }
  /** It should go, or come back, but its user changed or deleted it: it stays as it is. */
  | { readonly path: string; readonly action: "leave"; readonly why: string };

/** What has to happen, in the order of the paths. Files that stay the same are not named. */
export function planChange({ base, next, disk }: Situation, additions: Additions = "mark"): FileChange[] {
  const paths = [...new Set([...base.keys(), ...next.keys()])].sort();
  // A new file gets the line ends of the project.
  const model = disk.get(inputsFile) ?? "";
  return paths.flatMap((path) => {
    const is = disk.get(path);
    const like = (text: string | undefined): string | undefined =>
      text === undefined ? text : endedLike(is ?? model, text);
    const change = changeOf({ path, was: like(base.get(path)), wanted: like(next.get(path)), is }, additions);
    return change === undefined ? [] : [change];
  });
}

interface OneFile {
  readonly path: string;
  readonly was: string | undefined;
  readonly wanted: string | undefined;
  readonly is: string | undefined;
}

function changeOf({ path, was, wanted, is }: OneFile, additions: Additions): FileChange | undefined {
  if (wanted === is || wanted === was) return undefined;
  // The inputs file belongs to the tool and is always overwritten.
  if (path === inputsFile && wanted !== undefined)
    return { path, action: is === undefined ? "create" : "update", text: wanted };
  if (wanted === undefined) {
    if (is === undefined) return undefined;
    return is === was
      ? { path, action: "delete" }
      : { path, action: "leave", why: "you changed it; delete it yourself if it is not needed" };
  }
  if (is === undefined) {
    return was === undefined
      ? { path, action: "create", text: wanted }
      : { path, action: "leave", why: "you deleted it" };
  }
  return mergedChange({ path, was, wanted, is }, additions);
}

/** The lines are merged; a source whose lines conflict is merged by its tokens, so that another format is no conflict. */
function mergedChange(
  { path, was, wanted, is }: OneFile & { readonly wanted: string; readonly is: string },
  additions: Additions,
): FileChange | undefined {
  if (was === undefined) {
    const { text, conflicts } = merge({ base: "", mine: is, theirs: wanted });
    return conflicts > 0 ? { path, action: "conflict", text, conflicts } : { path, action: "update", text };
  }
  const versions = { base: was, mine: is, theirs: wanted };
  const { text, conflicts } = merge(versions, additions);
  if (conflicts === 0) return text === is ? undefined : { path, action: "update", text };
  const source = path.endsWith(".ts") ? mergeSource(versions, additions) : undefined;
  return source === undefined
    ? { path, action: "conflict", text, conflicts }
    : { path, action: "update", text: source };
}
