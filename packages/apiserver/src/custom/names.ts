/** Accepts the names of a definition: each name that is free in its group, even if others conflict. */
import { quote, type Condition } from "@capstan/model";
import { aggregateText } from "../go-aggregate.ts";
import type { Definition, DefinitionNames } from "./definition.ts";

/** A condition without its transition time. */
export type Told = Omit<Condition, "lastTransitionTime">;

/** The accepted names, and whether they are all the requested ones. */
export interface Naming {
  readonly names: Partial<DefinitionNames>;
  readonly condition: Told;
}

interface Attempt {
  readonly wanted: string | undefined;
  readonly had: string | undefined;
  readonly taken: ReadonlySet<string>;
}

/** Accepts all free names; of several conflicts the last one is reported. `all` contains every definition, including this one. */
export function acceptNames({ spec: { group, names }, status }: Definition, all: readonly Definition[]): Naming {
  const had: Partial<DefinitionNames> = status?.acceptedNames ?? {};
  const claimed = all.filter((one) => one.spec.group === group).map((one) => one.status?.acceptedNames ?? {});
  const resources = new Set(claimed.flatMap(resourceNames));
  const kinds = new Set(claimed.flatMap(kindNames));
  const conflicts: { reason: string; message: string }[] = [];
  const take = <T>(reason: string, problem: string | undefined, [wanted, kept]: readonly [T, T]): T => {
    if (problem === undefined) return wanted;
    conflicts.push({ reason, message: problem });
    return kept;
  };
  const one = (reason: string, field: "plural" | "singular" | "kind" | "listKind", taken: ReadonlySet<string>) => {
    const [wanted, kept] = [names[field], had[field]];
    return take(reason, problemOf({ wanted, had: kept, taken }), [wanted, kept]);
  };
  const accepted = {
    plural: one("PluralConflict", "plural", resources),
    singular: one("SingularConflict", "singular", resources),
    shortNames: take("ShortNamesConflict", shortNameProblem(names, had, resources), [names.shortNames, had.shortNames]),
    kind: one("KindConflict", "kind", kinds),
    listKind: one("ListKindConflict", "listKind", kinds),
    categories: names.categories,
  };
  const conflict = conflicts.at(-1);
  const condition: Told =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict };
  return { names: given(accepted), condition };
}

/** Drops undefined names. */
function given(names: {
  readonly [name in keyof DefinitionNames]: DefinitionNames[name] | undefined;
}): Naming["names"] {
  return Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined));
}

function problemOf({ wanted = "", had = "", taken }: Attempt): string | undefined {
  return wanted === had || !taken.has(wanted) ? undefined : `${quote(wanted)} is already in use`;
}

/** Short names are accepted all together or not at all. */
function shortNameProblem(
  { shortNames = [] }: DefinitionNames,
  had: Partial<DefinitionNames>,
  taken: ReadonlySet<string>,
): string | undefined {
  const own = new Set(had.shortNames);
  const problems = shortNames
    .filter((name) => !own.has(name))
    .flatMap((wanted) => problemOf({ wanted, had: "", taken }) ?? []);
  return problems.length === 0 ? undefined : aggregateText(problems);
}

function resourceNames({ plural = "", singular = "", shortNames = [] }: Partial<DefinitionNames>): string[] {
  return [plural, singular, ...shortNames];
}

function kindNames({ kind = "", listKind = "" }: Partial<DefinitionNames>): string[] {
  return [kind, listKind];
}
