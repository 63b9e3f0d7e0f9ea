/** Makes random catalogs, installed operators and Subscriptions from a seed, for comparisons with oracles. */
import type { Property } from "@capstan/bundle";
import type { InstalledOperator, RequestedSubscription, ResolutionInput } from "../src/index.ts";
import {
  catalogOf,
  gvk,
  inputOf,
  installedOf,
  needsGvk,
  needsPackage,
  snapshotOf,
  type EntrySpec,
} from "./catalogs.ts";

/** How much there is of everything, and how often bundles require something. */
export interface RandomSize {
  readonly catalogs: number;
  readonly packages: number;
  readonly versions: number;
  readonly subscriptions: number;
  readonly requirements: number;
}

type Random = (below: number) => number;

/** Whole numbers from a seed (the generator mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The input of a resolution that the seed determines. */
export function randomInput(seed: number, size: RandomSize): ResolutionInput {
  const random = randomOf(seed);
  const names = Array.from({ length: size.packages }, (_, at) => `p${at}`);
  const catalogs = Array.from({ length: size.catalogs }, (_, at) => {
    const members = names.filter(() => random(3) > 0);
    const packages = members.map((name) => [name, randomPackage(name, { random, names, size })] as const);
    const namespace = random(4) === 0 ? "ns" : "olm";
    return snapshotOf(`cat${at}`, catalogOf(Object.fromEntries(packages)), { namespace, priority: random(2) });
  });
  const installed = randomInstalled(catalogs, random);
  return inputOf(catalogs, randomSubscriptions({ catalogs, names, installed, size, random }), installed);
}

interface PackageContext {
  readonly random: Random;
  readonly names: readonly string[];
  readonly size: RandomSize;
}

function randomPackage(name: string, context: PackageContext): Record<string, EntrySpec[]> {
  const { random, size } = context;
  const versions = Array.from({ length: 1 + random(size.versions) }, (_, at) => at + 1);
  const properties = new Map(versions.map((version) => [version, randomProperties(name, context)]));
  const channels = ["stable", "alpha"].slice(0, 1 + random(2));
  return Object.fromEntries(
    channels.map((channel) => {
      const members = versions.filter((version) => channel === "stable" || random(2) === 0 || version === 1);
      return [
        channel,
        members.map((version, at) => randomEntry({ name, version, before: members[at - 1], properties, random })),
      ];
    }),
  );
}

interface EntryContext {
  readonly name: string;
  readonly version: number;
  readonly before: number | undefined;
  readonly properties: ReadonlyMap<number, readonly Property[]>;
  readonly random: Random;
}

/** Skips name the replaced entry as well, so that a channel keeps one head. */
function randomEntry({ name, version, before, properties, random }: EntryContext): EntrySpec {
  const skips = before !== undefined && random(8) === 0 ? [`${name}.v${before}`] : [];
  return {
    name: `${name}.v${version}`,
    ...(before !== undefined && { replaces: `${name}.v${before}` }),
    ...(random(4) === 0 && { skipRange: `>=${1 + random(version)}.0.0 <${version}.0.0` }),
    skips,
    properties: properties.get(version) ?? [],
  };
}

function randomProperties(name: string, { random, names, size }: PackageContext): Property[] {
  const provided = [gvk(`K${random(Math.max(2, Math.ceil(names.length * 1.5)))}`)];
  const count = random(10) < size.requirements ? 1 + random(2) : 0;
  const required = Array.from({ length: count }, () => {
    const other = names[random(names.length)] ?? name;
    const low = 1 + random(size.versions);
    return random(2) === 0
      ? needsGvk(`K${random(Math.max(2, Math.ceil(names.length * 1.5)))}`)
      : needsPackage(other, `>=${low}.0.0${random(2) === 0 ? ` <${low + 2}.0.0` : ""}`);
  });
  return [...provided, ...required, ...(random(40) === 0 ? [{ type: "olm.deprecated", value: {} }] : [])];
}

function randomInstalled(catalogs: ResolutionInput["catalogs"], random: Random): InstalledOperator[] {
  const found = new Map<string, InstalledOperator>();
  for (const one of catalogs) {
    if (one.state !== "ready") continue;
    for (const member of one.catalog.packages.values()) {
      if (random(6) !== 0 || found.has(member.name)) continue;
      const bundles = [...member.bundles.values()];
      const bundle = bundles[random(bundles.length)];
      if (bundle === undefined) continue;
      const own = bundle.properties.filter(({ type }) => type !== "olm.package" && type !== "olm.deprecated");
      found.set(member.name, installedOf(member.name, bundle.name, own));
    }
  }
  return [...found.values()];
}

interface SubscriptionContext {
  readonly catalogs: ResolutionInput["catalogs"];
  readonly names: readonly string[];
  readonly installed: readonly InstalledOperator[];
  readonly size: RandomSize;
  readonly random: Random;
}

function randomSubscriptions(context: SubscriptionContext): RequestedSubscription[] {
  const { catalogs, names, installed, size, random } = context;
  const wanted = new Set(Array.from({ length: size.subscriptions }, () => names[random(names.length)] ?? "p0"));
  for (const one of installed) if (random(8) > 0) wanted.add(one.name.replace(/\.v.*$/, ""));
  return [...wanted].map((name) => {
    const { name: from, namespace } = catalogs[random(catalogs.length)] ?? { name: "cat0", namespace: "olm" };
    const current = installed.find((one) => one.name.startsWith(`${name}.v`));
    return {
      name: `sub-${name}`,
      package: name,
      catalog: { name: from, namespace },
      ...(random(2) === 0 && { channel: "stable" }),
      ...(random(8) === 0 && { startingCSV: `${name}.v1` }),
      ...(current !== undefined && random(10) > 0 && { installedCSV: current.name }),
    };
  });
}
