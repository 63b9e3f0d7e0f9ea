/** The installed operators of a namespace, as the resolver sees them: ClusterServiceVersions with their properties. */
import type { Property } from "@capstan/bundle";
import { fieldsOf, textOf } from "./entry.ts";
import { ResolveError } from "./error.ts";
import type { InstalledOperator, RequestedSubscription } from "./resolution.ts";

/** What the resolver reads of an API that a ClusterServiceVersion owns or requires. */
export interface DescribedApi {
  readonly name: string;
  readonly group?: string;
  readonly version: string;
  readonly kind: string;
}

/** What the resolver reads of a ClusterServiceVersion. */
export interface ExistingCsv {
  readonly name: string;
  readonly version?: string;
  readonly replaces?: string;
  readonly phase?: string;
  readonly isCopied: boolean;
  /** The annotation `operatorframework.io/properties`. */
  readonly properties?: string;
  /** CRDs by their names (`plural.group`), and APIServices by their groups. */
  readonly owned: readonly DescribedApi[];
  readonly required: readonly DescribedApi[];
}

interface InstalledOptions {
  readonly subscriptions: readonly RequestedSubscription[];
  /** The upgrade strategy of the OperatorGroup: failed operators may be replaced. */
  readonly failForward: boolean;
}

/** The operators that count for a resolution. Copies do not; with fail-forward, replaced ones before a failed one do not. */
export function toInstalledOperators(
  csvs: readonly ExistingCsv[],
  { subscriptions, failForward }: InstalledOptions,
): InstalledOperator[] {
  const own = csvs.filter(({ isCopied }) => !isCopied);
  const counted = failForward ? own.filter((csv) => !isReplacedByFailure(csv, own)) : own;
  return counted.map((csv) => ({
    name: csv.name,
    version: csv.version ?? "",
    ...(csv.replaces !== undefined && csv.replaces !== "" && { replaces: csv.replaces }),
    properties: csv.properties === undefined ? inferred(csv, subscriptions) : annotated(csv.name, csv.properties),
  }));
}

function isReplacedByFailure(csv: ExistingCsv, all: readonly ExistingCsv[]): boolean {
  if (csv.phase !== "Replacing") return false;
  const visited = new Set<ExistingCsv>();
  let last = csv;
  for (;;) {
    const next = all.findLast(({ replaces }) => replaces === last.name);
    if (next === undefined) return last.phase === "Failed";
    if (visited.has(last))
      throw new ResolveError("BadInstalled", `csv ${last.name} has already been seen: the replacements are a cycle`);
    if (last.phase !== "Replacing") return false;
    visited.add(last);
    last = next;
  }
}

function annotated(name: string, annotation: string): Property[] {
  const fail = (cause: unknown): ResolveError =>
    new ResolveError("BadInstalled", `failed to retrieve properties of csv "${name}": ${String(cause)}`, { cause });
  let parsed: unknown;
  try {
    parsed = JSON.parse(annotation);
  } catch (error) {
    throw fail(error);
  }
  const { properties = [] } = fieldsOf(parsed);
  if (!Array.isArray(properties)) throw fail("properties is not a list");
  return properties.map((one: unknown) => {
    const fields = fieldsOf(one);
    return { type: textOf(fields, "type"), value: fields["value"] };
  });
}

/** Without the annotation: the APIs of the spec, and the package of the one Subscription that installed it. */
function inferred(csv: ExistingCsv, subscriptions: readonly RequestedSubscription[]): Property[] {
  const owners = subscriptions.filter(({ installedCSV }) => installedCSV === csv.name);
  const [packageName, ...others] = new Set(owners.map((one) => one.package));
  const version = csv.version === "0.0.0" ? "" : (csv.version ?? "");
  const own = packageName === undefined || others.length > 0 ? [] : [{ packageName, version }];
  return [
    ...csv.owned.map((api) => ({ type: "olm.gvk", value: apiOf(csv, api) })),
    ...csv.required.map((api) => ({ type: "olm.gvk.required", value: apiOf(csv, api) })),
    ...own.map((value) => ({ type: "olm.package", value })),
  ];
}

function apiOf(csv: ExistingCsv, { name, group, version, kind }: DescribedApi): Readonly<Record<string, string>> {
  if (group !== undefined) return { group, version, kind };
  const dot = name.indexOf(".");
  if (dot === -1)
    throw new ResolveError(
      "BadInstalled",
      `error parsing crd name: ${name} of ${csv.name} is not of the form plural.group`,
    );
  return { group: name.slice(dot + 1), version, kind };
}
