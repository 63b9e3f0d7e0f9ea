/** The entries of channels as the resolver sees them: with their edges, and all that requirements are compared with. */
import { parseVersion, type CatalogBundle, type Property, type Range, type Version } from "@capstan/bundle";
import { heldProperty } from "./hold.ts";
import type { CatalogReference } from "./resolution.ts";

/** The group, version and kind of an API. */
export interface Api {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A bundle in one channel of one catalog, or an installed operator. */
export interface Entry {
  readonly name: string;
  /** Empty if an installed operator does not say where it is from. */
  readonly package: string;
  /** Empty for an installed operator. */
  readonly channel: string;
  readonly isDefaultChannel: boolean;
  readonly catalog: CatalogReference;
  readonly isInstalled: boolean;
  readonly replaces?: string;
  readonly skips: readonly string[];
  readonly skipRange?: Range;
  readonly version?: Version;
  readonly facts: Facts;
  readonly bundle?: CatalogBundle;
}

/** What the properties of an entry say. */
export interface Facts {
  readonly properties: readonly Property[];
  /** The packages and versions of its `olm.package` properties. */
  readonly packages: readonly { readonly name: string; readonly version?: Version }[];
  readonly packageNames: ReadonlySet<string>;
  /** The provided APIs, as messages name them. */
  readonly apis: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
  /** The property `olm.deprecated`, not the deprecation of a catalog. */
  readonly isProhibited: boolean;
  /** Why it cannot be chosen at the moment; see `withHolds`. */
  readonly held?: string;
}

/** The text by which the messages of the Operator Lifecycle Manager name an entry. */
export function idOf({ catalog, channel, name }: Entry): string {
  return `${catalog.name}/${catalog.namespace}/${channel}/${name}`;
}

/** The text of an API in messages. */
export function formatApi({ group, version, kind }: Api): string {
  return `${kind} (${group}/${version})`;
}

/** Reads properties. Those that cannot be read count as absent, as in the original. */
export function factsOf(properties: readonly Property[]): Facts {
  const values = (type: string): Readonly<Record<string, unknown>>[] =>
    properties.filter((one) => one.type === type).map((one) => fieldsOf(one.value));
  const version = (text: string): { readonly version?: Version } => {
    const parsed = parseVersion(text);
    return parsed === undefined ? {} : { version: parsed };
  };
  const packages = values("olm.package").map((one) => ({
    name: textOf(one, "packageName"),
    ...version(textOf(one, "version")),
  }));
  const held = properties.find(({ type }) => type === heldProperty)?.value;
  return {
    properties,
    packages,
    packageNames: new Set(packages.map(({ name }) => name)),
    apis: new Set(values("olm.gvk").map((one) => formatApi(apiOf(one)))),
    labels: new Set(values("olm.label").map((one) => textOf(one, "label"))),
    isProhibited: properties.some(({ type }) => type === "olm.deprecated"),
    ...(typeof held === "string" ? { held } : {}),
  };
}

/** The fields of a value of JSON; none if it is not an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A field that holds a text; empty without one. */
export function textOf(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** The API that `olm.gvk`, `olm.gvk.required` or a constraint names. */
export function apiOf(fields: Readonly<Record<string, unknown>>): Api {
  return { group: textOf(fields, "group"), version: textOf(fields, "version"), kind: textOf(fields, "kind") };
}
