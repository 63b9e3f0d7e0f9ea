/** The variables of a resolution: one for each entry that can be chosen, and those for Subscriptions, APIs and packages. */
import { obstaclesOf, type ClusterFacts } from "./cluster.ts";
import { idOf, type Entry } from "./entry.ts";
import type { Constraint, Variable } from "./problem.ts";
import { requirementsOf } from "./properties.ts";
import type { Requirement } from "./requirement.ts";
import { candidatesFor, compareText, type World } from "./world.ts";

/** The choice to have an entry installed. */
export interface BundleVariable extends Variable {
  readonly entry: Entry;
  /** The name of the installed operator that it replaces. */
  replaces?: string;
}

/** Variables under construction. */
export interface Draft {
  readonly world: World;
  /** The names of the installed operators that Subscriptions refer to. */
  readonly subscribed: ReadonlySet<string>;
  readonly cluster?: ClusterFacts;
  readonly bundles: Map<Entry, BundleVariable>;
  readonly candidates: Map<string, readonly Entry[]>;
}

/** The variable of an entry, with the variables of all that it requires. */
export function addBundle(draft: Draft, entry: Entry): BundleVariable {
  const known = draft.bundles.get(entry);
  if (known !== undefined) return known;
  const variable = createVariable(draft, entry);
  const open = [variable];
  for (const next of open)
    for (const requirement of requirementsOf(next.entry.facts.properties))
      next.constraints.push(dependencyOf(draft, { dependent: next.entry, requirement, open }));
  return variable;
}

function createVariable(draft: Draft, entry: Entry): BundleVariable {
  const variable = { id: idOf(entry), constraints: basicConstraints(draft, entry), entry };
  draft.bundles.set(entry, variable);
  return variable;
}

function basicConstraints({ subscribed, cluster, world }: Draft, entry: Entry): Constraint[] {
  const { name, isInstalled, facts, bundle } = entry;
  const obstacles = cluster && bundle ? obstaclesOf(bundle, world.namespace, cluster) : [];
  const constraints: Constraint[] = obstacles.map((one) => ({ type: "prohibited", ...one }));
  if (isInstalled && !subscribed.has(name))
    constraints.push({
      type: "mandatory",
      message: `clusterserviceversion ${name} exists and is not referenced by a subscription`,
      explanation: `${name} is installed, and no Subscription refers to it, so it has to stay as it is`,
    });
  if (facts.isProhibited)
    constraints.push({
      type: "prohibited",
      message: `bundle ${idOf(entry)} is deprecated`,
      explanation: `${describe(entry)} has the property olm.deprecated, so it cannot be installed`,
    });
  if (facts.held !== undefined)
    constraints.push({
      type: "prohibited",
      message: `bundle ${idOf(entry)} is held`,
      explanation: `${describe(entry)} is held: ${facts.held}`,
    });
  return constraints;
}

interface Dependence {
  readonly dependent: Entry;
  readonly requirement: Requirement & { readonly key: string };
  /** Variables whose own requirements are not read yet. */
  readonly open: BundleVariable[];
}

function dependencyOf(draft: Draft, { dependent, requirement, open }: Dependence): Constraint {
  const found = cachedCandidates(draft, requirement, dependent);
  const candidates = found.map((entry) => {
    const known = draft.bundles.get(entry);
    if (known !== undefined) return known;
    const created = createVariable(draft, entry);
    open.push(created);
    return created;
  });
  const needs = `${describe(dependent)} needs ${requirement.explanation}`;
  return {
    type: "dependency",
    candidates,
    message: `bundle ${dependent.name} requires an operator ${requirement.text}`,
    explanation: found.length === 0 ? `${needs}, and no catalog has one` : `${needs}: ${alternatives(found)}`,
  };
}

function cachedCandidates(draft: Draft, requirement: Dependence["requirement"], { catalog }: Entry): readonly Entry[] {
  const key = `${catalog.namespace}/${catalog.name} ${requirement.key}`;
  const found = draft.candidates.get(key) ?? candidatesFor(draft.world, requirement, catalog);
  draft.candidates.set(key, found);
  return found;
}

/** The variables that allow one provider of each API, and one operator of each package. */
export function invariantsOf(bundles: readonly BundleVariable[]): Variable[] {
  const [apis, packages] = [new Map<string, BundleVariable[]>(), new Map<string, BundleVariable[]>()];
  for (const variable of bundles) {
    const { facts } = variable.entry;
    for (const api of facts.apis) append(apis, api, variable);
    for (const name of facts.packageNames) append(packages, name, variable);
  }
  return [
    ...sorted(apis).map(([api, providers]) =>
      onlyOne(api, providers, {
        message: `provide ${api}`,
        explanation: `only one installed operator can provide ${api}, and each of these does`,
      }),
    ),
    ...sorted(packages).map(([name, members]) =>
      onlyOne(name, members, {
        message: `originate from package ${name}`,
        explanation: `the package ${name} can only be installed once, and each of these belongs to it`,
      }),
    ),
  ];
}

function append(table: Map<string, BundleVariable[]>, key: string, variable: BundleVariable): void {
  table.set(key, table.get(key) ?? []);
  table.get(key)?.push(variable);
}

function sorted(table: ReadonlyMap<string, BundleVariable[]>): [string, BundleVariable[]][] {
  return [...table].toSorted(([a], [b]) => compareText(a, b));
}

function onlyOne(
  id: string,
  variables: readonly BundleVariable[],
  texts: { readonly message: string; readonly explanation: string },
): Variable {
  const of = variables.toSorted((a, b) => compareText(a.id, b.id));
  if (of.length < 2) return { id, constraints: [] };
  const ids = of.map((one) => one.id);
  const message = `${ids.slice(0, -1).join(", ")} and ${ids.at(-1) ?? ""} ${texts.message}`;
  const explanation = `${texts.explanation}: ${alternatives(of.map(({ entry }) => entry))}`;
  return { id, constraints: [{ type: "at-most-one", of, message, explanation }] };
}

const fewNames = 5;

/** The entries by name; of many only the first ones. */
export function alternatives(entries: readonly Entry[]): string {
  const names = [...new Set(entries.map(describe))];
  if (names.length > fewNames) return `${names.slice(0, fewNames).join(", ")} and ${names.length - fewNames} more`;
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}` : names.join("");
}

/** An entry in plain English. */
export function describe({ name, isInstalled, catalog, channel }: Entry): string {
  return isInstalled ? `the installed ${name}` : `${name} (channel ${channel} of the catalog ${catalog.name})`;
}
