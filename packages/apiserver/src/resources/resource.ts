/** A resource served at one version: its names, its rules, and its codec. */
import type { TableColumn } from "@capstan/kinds";
import type { GroupKind, GroupResource, Json, KubeObject, StatusError } from "@capstan/model";
import type { PatchType } from "@capstan/patch";
import type { ResourceName } from "../builtin/context.ts";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import type { ResourceRules, SubresourceRules } from "../builtin/rules.ts";
import type { GoSource } from "../decode/go-codec.ts";
import type { StrictProblems } from "../decode/strict.ts";
import type { FieldManager } from "../managed/field-manager.ts";
import type { Entry } from "../store/entry.ts";

export interface ResourceNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  /** The plural, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly storageVersionHash?: string | undefined;
  /** The columns of its tables, in their wire format; rows come from the rules. */
  readonly columns?: readonly TableColumn[] | undefined;
}

/** Checks and normalizes the structure of one version of a kind. */
export interface Codec {
  /**
   * Creates a draft from a decoded body: known fields in their order, no unknown ones. Unknown fields go to `problems`; a wrong type
   * throws a TypeMismatchError. The value may be modified. `source` says where the values of built-in types come from.
   */
  decode(value: JsonValue, problems: StrictProblems | undefined, source?: GoSource): AnyDraft;
  /** Sets the defaults of this version, in place. */
  defaults(draft: AnyDraft): void;
}

/** Converts between one version and the storage version. */
export interface Conversion {
  /**
   * The version in which writes are admitted and validated: that of the request for custom objects, the storage version for built-in
   * ones.
   */
  readonly checks: "served" | "stored";
  /** Converts from this version to the storage version. */
  toStored(draft: AnyDraft): AnyDraft | Promise<AnyDraft>;
  /** Converts stored objects to this version. The objects are frozen. */
  fromStored(objects: readonly KubeObject[]): readonly KubeObject[] | Promise<readonly KubeObject[]>;
  /** The revision of the definition: objects up to it must be convertible, or the watch cache cannot be filled. */
  readonly since?: number;
  /** The first entry that cannot be converted to this version; absent if the conversion cannot fail. */
  unreadable?(entries: readonly Entry[]): Unreadable | undefined | Promise<Unreadable | undefined>;
  /** Converts from the storage version, bypassing the conversion cache; absent if there is no cache. */
  fromStoredNow?(object: KubeObject): Promise<KubeObject>;
}

/** An entry that cannot be converted, and the error. */
export interface Unreadable {
  readonly entry: Entry;
  readonly error: StatusError;
}

export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of its bodies, which may belong to another group: Scale, Eviction. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** The codec for bodies of that kind; for a view, the codec of the object. */
  readonly codec: Codec;
  readonly rules: SubresourceRules | undefined;
  readonly fieldManager: FieldManager | undefined;
}

export interface ServedResource extends ResourceNames {
  /** The name of its storage; all versions of a kind share it. */
  readonly storage: ResourceName;
  readonly apiVersion: string;
  readonly qualified: GroupResource;
  readonly qualifiedKind: GroupKind;
  readonly rules: ResourceRules;
  readonly codec: Codec;
  /** The codec of the storage version; the same codec if this is the storage version. */
  readonly stored: Codec;
  /** The codec of any version of a custom kind, also of an unknown one; without a version, of another kind. */
  readonly versions?: (version: string | undefined) => Codec;
  /** Absent if this is the storage version. */
  readonly conversion: Conversion | undefined;
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
  readonly fieldManager: FieldManager | undefined;
  /** The merge strategies of strategic merge patches; custom kinds do not support them. */
  patchType(): PatchType;
  /** The OpenAPI schema of a custom kind; those of built-in kinds are generated. */
  readonly schema?: Json | undefined;
  /** A message for the Warning header of every response. */
  readonly deprecationWarning?: string;
  /** Custom objects carry apiVersion and kind inside lists, built-in ones do not. */
  readonly isCustom: boolean;
  /** What a custom kind is served from: the same object as long as its definition does not change in a way that clients see. */
  readonly servedFrom?: object;
}

/** The key of an object in the store. */
export function storageKey(resource: Pick<ResourceNames, "namespaced">, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}
