/** The input of a resolution, read from a cluster: what the manager would resolve for a namespace at this moment. */
import {
  CatalogSource,
  type CatalogSnapshot,
  ClusterServiceVersion,
  OperatorGroup,
  type ResolutionInput,
  Subscription,
  toResolutionInput,
  withoutUnapproved,
} from "@capstan/lifecycle";
import { CliError } from "../errors.ts";
import type { Connected } from "./options.ts";
import { readSource } from "./read-catalog.ts";

/** How the input differs from what the cluster has. */
export interface InputOptions {
  /** The namespace may have no OperatorGroup yet. */
  readonly mayLackGroup?: boolean;
  /** The Subscriptions as they would be. */
  readonly change?: (subscription: Subscription) => Subscription;
}

/** Reads the input for the namespace of a connection. */
export async function readInput(
  { cluster, namespace }: Pick<Connected, "cluster" | "namespace">,
  globalNamespace: string,
  { mayLackGroup = false, change = (same) => same }: InputOptions = {},
): Promise<ResolutionInput> {
  const groups = await cluster.list(OperatorGroup, { namespace });
  const group = groups[0] ?? (mayLackGroup ? newGroup(namespace) : undefined);
  if (group === undefined || groups.length > 1) {
    const found = groups.length === 0 ? "has no OperatorGroup" : `has ${groups.length} OperatorGroups`;
    throw new CliError(
      "Failed",
      `the namespace ${namespace} ${found}, so nothing is resolved: it needs exactly one, or --namespace names another one`,
    );
  }
  const subscriptions = (await cluster.list(Subscription, { namespace })).map(change);
  const csvs = await cluster.list(ClusterServiceVersion, { namespace });
  const question = { namespace, globalNamespace, group, subscriptions, csvs };
  const snapshots = await readSnapshots(cluster, [...new Set([namespace, globalNamespace])]);
  return toResolutionInput(question, withoutUnapproved(snapshots, subscriptions));
}

function newGroup(namespace: string): OperatorGroup {
  const metadata = { name: namespace, namespace, uid: "", resourceVersion: "", creationTimestamp: "" };
  return { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata };
}

/** What `whatif` knows beyond OLM: whether a bundle can run on the cluster. */
export async function withClusterFacts(
  input: ResolutionInput,
  { client, cluster }: Pick<Connected, "client" | "cluster">,
): Promise<ResolutionInput> {
  const [group] = await cluster.list(OperatorGroup, { namespace: input.namespace });
  const kubernetesVersion = (await client.serverVersion()).gitVersion;
  const targets = group?.status?.namespaces;
  return { ...input, cluster: { kubernetesVersion, ...(targets === undefined ? {} : { targetNamespaces: targets }) } };
}

async function readSnapshots(cluster: Connected["cluster"], places: readonly string[]): Promise<CatalogSnapshot[]> {
  const found: CatalogSnapshot[] = [];
  for (const namespace of places) {
    for (const source of await cluster.list(CatalogSource, { namespace })) {
      const place = { name: source.metadata.name, namespace, priority: source.spec.priority ?? 0 };
      try {
        found.push({ ...place, state: "ready", catalog: await readSource(source, cluster) });
      } catch (error) {
        found.push({ ...place, state: "failed", error: error instanceof Error ? error.message : String(error) });
      }
    }
  }
  return found;
}
