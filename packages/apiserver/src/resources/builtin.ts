/** Serves the built-in kinds: facts from `@capstan/kinds`, structure from Go's types, behaviour from the rules of each kind. */
import { patchTypeFromOpenApi } from "@capstan/patch";
import {
  builtInDefinitions,
  builtInGroupVersions,
  definitionNameOf,
  type BuiltInResource,
  type BuiltInSubresource,
} from "@capstan/kinds";
import { cloneJson, formatApiVersion, parseApiVersion, type GroupVersionKind, type KubeObject } from "@capstan/model";
import { builtinRules } from "../builtin/index.ts";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import type { KindRules, ResourceRules, SubresourceRules, VersionRules } from "../builtin/rules.ts";
import { GoReader } from "../decode/go-codec.ts";
import { goTypeOf, type GoStruct } from "../decode/go-type.ts";
import { fieldManagerOf, type ManagedKind } from "../managed/builtin.ts";
import type { Codec, Conversion, ServedResource, ServedSubresource } from "./resource.ts";

const noRules: KindRules = {};

/** Kinds of two groups that share their storage and show the same objects. */
const storedTogether: Readonly<Record<string, string>> = { "events.events.k8s.io": "events" };

/** Errors name them by the group of their storage. */
function storageGroup(storage: string): string {
  return storage.split(".").slice(1).join(".");
}

/** All built-in resources at all served versions. */
export function serveBuiltins(rules: ReadonlyMap<string, ResourceRules> = builtinRules): readonly ServedResource[] {
  return builtInGroupVersions().flatMap(({ group, version, resources }) =>
    resources.map((resource) => serve(resource, { group, version, rules })),
  );
}

/** The deprecation warnings of kinds. */
const deprecations: Readonly<Record<string, string>> = {
  endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  componentstatuses: "v1 ComponentStatus is deprecated in v1.19+",
};

interface Place {
  readonly group: string;
  readonly version: string;
  readonly rules: ReadonlyMap<string, ResourceRules>;
}

function serve(facts: BuiltInResource, { group, version, rules }: Place): ServedResource {
  const apiVersion = formatApiVersion({ group, version });
  const ownName = group === "" ? facts.name : `${facts.name}.${group}`;
  const storage = storedTogether[ownName] ?? ownName;
  const kindRules = rules.get(storage) ?? noRules;
  const codec = builtinCodec(apiVersion, facts.kind, kindRules, version);
  return {
    group,
    version,
    apiVersion,
    kind: facts.kind,
    listKind: `${facts.kind}List`,
    resource: facts.name,
    singular: facts.singular,
    namespaced: facts.scope === "Namespaced",
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    verbs: facts.verbs,
    storageVersionHash: facts.storageVersionHash,
    columns: facts.columns,
    storage,
    // kube-apiserver uses another name here than the one in the path.
    qualified: { group, resource: ownName === "componentstatuses" ? "componentstatus" : facts.name },
    qualifiedKind: { group: storage === ownName ? group : storageGroup(storage), kind: facts.kind },
    rules: kindRules,
    codec,
    stored: storedCodec(kindRules, { group, version, kind: facts.kind }, codec),
    conversion: conversionOf(kindRules, apiVersion, { version, codec }),
    subresources: new Map(
      (facts.subresources ?? []).map((each) => [
        each.name,
        serveSubresource(each, { group, version, kindRules, codec, parentKind: facts.kind }),
      ]),
    ),
    fieldManager: fieldManagerOf(
      { group, version, kind: facts.kind },
      { resetFields: resetFieldsOf(kindRules), ...betweenVersions(kindRules, { group, version, kind: facts.kind }) },
    ),
    patchType: () =>
      patchTypeFromOpenApi(builtInDefinitions(), definitionNameOf({ group, version, kind: facts.kind }) ?? ""),
    ...(ownName in deprecations ? { deprecationWarning: deprecations[ownName] } : {}),
    isCustom: false,
  };
}

function resetFieldsOf(rules: ResourceRules): readonly string[] {
  return rules.serves === "answers" ? [] : (rules.resetFields ?? (rules.subresources?.["status"] ? ["status"] : []));
}

interface SubresourcePlace {
  readonly group: string;
  readonly version: string;
  readonly kindRules: ResourceRules;
  readonly codec: Codec;
  /** The kind of the parent object. */
  readonly parentKind: string;
}

