/** Renames a kind in a whole project: every form of its name, in files and in their names, user's lines included. */
import { type ApiName, findApi } from "./edit.ts";
import { ScaffoldError } from "../errors.ts";
import { checkProject } from "./collisions.ts";
import type { ApiInputs, Inputs } from "./inputs.ts";
import { wordsOf } from "./names.ts";
import type { Files } from "./render.ts";
import { fileOf, isNamedAsItsChild, valueOf } from "../templates/source.ts";

/** What to rename to. */
export interface NewName {
  readonly kind?: string | undefined;
  readonly group?: string | undefined;
}

/** A renamed project: its inputs, and all files under their new names. */
export interface Renamed {
  readonly inputs: Inputs;
  readonly files: Files;
  /** Paths that are no longer there. */
  readonly gone: readonly string[];
}

/** Renames a kind or moves it to another group. */
export function renameApi(
  inputs: Inputs,
  name: ApiName,
  { to, disk }: { readonly to: NewName; readonly disk: Files },
): Renamed {
  const api = findApi(inputs, name);
  if (api.origin !== "new")
    throw new ScaffoldError("NotPossible", `${api.kind} is not defined by this project and keeps its name`);
  const { plural: _, ...kept } = api;
  const renamed: ApiInputs = {
    ...(to.kind === undefined ? api : kept),
    kind: to.kind ?? api.kind,
    group: to.group ?? api.group,
  };
  if (inputs.apis.some((one) => one !== api && one.kind === renamed.kind && one.group === renamed.group)) {
    throw new ScaffoldError("Duplicate", `${renamed.kind} is there already in ${renamed.group}`);
  }
  for (const one of [api, renamed]) {
    if (isNamedAsItsChild(one))
      throw new ScaffoldError(
        "NotPossible",
        `${one.kind} is also the name of what its controller makes: rename it by hand`,
      );
  }
  const next = { ...inputs, apis: inputs.apis.map((one) => (one === api ? renamed : one)) };
  checkProject(next);
  const words = wordPairs({ inputs, api }, { inputs: next, api: renamed });
  const files = new Map<string, string>();
  const gone: string[] = [];
  for (const [path, text] of disk) {
    const target = replaceWords(path, words);
    if (target !== path && disk.has(target))
      throw new ScaffoldError("Duplicate", `cannot rename ${path}: ${target} is there already`);
    if (target !== path) gone.push(path);
    const changed = replaceWords(text, words);
    if (target !== path || changed !== text) files.set(target, changed);
  }
  return { inputs: next, files, gone };
}

interface Named {
  readonly inputs: Inputs;
  readonly api: ApiInputs;
}

function wordPairs(from: Named, to: Named): ReadonlyMap<string, string> {
  const [was, is] = [wordsOf(from.api.kind, from.api.plural), wordsOf(to.api.kind, to.api.plural)];
  const pairs: (readonly [string, string])[] = [
    [from.api.group, to.api.group],
    [was.kind, is.kind],
    [was.plural, is.plural],
    [fileOf(from.inputs, from.api), fileOf(to.inputs, to.api)],
    ...from.api.controllers.map(
      (name) => [`${fileOf(from.inputs, from.api)}-${name}`, `${fileOf(to.inputs, to.api)}-${name}`] as const,
    ),
    ...from.api.controllers.map(
      (name) => [valueOf(from.inputs, from.api, name), valueOf(to.inputs, to.api, name)] as const,
    ),
  ];
  return new Map(pairs.filter(([old, fresh]) => old !== fresh));
}

/** Replaces whole words only: `AppService` and `app-service.ts`, but neither `MyAppService`, nor `app-service-x`, nor the image `app-service:1`. */
function replaceWords(text: string, words: ReadonlyMap<string, string>): string {
  if (words.size === 0) return text;
  const longestFirst = [...words.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(String.raw`(?<!\w|\w-)(${longestFirst.map(escape).join("|")})(?![\w-]|:\S)`, "g");
  return text.replaceAll(pattern, (word) => words.get(word) ?? word);
}

function escape(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
