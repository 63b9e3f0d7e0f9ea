/**
 * Conversion between the versions of a custom kind: objects pass through the schemas of both versions, and fields that one schema lacks
 * are dropped.
 */
import { formatApiVersion, StatusError, toFailure, type Json, type KubeObject } from "@capstan/model";
import type { CompiledResource } from "@capstan/schema";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import type { Conversion, Unreadable } from "../resources/resource.ts";
import type { Entry } from "../store/entry.ts";
import type { Converter } from "./conversion-webhook.ts";
import type { Definition } from "./definition.ts";
import { sortKeys } from "./sort-keys.ts";

export interface ConversionFacts {
  /** The served version, as in `apiVersion`. */
  readonly served: string;
  /** The current storage version. */
  readonly stored: string;
  /** The schemas of all versions. */
  readonly schemas: VersionSchemas;
  /** The converter; `undefined` for the strategy None, which changes only `apiVersion`. */
  readonly convert: Converter | undefined;
}

/** The schema of a version by its `apiVersion`; `undefined` if the definition does not have this version. */
export type VersionSchemas = (apiVersion: string) => CompiledResource | undefined;

/** The schemas of a definition, each compiled at its first use. */
export function versionSchemas(
  { spec: { group, versions } }: Definition,
  compile: (version: Definition["spec"]["versions"][number]) => CompiledResource,
): VersionSchemas {
  const compiled = new Map<string, CompiledResource>();
  return (apiVersion) => {
    const known = compiled.get(apiVersion);
    if (known !== undefined) return known;
    const version = versions.find(({ name }) => formatApiVersion({ group, version: name }) === apiVersion);
    if (version === undefined) return undefined;
    const made = compile(version);
    compiled.set(apiVersion, made);
    return made;
  };
}

/** Converts one version from and to the storage version. A kind with one version and an unchanged definition needs no conversion. */
export function conversionOf({ spec, metadata }: Definition, facts: ConversionFacts): Conversion | undefined {
  if (spec.versions.length === 1 && metadata.generation === 1) return undefined;
  const conversion = facts.convert === undefined ? relabelling(facts) : asking(facts, facts.convert);
  return { ...conversion, since: Number(metadata.resourceVersion ?? 0) };
}

/** Changes only `apiVersion`. */
function relabelling(facts: ConversionFacts): Conversion {
  const { served, stored, schemas } = facts;
  const seen = new WeakSet<object>();
  const show = remembering((object: KubeObject) => fit({ ...read(object, schemas), apiVersion: served }, facts));
  return {
    checks: "served",
    toStored: (draft) => fit({ ...draft, apiVersion: stored } as unknown as KubeObject, facts) as unknown as AnyDraft,
    fromStored: (objects) => objects.map(show),
    unreadable: (entries) => {
      for (const entry of entries) {
        if (seen.has(entry)) continue;
        if (schemas(entry.object.apiVersion) === undefined) return { entry, error: invalidVersion(entry.object) };
        seen.add(entry);
      }
      return undefined;
    },
  };
}

/** Calls the webhook, unless the object already has the desired version. */
function asking(facts: ConversionFacts, convert: Converter): Conversion {
  const { served, stored, schemas } = facts;
  const to = async (object: KubeObject, apiVersion: string): Promise<KubeObject> =>
    fit(object.apiVersion === apiVersion ? object : await convert(object, apiVersion), facts);
  const seen = new WeakSet<object>();
  const known = new WeakMap<KubeObject, KubeObject>();
  const showNow = async (object: KubeObject): Promise<KubeObject> => {
    const shown = await to(read(object, schemas), served);
    known.set(object, shown);
    return shown;
  };
  const show = async (object: KubeObject): Promise<KubeObject> => known.get(object) ?? showNow(object);
  const showAll = (objects: readonly KubeObject[]): Promise<readonly KubeObject[]> => Promise.all(objects.map(show));
  return {
    checks: "served",
    toStored: (draft) => withoutInvention(draft, (real) => to(real, stored)),
    fromStored: showAll,
    fromStoredNow: showNow,
    async unreadable(entries) {
      const unseen = entries.filter((entry) => !seen.has(entry));
      const found = await Promise.all(unseen.map((entry) => whyUnreadable(entry, show)));
      for (const [index, entry] of unseen.entries()) if (found[index] === undefined) seen.add(entry);
      return found.find((one) => one !== undefined);
    },
  };
}

async function whyUnreadable(
  entry: Entry,
  show: (object: KubeObject) => Promise<KubeObject>,
): Promise<Unreadable | undefined> {
  try {
    await show(entry.object);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return { entry, error };
    throw error;
  }
}

/** A new object carries the placeholder resourceVersion "0", which the webhook does not see. */
async function withoutInvention(
  draft: AnyDraft,
  convert: (object: KubeObject) => Promise<KubeObject>,
): Promise<AnyDraft> {
  if (draft.metadata.resourceVersion !== "0")
    return (await convert(draft as unknown as KubeObject)) as unknown as AnyDraft;
  const { resourceVersion, ...metadata } = draft.metadata;
  const converted = (await convert({ ...draft, metadata } as unknown as KubeObject)) as unknown as AnyDraft;
  return { ...converted, metadata: { ...converted.metadata, resourceVersion } };
}

function remembering(make: (object: KubeObject) => KubeObject): (object: KubeObject) => KubeObject {
  const known = new WeakMap<KubeObject, KubeObject>();
  return (object) => {
    const made = known.get(object) ?? make(object);
    known.set(object, made);
    return made;
  };
}

/** The stored object through the current schema of its version: unknown fields are pruned and new defaults are set. */
function read(object: KubeObject, schemas: VersionSchemas): KubeObject {
  const schema = schemas(object.apiVersion);
  if (schema === undefined) throw invalidVersion(object);
  return schema.applyDefaults(pruned(object, schema) as unknown as Json) as unknown as KubeObject;
}

/** Prunes fields that the schema of the object's version does not know; sets no defaults. */
function fit(object: KubeObject, { schemas }: ConversionFacts): KubeObject {
  const schema = schemas(object.apiVersion);
  const kept = schema === undefined ? object : pruned(object, schema);
  return sortKeys(kept as unknown as JsonValue) as unknown as KubeObject;
}

function pruned(object: KubeObject, schema: CompiledResource): KubeObject {
  const decoded = schema.decode(object as unknown as Json);
  return "problem" in decoded ? object : (decoded.object as unknown as KubeObject);
}

/** An object in a removed storage version fails every request. kube-apiserver sets no reason for this error either. */
export function invalidVersion({ apiVersion }: KubeObject): StatusError {
  const message = `request to convert CR from an invalid group/version: ${apiVersion}`;
  return new StatusError(toFailure({ code: 500, reason: "", message }));
}
