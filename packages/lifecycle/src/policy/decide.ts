/** Decides which newer versions of a package a policy approves, why it holds the others, and when that may change. */
import { type CatalogBundle, type CatalogPackage, compareVersions, parseTolerant, type Version } from "@capstan/bundle";
import type { Subscription } from "../kinds/subscription.ts";
import { approvedVersionAnnotation, policyApproved, type Policy } from "./annotations.ts";
import { openingAt } from "./window.ts";

/** Why a version is held. */
export type HoldReason = "Versions" | "MinimumAge" | "OtherCluster" | "Window";

/** A newer version that waits. */
export interface Held {
  readonly name: string;
  readonly reason: HoldReason;
  readonly message: string;
}

/** What a policy says about the newer versions of a package. */
export interface Decision {
  readonly approved: readonly string[];
  /** The newest first. */
  readonly held: readonly Held[];
  /** When the decision may change without a change of the catalog, in milliseconds since 1970. */
  readonly next?: number;
}

/** What the version on the other cluster has reached. */
export type OtherCluster =
  | { readonly type: "succeeded"; readonly name: string; readonly version: string; readonly since: number }
  | { readonly type: "waiting"; readonly message: string };

/** What a decision depends on. */
export interface Facts {
  readonly policy: Policy;
  readonly installed: string;
  readonly candidates: readonly CatalogBundle[];
  readonly firstSeen: ReadonlyMap<string, number>;
  readonly other?: OtherCluster;
  readonly now: number;
}

/** The bundles of the subscribed channel that are newer than what is installed, oldest first; all of them without an installation. */
export function newerBundles(
  { name, channels, bundles }: CatalogPackage,
  { spec, status }: Pick<Subscription, "spec" | "status">,
): readonly CatalogBundle[] {
  if (name !== spec.name) return [];
  const { channel = "" } = spec;
  const names = [...channels.values()]
    .filter((each) => channel === "" || each.name === channel)
    .flatMap(({ entries }) => [...entries.keys()]);
  const installed = status?.installedCSV ?? "";
  const current = versionOf(bundles.get(installed)) ?? parseTolerant(installed.replace(/^[^.]*\./u, ""));
  return [...new Set(names)]
    .flatMap((each) => bundles.get(each) ?? [])
    .filter((bundle) => bundle.name !== installed && isNewer(versionOf(bundle), current))
    .toSorted(byVersion);
}

function versionOf(bundle: CatalogBundle | undefined): Version | undefined {
  return bundle === undefined ? undefined : parseTolerant(bundle.version);
}

function isNewer(version: Version | undefined, current: Version | undefined): boolean {
  return version === undefined || current === undefined || compareVersions(version, current) > 0;
}

function byVersion(a: CatalogBundle, b: CatalogBundle): number {
  const [one, other] = [versionOf(a), versionOf(b)];
  return one === undefined || other === undefined ? 0 : compareVersions(one, other);
}

/** The decision. */
export function decide(facts: Facts): Decision {
  const { policy, candidates, now } = facts;
  const verdicts = candidates.map((bundle) => ({ bundle, obstacle: obstacleOf(bundle, facts) }));
  const passing = verdicts.flatMap(({ bundle, obstacle }) => (obstacle === undefined ? [bundle.name] : []));
  const waiting = verdicts.flatMap(({ bundle, obstacle }) => (obstacle ? [{ name: bundle.name, ...obstacle }] : []));
  const times = waiting.flatMap(({ until }) => until ?? []);
  const [window, ...more] = policy.windows;
  const opening = window === undefined || passing.length === 0 ? undefined : openingAt([window, ...more], now);
  const held = waiting.map(({ name, reason, message }): Held => ({ name, reason, message }));
  if (opening === undefined || opening.isOpen) {
    const next = Math.min(...times, opening?.until ?? Infinity);
    return { approved: passing, held: held.toReversed(), ...(next === Infinity ? {} : { next }) };
  }
  const closed = passing.map((name): Held => {
    const message = `${name} waits for the window ${opening.window.text}, which opens at ${formatTime(opening.next)}`;
    return { name, reason: "Window", message };
  });
  return { approved: [], held: [...closed, ...held].toReversed(), next: Math.min(...times, opening.next) };
}

interface Obstacle {
  readonly reason: HoldReason;
  readonly message: string;
  readonly until?: number;
}

function obstacleOf(bundle: CatalogBundle, facts: Facts): Obstacle | undefined {
  return versionObstacle(bundle, facts) ?? ageObstacle(bundle, facts) ?? otherObstacle(bundle, facts);
}

function versionObstacle({ name, version: text }: CatalogBundle, { policy, installed }: Facts): Obstacle | undefined {
  const hold = (message: string): Obstacle => ({ reason: "Versions", message: `${name} ${message}` });
  if (policy.versions === "any") return undefined;
  if (policy.versions === "none") return hold("is not approved, and the policy approves no version by itself");
  const [version, current] = [parseTolerant(text), parseTolerant(installed)];
  if (version === undefined || current === undefined) return hold("has a version that cannot be compared");
  if (version.pre.length > 0 && current.pre.length === 0) return hold("is a pre-release");
  const isSameMajor = version.major === current.major;
  if (policy.versions === "minor") return isSameMajor ? undefined : hold(`is another major version than ${installed}`);
  return isSameMajor && version.minor === current.minor ? undefined : hold(`is not a patch of ${installed}`);
}

function ageObstacle({ name }: CatalogBundle, { policy, firstSeen, now }: Facts): Obstacle | undefined {
  if (policy.minAge === 0) return undefined;
  const until = (firstSeen.get(name) ?? now) + policy.minAge;
  if (until <= now) return undefined;
  return { reason: "MinimumAge", message: `${name} has to be in the catalog until ${formatTime(until)}`, until };
}

function otherObstacle(bundle: CatalogBundle, { policy, other, now }: Facts): Obstacle | undefined {
  if (policy.after === undefined) return undefined;
  const hold = (message: string): Obstacle => ({ reason: "OtherCluster", message: `${bundle.name} ${message}` });
  if (other === undefined) return hold("waits for the other cluster, which has not been asked yet");
  if (other.type === "waiting") return hold(`waits for the other cluster: ${other.message}`);
  const [version, there] = [versionOf(bundle), parseTolerant(other.version)];
  const hasReached = bundle.name === other.name || (there !== undefined && !isNewer(version, there));
  if (!hasReached) return hold(`waits for the other cluster, which runs ${other.name}`);
  const until = other.since + policy.after.soak;
  if (until <= now) return undefined;
  return { ...hold(`has to run on the other cluster until ${formatTime(until)}`), until };
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/u, "Z");
}

/** The newer versions that a Subscription does not install: neither its policy nor a user has approved them. */
export function heldBundles(found: CatalogPackage, subscription: Subscription): readonly CatalogBundle[] {
  // The first installation is what a user asks for.
  if ((subscription.status?.installedCSV ?? "") === "") return [];
  const newer = newerBundles(found, subscription);
  const approved = new Set(policyApproved(subscription));
  const named = newer.find(({ name }) => name === subscription.metadata.annotations?.[approvedVersionAnnotation]);
  const limit = versionOf(named);
  return newer.filter((bundle) => {
    if (approved.has(bundle.name) || bundle === named) return false;
    return limit === undefined || isNewer(versionOf(bundle), limit);
  });
}
