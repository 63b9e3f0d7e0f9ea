/** The versions that the policy of a Subscription holds, as the cluster and its catalog are now. */
import { CatalogSource, hasPolicy, heldBundles, type Subscription } from "@capstan/lifecycle";
import { CliError } from "../errors.ts";
import type { Connected } from "./options.ts";
import { readSource } from "./read-catalog.ts";

/** A version that waits, and why. */
export interface HeldVersions {
  /** The one that was asked for, or the newest. */
  readonly version: string;
  readonly all: readonly string[];
  readonly message: string;
}

/** What is held; undefined if nothing is, or if a plan is under way. */
export async function heldBy(
  { cluster }: Connected,
  subscription: Subscription,
  asked: string | undefined,
): Promise<HeldVersions | undefined> {
  const { status, metadata } = subscription;
  if (asked === undefined && (!hasPolicy(subscription) || status?.state === "UpgradePending")) return undefined;
  const all = await namesOf(subscription, cluster);
  if (asked !== undefined && !all.includes(asked)) {
    const hint = all.length === 0 ? "it holds none" : `it holds ${all.join(", ")}`;
    throw new CliError("BadInput", `the Subscription ${metadata.name} does not hold a version ${asked}: ${hint}`);
  }
  const version = asked ?? all.at(-1);
  if (version === undefined) return undefined;
  const told = status?.conditions?.find(({ type }) => type === "UpgradeHeld")?.message;
  return { version, all, message: told ?? `the policy of the Subscription ${metadata.name} holds ${version}` };
}

async function namesOf(subscription: Subscription, cluster: Connected["cluster"]): Promise<readonly string[]> {
  const { sourceNamespace: namespace, source: name, name: of } = subscription.spec;
  const source = hasPolicy(subscription) ? await cluster.get(CatalogSource, { namespace, name }) : undefined;
  if (source === undefined) return [];
  const found = (await readSource(source, cluster)).packages.get(of);
  return found === undefined ? [] : heldBundles(found, subscription).map((bundle) => bundle.name);
}
