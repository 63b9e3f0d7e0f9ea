/** Resolves the Subscriptions of a namespace: which bundles are to be installed next, or why that is impossible. */
import { ResolveError } from "./error.ts";
import type { Entry } from "./entry.ts";
import type { Variable } from "./problem.ts";
import type { RequestedSubscription, ResolutionInput, ResolutionResult, Selection } from "./resolution.ts";
import { solve } from "./solve.ts";
import { subscriptionVariable } from "./subscription.ts";
import { addBundle, invariantsOf, type BundleVariable, type Draft } from "./variables.ts";
import { compareText, toWorld, type World } from "./world.ts";

/** The variables of a resolution, or why there are none. */
export type Preparation = Prepared | { readonly type: "failed"; readonly message: string };

/** The variables of a resolution, ready to be solved. */
export interface Prepared {
  readonly type: "ready";
  readonly draft: Draft;
  readonly variables: readonly Variable[];
}

/** Resolves all Subscriptions of a namespace together. Equal input gives an equal result. */
export function resolve(input: ResolutionInput): ResolutionResult {
  const prepared = prepare(input);
  return prepared.type === "failed" ? prepared : solvePrepared(prepared, input);
}

/** Makes the variables of a resolution. */
export function prepare(input: ResolutionInput): Preparation {
  const { world, errors } = toWorld(input);
  const draft = createDraft(world, input);
  try {
    for (const entry of sortedByName(world.installed.entries)) addBundle(draft, entry);
    const { requests, failures } = readSubscriptions(draft, input);
    // A catalog that cannot be read explains more than what its absence causes.
    const problems = errors.length > 0 ? errors : failures;
    if (problems.length > 0) return { type: "failed", message: aggregate(problems) };
    const bundles = [...draft.bundles.values()];
    return { type: "ready", draft, variables: [...bundles, ...requests, ...invariantsOf(bundles)] };
  } catch (error) {
    if (!(error instanceof ResolveError)) throw error;
    return { type: "failed", message: error.message };
  }
}

function createDraft(world: World, { subscriptions, cluster }: ResolutionInput): Draft {
  const subscribed = new Set(subscriptions.flatMap(({ installedCSV }) => installedCSV ?? []));
  return { world, subscribed, ...(cluster && { cluster }), bundles: new Map(), candidates: new Map() };
}

function sortedByName<Named extends { readonly name: string }>(items: readonly Named[]): Named[] {
  return items.toSorted((a, b) => compareText(a.name, b.name));
}

interface ReadSubscriptions {
  readonly requests: readonly Variable[];
  readonly failures: readonly string[];
}

function readSubscriptions(draft: Draft, { subscriptions }: ResolutionInput): ReadSubscriptions {
  const [requests, failures]: [Variable[], string[]] = [[], []];
  for (const subscription of sortedByName(subscriptions)) {
    const current = currentOf(draft, subscription);
    try {
      requests.push(subscriptionVariable(draft, subscription, current));
    } catch (error) {
      if (!(error instanceof ResolveError)) throw error;
      failures.push(error.message);
    }
  }
  return { requests, failures };
}

function currentOf({ world }: Draft, { name, installedCSV }: RequestedSubscription): Entry | undefined {
  if (installedCSV === undefined || installedCSV === "") return undefined;
  const [current, ...others] = world.installed.entries.filter((entry) => entry.name === installedCSV);
  if (others.length === 0) return current;
  throw new ResolveError(
    "BadInstalled",
    `multiple name matches for status.installedCSV of subscription ${world.namespace}/${name}: ` +
      [current, ...others].map(() => installedCSV).join(", "),
  );
}

/** Several errors as the original writes them: each text once, in brackets. */
function aggregate(messages: readonly string[]): string {
  const [first = "", ...others] = [...new Set(messages)].toSorted(compareText);
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`;
}

function solvePrepared({ draft, variables }: Prepared, input: ResolutionInput): ResolutionResult {
  const bundles = [...draft.bundles.values()];
  const solution = solve(variables);
  if (solution.type === "solved") {
    const byVariable = new Map<Variable, BundleVariable>(bundles.map((bundle) => [bundle, bundle]));
    const chosen = solution.chosen.flatMap((one) => byVariable.get(one) ?? []);
    return { type: "solved", selections: chosen.flatMap((one) => selectionOf(one, input)) };
  }
  const conflicts = solution.core.map(({ constraint: { message, explanation } }) => ({ message, explanation }));
  const message = `constraints not satisfiable: ${conflicts.map((one) => one.message).join(", ")}`;
  return { type: "unsatisfiable", message, conflicts };
}

/** The selection of a chosen variable; none for an operator that is installed already. */
function selectionOf({ entry, replaces }: BundleVariable, { subscriptions }: ResolutionInput): Selection[] {
  const { bundle, channel, catalog, facts } = entry;
  if (bundle === undefined) return [];
  const replaced = replaces ?? entry.replaces;
  const asking = subscriptions.filter(
    (one) =>
      one.package === entry.package &&
      (one.channel === undefined || one.channel === "" || one.channel === channel) &&
      one.catalog.name === catalog.name &&
      one.catalog.namespace === catalog.namespace,
  );
  return [
    {
      bundle,
      channel,
      catalog,
      ...(replaced !== undefined && { replaces: replaced }),
      subscriptions: sortedByName(asking).map(({ name }) => name),
      properties: facts.properties,
    },
  ];
}

/** The name of the Subscription that a selection gets if none asks for it. */
export function generatedSubscriptionName({ bundle, channel, catalog }: Selection): string {
  return [bundle.package, channel, catalog.name, catalog.namespace].join("-");
}
