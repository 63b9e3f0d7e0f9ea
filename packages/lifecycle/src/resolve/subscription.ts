/** The variable of a Subscription: mandatory, with the entries that can fulfil it in order of preference. */
import { sortChannel } from "./channel.ts";
import { idOf, type Entry } from "./entry.ts";
import type { Constraint, Variable } from "./problem.ts";
import type { RequestedSubscription } from "./resolution.ts";
import { addBundle, alternatives, type BundleVariable, type Draft } from "./variables.ts";
import { compareText, findCatalog } from "./world.ts";

/** The variable of a Subscription. The installed operator is its last alternative. */
export function subscriptionVariable(
  draft: Draft,
  subscription: RequestedSubscription,
  current: Entry | undefined,
): Variable {
  const id = `subscription:${subscription.name}`;
  const entries = entriesOf(draft, subscription, current);
  if (typeof entries === "string") return { id, constraints: [exists(subscription), impossible(entries)] };
  const upgrades = sortByChannel(entries).filter((entry) => current === undefined || canReplace(entry, current));
  const candidates = upgrades.flatMap((entry) => sameName(entry, entries).map((one) => addBundle(draft, one)));
  const installed = current && addBundle(draft, current);
  if (installed !== undefined) for (const one of candidates) markReplacement(one, installed);
  const all = [...candidates, ...(installed ? [installed] : [])];
  return { id, constraints: [exists(subscription), requires(subscription, all)] };
}

/** The entries of the package, channel and starting version; or why there are none. */
function entriesOf({ world }: Draft, subscription: RequestedSubscription, current?: Entry): Entry[] | string {
  const { name, package: of, channel = "", startingCSV = "", catalog } = subscription;
  const source = findCatalog(world, catalog);
  const referenced = `in the catalog referenced by subscription ${name}`;
  if (source === undefined || source.entries.length === 0)
    return `no operators found from catalog ${catalog.name} in namespace ${catalog.namespace} referenced by subscription ${name}`;
  const inPackage = source.byPackage.get(of) ?? [];
  if (inPackage.length === 0) return `no operators found in package ${of} ${referenced}`;
  const inChannel = inPackage.filter((entry) => channel === "" || entry.channel === channel);
  if (inChannel.length === 0) return `no operators found in channel ${channel} of package ${of} ${referenced}`;
  if (current !== undefined || startingCSV === "") return inChannel;
  const starting = inChannel.filter((entry) => entry.name === startingCSV);
  if (starting.length > 0) return starting;
  return `no operators found with name ${startingCSV} in channel ${channel} of package ${of} ${referenced}`;
}

function sortByChannel(entries: readonly Entry[]): Entry[] {
  const channels = new Map<string, Entry[]>();
  for (const entry of entries) channels.set(entry.channel, [...(channels.get(entry.channel) ?? []), entry]);
  return [...channels.values()]
    .toSorted(([a], [b]) =>
      a === undefined || b === undefined
        ? 0
        : Number(b.isDefaultChannel) - Number(a.isDefaultChannel) || compareText(a.channel, b.channel),
    )
    .flatMap(sortChannel);
}

function canReplace(entry: Entry, { name, version }: Entry): boolean {
  const isInRange = version !== undefined && (entry.skipRange?.(version) ?? false);
  return isInRange || entry.replaces === name || entry.skips.includes(name);
}

/** A bundle can be in several channels; each of them is an alternative, its own channel first. */
function sameName(entry: Entry, entries: readonly Entry[]): Entry[] {
  const others = entries.filter((one) => one !== entry && one.name === entry.name);
  return [entry, ...others.toSorted((a, b) => compareText(a.channel, b.channel))];
}

/** Not both can be installed. The package alone does not say so: an installed operator may not state its package. */
function markReplacement(replacement: BundleVariable, installed: BundleVariable): void {
  replacement.replaces = installed.entry.name;
  if (replacement.constraints.some((one) => one.type === "conflict" && one.with === installed)) return;
  replacement.constraints.push({
    type: "conflict",
    with: installed,
    message: `${replacement.id} conflicts with ${installed.id}`,
    explanation: `${replacement.entry.name} replaces ${installed.entry.name}, so not both can be installed`,
  });
}

function exists({ name, package: of }: RequestedSubscription): Constraint {
  return {
    type: "mandatory",
    message: `subscription ${name} exists`,
    explanation: `the Subscription ${name} asks for the package ${of}`,
  };
}

function impossible(message: string): Constraint {
  return { type: "prohibited", message, explanation: message };
}

function requires({ name, channel = "" }: RequestedSubscription, candidates: readonly BundleVariable[]): Constraint {
  const where = channel === "" ? "" : ` in the channel ${channel}`;
  if (candidates.length === 0)
    return {
      type: "dependency",
      candidates,
      message: `no operators found matching the criteria of subscription ${name}`,
      explanation: `the catalog has nothing${where} that the Subscription ${name} accepts`,
    };
  const ids = candidates.map(({ entry }) => idOf(entry));
  const list = ids.length === 1 ? ids[0] : `at least one of ${ids.slice(0, -1).join(", ")} or ${ids.at(-1) ?? ""}`;
  return {
    type: "dependency",
    candidates,
    message: `subscription ${name} requires ${list ?? ""}`,
    explanation: `the Subscription ${name} accepts only ${alternatives(candidates.map(({ entry }) => entry))}`,
  };
}
