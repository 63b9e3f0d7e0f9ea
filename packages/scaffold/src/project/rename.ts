/** Renames a kind in a project: generated parts are regenerated, and in user code only references to the kind change. */
import { endedLike } from "../merge/line-ends.ts";
import { merge } from "../merge/merge.ts";
import { type Renaming, rewrite } from "../rename/rewrite.ts";
import { ScaffoldError } from "../errors.ts";
import { fileOf, isNamedAsItsChild, valueOf } from "../templates/source.ts";
import type { FileChange } from "./change.ts";
import { checkProject } from "./collisions.ts";
import { type ApiName, findApi } from "./edit.ts";
import { type ApiInputs, type Inputs, inputsFile } from "./inputs.ts";
import { wordsOf } from "./names.ts";
import { apiFiles, type Files, renderProject } from "./render.ts";

/** What to rename to. */
export interface NewName {
  readonly kind?: string | undefined;
  readonly group?: string | undefined;
}

/** What renaming a kind, or moving it to another group, changes in a project. */
export function renameApi(
  inputs: Inputs,
  name: ApiName,
  { to, disk }: { readonly to: NewName; readonly disk: Files },
): FileChange[] {
  const api = findApi(inputs, name);
  const renamed = newApi(api, to);
  const next = { ...inputs, apis: inputs.apis.map((one) => (one === api ? renamed : one)) };
  checkNames(next, api, renamed);
  const renaming = renamingOf({ inputs, api }, { inputs: next, api: renamed });
  const templates = { base: renderProject(inputs), next: renderProject(next) };
  return [...disk].flatMap(([path, text]) => {
    const target = renaming.moved.get(path) ?? path;
    if (target !== path && disk.has(target) && !renaming.moved.has(target))
      throw new ScaffoldError("Duplicate", `cannot rename ${path}: ${target} is there already`);
    const was = templates.base.get(path);
    const wanted = was === undefined ? undefined : templates.next.get(target);
    const made = textOf({ path, text, was, wanted }, renaming);
    if (target === path) return made.text === text ? [] : [changed(path, made, "update")];
    const isLeft = [...renaming.moved.values()].includes(path);
    return [changed(target, made, disk.has(target) ? "update" : "create"), ...(isLeft ? [] : [deleted(path)])];
  });
}

function newApi(api: ApiInputs, to: NewName): ApiInputs {
  if (api.origin !== "new")
    throw new ScaffoldError("NotPossible", `${api.kind} is not defined by this project and keeps its name`);
  const { plural: _, ...kept } = api;
  return { ...(to.kind === undefined ? api : kept), kind: to.kind ?? api.kind, group: to.group ?? api.group };
}

function checkNames(next: Inputs, api: ApiInputs, renamed: ApiInputs): void {
  const isTaken = ({ kind, group }: ApiInputs): boolean => kind === renamed.kind && group === renamed.group;
  if (next.apis.some((one) => one !== renamed && isTaken(one)))
    throw new ScaffoldError("Duplicate", `${renamed.kind} is there already in ${renamed.group}`);
  const child = [api, renamed].find(isNamedAsItsChild);
  if (child !== undefined)
    throw new ScaffoldError(
      "NotPossible",
      `${child.kind} is also the name of what its controller makes: rename it by hand`,
    );
  checkProject(next);
}

interface Named {
  readonly inputs: Inputs;
  readonly api: ApiInputs;
}

/** Other kinds may get other files, too: of two that are called alike, only the first needs no group in its file's name. */
function renamingOf(from: Named, to: Named): Renaming {
  const moved = new Map<string, string>();
  const exports = new Map<string, ReadonlyMap<string, string>>();
  for (const [at, api] of from.inputs.apis.entries()) {
    const target = to.inputs.apis[at];
    if (target === undefined) continue;
    const paths = apiFiles(to.inputs, target).map(([path]) => path);
    for (const [index, [path]] of apiFiles(from.inputs, api).entries()) moved.set(path, paths[index] ?? path);
    for (const [path, names] of exportsOf({ ...from, api }, { ...to, api: target })) exports.set(path, names);
  }
  return {
    from: kindName(from.api),
    to: kindName(to.api),
    moved: new Map([...moved].filter(([path, target]) => path !== target)),
    exports,
    own: new Set(apiFiles(from.inputs, from.api).map(([path]) => path)),
  };
}

function kindName({ kind, plural, group }: ApiInputs): Renaming["from"] {
  return { kind, plural: wordsOf(kind, plural).plural, group };
}

/** The values that each file of a kind exports, as they were called and as they will be. */
function exportsOf(from: Named, to: Named): (readonly [string, ReadonlyMap<string, string>])[] {
  const file = fileOf(from.inputs, from.api);
  return ["", ...from.api.controllers.filter((name) => name !== "")].map((name) => {
    const value = [valueOf(from.inputs, from.api, name), valueOf(to.inputs, to.api, name)] as const;
    const values = name === "" ? [[from.api.kind, to.api.kind] as const, value] : [value];
    return [
      `src/${file}${name === "" ? "" : `-${name}`}.ts`,
      new Map(values.filter(([was, is]) => was !== is)),
    ] as const;
  });
}

interface OneFile {
  readonly path: string;
  readonly text: string;
  readonly was: string | undefined;
  readonly wanted: string | undefined;
}

interface Made {
  readonly text: string;
  readonly conflicts: number;
}

/** Sources that people changed are theirs: a merge by lines could give one half of a file the new name and leave the other the old one. */
function textOf({ path, text, was, wanted }: OneFile, renaming: Renaming): Made {
  const isUntouched = was !== undefined && text === endedLike(text, was);
  if (wanted !== undefined && (isUntouched || path === inputsFile))
    return { text: endedLike(text, wanted), conflicts: 0 };
  const mine = rewrite(path, text, renaming);
  if (was === undefined || wanted === undefined || path.endsWith(".ts")) return { text: mine, conflicts: 0 };
  return merge({ base: rewrite(path, was, renaming), mine, theirs: wanted });
}

function changed(path: string, { text, conflicts }: Made, action: "create" | "update"): FileChange {
  return conflicts > 0 ? { path, action: "conflict", text, conflicts } : { path, action, text };
}

function deleted(path: string): FileChange {
  return { path, action: "delete" };
}
