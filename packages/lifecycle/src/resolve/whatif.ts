/** Answers what a change would do before it is made: the resolutions before and after it, and the difference. */
import type {
  CatalogReference,
  CatalogSnapshot,
  RequestedSubscription,
  ResolutionInput,
  ResolutionResult,
  Selection,
} from "./resolution.ts";
import { obstaclesOf, type ClusterFacts } from "./cluster.ts";
import { resolve } from "./resolve.ts";
import { findBundles } from "./world.ts";

/** A change that has not been made. */
export type ProposedChange =
  | { readonly type: "add-subscription"; readonly subscription: RequestedSubscription }
  | { readonly type: "remove-subscription"; readonly name: string }
  | { readonly type: "remove-operator"; readonly name: string }
  | { readonly type: "set-catalog"; readonly catalog: CatalogSnapshot }
  | { readonly type: "remove-catalog"; readonly catalog: CatalogReference }
  | { readonly type: "upgrade-kubernetes"; readonly version: string };

/** What a change would do. */
export interface Outcome {
  readonly before: ResolutionResult;
  readonly after: ResolutionResult;
  /** Bundles that would be installed only with the change, and only without it. */
  readonly added: readonly Selection[];
  readonly dropped: readonly Selection[];
  /** In plain English: the verdict first, then what changes, then what to take care of. */
  readonly summary: readonly string[];
}

/** What would happen after a change. The input stays as it is. */
export function whatif(input: ResolutionInput, change: ProposedChange): Outcome {
  const changed = apply(input, change);
  const [before, after] = [resolve(input), resolve(changed)];
  const [old, next] = [selectionsOf(before), selectionsOf(after)];
  const added = next.filter((one) => !old.some((other) => isSame(one, other)));
  const dropped = old.filter((one) => !next.some((other) => isSame(one, other)));
  const summary = [verdict(before, after), ...differences(added, dropped), ...cautions(changed, change)];
  return { before, after, added, dropped, summary };
}

function apply(input: ResolutionInput, change: ProposedChange): ResolutionInput {
  const { subscriptions, catalogs, installed, cluster } = input;
  const others = ({ name, namespace }: CatalogReference): CatalogSnapshot[] =>
    catalogs.filter((one) => one.name !== name || one.namespace !== namespace);
  switch (change.type) {
    case "add-subscription": {
      const { subscription } = change;
      return {
        ...input,
        subscriptions: [...subscriptions.filter(({ name }) => name !== subscription.name), subscription],
      };
    }
    case "remove-subscription":
      return { ...input, subscriptions: subscriptions.filter(({ name }) => name !== change.name) };
    case "remove-operator":
      return { ...input, installed: installed.filter(({ name }) => name !== change.name) };
    case "set-catalog":
      return { ...input, catalogs: [...others(change.catalog), change.catalog] };
    case "remove-catalog":
      return { ...input, catalogs: others(change.catalog) };
    case "upgrade-kubernetes":
      return { ...input, cluster: { ...cluster, kubernetesVersion: change.version } };
  }
}

function selectionsOf(result: ResolutionResult): readonly Selection[] {
  return result.type === "solved" ? result.selections : [];
}

function isSame(a: Selection, b: Selection): boolean {
  return (
    a.bundle.name === b.bundle.name && a.catalog.name === b.catalog.name && a.catalog.namespace === b.catalog.namespace
  );
}

function verdict(before: ResolutionResult, after: ResolutionResult): string {
  const works = (result: ResolutionResult): boolean => result.type === "solved";
  if (works(after)) return works(before) ? "The resolution still succeeds." : "The change repairs the resolution.";
  const reason = after.type === "solved" ? "" : after.message;
  if (!works(before)) return `The resolution fails with and without the change: ${reason}`;
  return `The change breaks the resolution; nothing would be installed or upgraded any more: ${reason}`;
}

function differences(added: readonly Selection[], dropped: readonly Selection[]): string[] {
  const line = ({ bundle, channel, catalog, replaces, subscriptions }: Selection): string => {
    const because =
      subscriptions.length > 0
        ? `for the Subscription ${subscriptions.join(", ")}`
        : "because another operator needs it";
    const upgrade = replaces === undefined ? "" : `, replacing ${replaces}`;
    return `${bundle.name} (channel ${channel}, catalog ${catalog.name})${upgrade}, ${because}`;
  };
  if (added.length === 0 && dropped.length === 0) return ["Nothing else would be installed than without the change."];
  return [
    ...added.map((one) => `It would install ${line(one)}.`),
    ...dropped.map((one) => `It would no longer install ${line(one)}.`),
  ];
}

/** What a resolution does not see: operators that stay installed although the change takes something from them. */
function cautions(input: ResolutionInput, change: ProposedChange): string[] {
  switch (change.type) {
    case "remove-subscription":
      return ["The operator stays installed without its Subscription: it gets no upgrades, and it blocks its package."];
    case "remove-catalog":
      return input.subscriptions
        .filter(({ catalog }) => catalog.name === change.catalog.name && catalog.namespace === change.catalog.namespace)
        .map(
          ({ name }) =>
            `The Subscription ${name} refers to the catalog; what it installed keeps running without upgrades.`,
        );
    case "upgrade-kubernetes":
      return installedObstacles(input, input.cluster ?? { kubernetesVersion: change.version });
    case "remove-operator":
    case "add-subscription":
    case "set-catalog":
      return [];
  }
}

function installedObstacles(input: ResolutionInput, cluster: ClusterFacts): string[] {
  return input.installed.flatMap(({ name }) =>
    findBundles(input, name)
      .slice(0, 1)
      .flatMap((bundle) =>
        obstaclesOf(bundle, input.namespace, cluster).map(({ explanation }) => `Installed already: ${explanation}.`),
      ),
  );
}