function serveSubresource(facts: BuiltInSubresource, place: SubresourcePlace): ServedSubresource {
  const kind = { group: facts.group ?? place.group, version: facts.version ?? place.version, kind: facts.kind };
  const rules: SubresourceRules | undefined =
    place.kindRules.serves === "answers" ? undefined : place.kindRules.subresources?.[facts.name];
  const isView = rules === undefined || rules.type === "view";
  const reset = rules?.type === "view" ? (rules.resetFields ?? ["spec"]) : [];
  return {
    name: facts.name,
    verbs: facts.verbs,
    kind,
    codec: isView && facts.group === undefined ? place.codec : structureOnly(formatApiVersion(kind), facts.kind),
    rules: rules ?? defaultSubresources[facts.name],
    fieldManager: fieldManagerOf(kind, {
      resetFields: reset,
      subresource: facts.name,
      ...(isView ? betweenVersions(place.kindRules, { ...place, kind: place.parentKind }) : {}),
    }),
  };
}

/** Subresources with the same behaviour for every kind. */
const defaultSubresources: Readonly<Record<string, SubresourceRules>> = { status: { type: "view" } };

/** The conversion of a version that is not the storage version, by the rules of its kind. */
function conversionOf(
  rules: ResourceRules,
  apiVersion: string,
  { version, codec }: { version: string; codec: Codec },
): Conversion | undefined {
  if (rules.serves === "answers" || rules.versions === undefined) return undefined;
  const conversion = rules.versions[apiVersion] ?? rules.versions[version];
  if (conversion === undefined) return undefined;
  return {
    checks: "stored",
    toStored: (draft) => conversion.toHub(draft),
    fromStored: (objects) =>
      objects.map((object) => codec.decode(conversion.fromHub(cloneJson(object)) as never, undefined)),
  };
}

/** Converts objects between the versions of a kind, for managed fields. */
function betweenVersions(
  rules: ResourceRules,
  { group, version, kind }: GroupVersionKind,
): Pick<ManagedKind, "convert" | "otherVersions"> {
  if (rules.serves === "answers" || rules.versions === undefined || rules.hub === undefined) return {};
  const { versions } = rules;
  // Managed fields are not converted between two groups that share their objects.
  if (Object.keys(versions).some((name) => name.includes("/"))) return {};
  const hub = formatApiVersion({ group, version: rules.hub });
  const otherOf = (apiVersion: string): VersionRules | undefined => versions[parseApiVersion(apiVersion).version];
  const own = formatApiVersion({ group, version });
  const all = [hub, ...Object.keys(versions).map((name) => formatApiVersion({ group, version: name }))];
  return {
    otherVersions: all.filter((name) => name !== own),
    convert(object, apiVersion) {
      if (apiVersion !== hub && apiVersion !== own && otherOf(apiVersion) === undefined) return undefined;
      const from = object.apiVersion === hub ? undefined : otherOf(object.apiVersion);
      // Objects may lack required fields, which Go fills in during the conversion.
      const whole = structureOnly(object.apiVersion, kind).decode(cloneJson(object) as never, undefined);
      const inHub = from === undefined ? whole : from.toHub(whole);
      const to = apiVersion === hub ? undefined : otherOf(apiVersion);
      const converted = to === undefined ? inHub : to.fromHub(inHub);
      return structureOnly(apiVersion, kind).decode(converted as never, undefined) as unknown as KubeObject;
    },
  };
}

/** The codec of the storage version: this version, unless it is converted. */
function storedCodec(rules: ResourceRules, { group, version, kind }: GroupVersionKind, own: Codec): Codec {
  if (rules.serves === "answers" || rules.hub === undefined) return own;
  const other = rules.versions?.[formatApiVersion({ group, version })];
  if (other !== undefined) return structureOnly(rules.hub, kind);
  return rules.versions?.[version] === undefined
    ? own
    : structureOnly(formatApiVersion({ group, version: rules.hub }), kind);
}

function builtinCodec(apiVersion: string, kind: string, rules: ResourceRules, version: string): Codec {
  const structure = structureOnly(apiVersion, kind);
  return { ...structure, defaults: defaultsOf(rules, apiVersion, version) };
}

function defaultsOf(rules: ResourceRules, apiVersion: string, version: string): (draft: AnyDraft) => void {
  const other = rules.serves === "answers" ? undefined : (rules.versions?.[apiVersion] ?? rules.versions?.[version]);
  const defaults = other === undefined ? rules.defaults?.bind(rules) : other.defaults?.bind(other);
  return defaults ?? (() => {});
}

/** A codec without defaults: for bodies of subresources and options. */
export function structureOnly(apiVersion: string, kind: string): Codec {
  let struct: GoStruct | undefined;
  return {
    decode(value: JsonValue, problems, source) {
      struct ??= goTypeOf(apiVersion, kind);
      if (struct === undefined) return value as unknown as AnyDraft;
      const draft = new GoReader(problems, source).readObject(struct, value) as unknown as AnyDraft;
      return Object.assign({ kind, apiVersion }, draft, { kind, apiVersion });
    },
    defaults: () => {},
  };
}
