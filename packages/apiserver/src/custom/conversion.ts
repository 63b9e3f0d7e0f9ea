/** Between the versions of a custom kind: what is read and written goes through the schemas of both ends, and what one lacks is lost. */
import { formatApiVersion, StatusError, toFailure, type Json, type KubeObject } from "@capstan/model";
import type { CompiledResource } from "@capstan/schema";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import type { Conversion, Unreadable } from "../resources/resource.ts";
import type { Entry } from "../store/entry.ts";
import type { Converter } from "./conversion-webhook.ts";
import type { Definition } from "./definition.ts";
import { sortKeys } from "./sort-keys.ts";

/** What a conversion needs to know. */
export interface ConversionFacts {
  /** The version that is served, as in `apiVersion`. */
  readonly served: string;
  /** The version in which objects are stored now. */
  readonly stored: string;
  /** The schemas of all versions that there are. */
  readonly schemas: VersionSchemas;
  /** How objects change when their version does; `undefined` when only its name changes. */
  readonly convert: Converter | undefined;
}

/** The schema of a version by its `apiVersion`; `undefined` when the definition has no such version (any more). */
export type VersionSchemas = (apiVersion: string) => CompiledResource | undefined;

/** The schemas of a definition, each compiled when it is first needed. */
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

/** How one version relates to the store. A kind with one version whose definition never changed is stored as it is served. */
export function conversionOf({ spec, metadata }: Definition, facts: ConversionFacts): Conversion | undefined {
  if (spec.versions.length === 1 && metadata.generation === 1) return undefined;
  const conversion = facts.convert === undefined ? relabelling(facts) : asking(facts, facts.convert);
  return { ...conversion, since: Number(metadata.resourceVersion ?? 0) };
}

/** Only the name of the version changes. */
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

/** A webhook is asked, unless the version is the right one already. */
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

/** A new object has no version yet, whatever stands in its place: nobody else sees that. */
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

/** What was stored as the schema of its own version has it today: without what is gone, with the defaults that came since. */
function read(object: KubeObject, schemas: VersionSchemas): KubeObject {
  const schema = schemas(object.apiVersion);
  if (schema === undefined) throw invalidVersion(object);
  return schema.applyDefaults(pruned(object, schema) as unknown as Json) as unknown as KubeObject;
}

/** An object without what the schema of its version does not know; no defaults come in here. */
function fit(object: KubeObject, { schemas }: ConversionFacts): KubeObject {
  const schema = schemas(object.apiVersion);
  const kept = schema === undefined ? object : pruned(object, schema);
  return sortKeys(kept as unknown as JsonValue) as unknown as KubeObject;
}

function pruned(object: KubeObject, schema: CompiledResource): KubeObject {
  const decoded = schema.decode(object as unknown as Json);
  return "problem" in decoded ? object : (decoded.object as unknown as KubeObject);
}

/** Whoever forgot to migrate what is stored learns it from every answer. The real server has no reason for this one either. */
export function invalidVersion({ apiVersion }: KubeObject): StatusError {
  const message = `request to convert CR from an invalid group/version: ${apiVersion}`;
  return new StatusError(toFailure({ code: 500, reason: "", message }));
}
