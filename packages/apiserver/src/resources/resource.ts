/** A resource as it is served at one version: its names, its rules, and how bodies become objects and back. */
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

/** The names under which a resource is served. */
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
  /** The columns of its tables, as they appear on the wire; rows come from the rules. */
  readonly columns?: readonly TableColumn[] | undefined;
}

/** How the structure of one version of a kind is checked and brought into its one form. */
export interface Codec {
  /**
   * Makes a draft from what came out of a body: known fields in their order, nothing unknown. What is unknown goes to `problems`; what
   * has the wrong type throws a TypeMismatch. The value may be used up. `source` says where built-in types get their values from.
   */
  decode(value: JsonValue, problems: StrictProblems | undefined, source?: GoSource): AnyDraft;
  /** Fills in defaults of this version, in place. */
  defaults(draft: AnyDraft): void;
}

/** How one version relates to what the store keeps. */
export interface Conversion {
  /** In which version writes are admitted and checked: custom objects in that of the request, built-in ones in the stored one. */
  readonly checks: "served" | "stored";
  /** From this version to the stored one. */
  toStored(draft: AnyDraft): AnyDraft | Promise<AnyDraft>;
  /** From whatever is stored to this version; the objects given are frozen and must not be changed. */
  fromStored(objects: readonly KubeObject[]): readonly KubeObject[] | Promise<readonly KubeObject[]>;
  /** The revision at which versions came to relate in this way: what is older had to be read into a new cache. */
  readonly since?: number;
  /** The first of some entries of the store that cannot be brought into this version; absent where that cannot happen. */
  unreadable?(entries: readonly Entry[]): Unreadable | undefined | Promise<Unreadable | undefined>;
  /** From what is stored to this version, as the one who knows says it now and not when it was last asked; absent where that is no difference. */
  fromStoredNow?(object: KubeObject): Promise<KubeObject>;
}

/** An entry that cannot be shown, and why. */
export interface Unreadable {
  readonly entry: Entry;
  readonly error: StatusError;
}

/** A subresource at one version. */
export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of its bodies, which may be of another group: Scale, Eviction. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** How bodies of that kind are read; for a view it is the codec of the object. */
  readonly codec: Codec;
  readonly rules: SubresourceRules | undefined;
  readonly fieldManager: FieldManager | undefined;
}

/** A resource at one version. */
export interface ServedResource extends ResourceNames {
  /** Where its objects are kept; versions of one kind share it. */
  readonly storage: ResourceName;
  readonly apiVersion: string;
  readonly qualified: GroupResource;
  readonly qualifiedKind: GroupKind;
  readonly rules: ResourceRules;
  readonly codec: Codec;
  /** The structure of the stored version; the codec itself when this version is the stored one. */
  readonly stored: Codec;
  /** The structure of any version of a custom kind, also of one that there is not; without a version, of what is another kind. */
  readonly versions?: (version: string | undefined) => Codec;
  /** Absent when this version is the stored one. */
  readonly conversion: Conversion | undefined;
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
  readonly fieldManager: FieldManager | undefined;
  /** How strategic merge patches are merged; custom kinds have no such patches. */
  patchType(): PatchType;
  /** The OpenAPI schema of a custom kind; those of built-in kinds are facts. */
  readonly schema?: Json | undefined;
  /** A text for a Warning header of every answer. */
  readonly deprecationWarning?: string;
  /** Custom objects carry apiVersion and kind inside lists, built-in ones do not. */
  readonly isCustom: boolean;
}

/** The key of an object in the store. */
export function storageKey(resource: Pick<ResourceNames, "namespaced">, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}
