/** The types of a user's definition of a resource. */
import type { Scope, StoredMeta } from "@capstan/model";
import type { Fields, ObjectSchema } from "./collections.ts";
import type { Condition, runtimeConditions } from "./conditions.ts";
import type { MetadataPath, Path } from "./paths.ts";
import type { Rule } from "./rule.ts";
import type { Infer, InferInput, Schema } from "./schema.ts";

type AnyObject = ObjectSchema<Fields>;

/** The schema of a spec: an object, or an optional one. Only the common part of such schemas, whatever their fields. */
export interface SpecSchema extends Pick<Schema<object, object, "required" | "optional">, "json" | "presence"> {
  readonly "~types": { readonly out: object; readonly in: object; readonly presence: "required" | "optional" };
}

/** A spec as read. */
type SpecOf<Spec> =
  Spec extends Schema<infer Out, infer _In, infer P> ? ("optional" extends P ? Out | undefined : Out) : unknown;

/** Status as read: the declared fields, the conditions, the observed generation. Everything may be missing until a controller wrote it. */
export type StatusOf<Status, Conditions extends string> = (Status extends AnyObject
  ? Partial<Infer<Status>>
  : unknown) & {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition<Conditions>[];
};

/** An object of a resource, as read. */
export interface ResourceObject<Spec, Status, Conditions extends string> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
  readonly spec: SpecOf<Spec>;
  readonly status?: StatusOf<Status, Conditions>;
}

/** Labels and annotations of an object as written. */
export interface ApplyMeta {
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly finalizers?: readonly string[];
}

/** An object of a resource, as written with apply. */
export interface ResourceApply<Spec, Status, Conditions extends string> {
  readonly metadata?: ApplyMeta;
  readonly spec?: Spec extends SpecSchema ? InferInput<Spec> : unknown;
  readonly status?: StatusOf<Status, Conditions>;
}

/** The source of a column's value. */
export type ColumnPath<Spec, Status, Conditions extends string> =
  | MetadataPath
  | (Spec extends SpecSchema ? `spec.${Path<Infer<Spec>>}` : never)
  | (Status extends AnyObject ? `status.${Path<Infer<Status>>}` : never)
  | "status.observedGeneration"
  | ([Conditions] extends [never]
      ? never
      : `${"condition" | "reason" | "message"}:${Conditions | (typeof runtimeConditions)[number]}`);

/** Options of a column of `kubectl get`. */
interface ColumnDetails {
  readonly wide?: boolean;
  readonly describe?: string;
}

/** A column that only JSONPath can find, such as `.status.addresses[?(@.type=="External")].value`; its type must be stated. */
export interface JsonPathColumn extends ColumnDetails {
  readonly jsonPath: string;
  readonly type: "integer" | "number" | "string" | "boolean" | "date";
}

/** A column of `kubectl get`: the source of its value, with or without options. */
export type Column<P extends string> = P | (ColumnDetails & { readonly path: P }) | JsonPathColumn;

/** One version of a resource: its schemas and their options. */
export interface VersionDefinition<
  Spec extends SpecSchema,
  Status extends AnyObject | undefined,
  Conditions extends string,
> {
  /** The spec; `.optional()` where it may be left out although it has required fields. */
  readonly spec: Spec;
  /** Whether users must write a spec even if nothing in it is required. Default: false. */
  readonly specRequired?: boolean;
  readonly status?: Status;
  /** Required fields of the status. Default: none, because a status is written piece by piece. */
  readonly statusRequired?: Status extends AnyObject ? readonly (keyof Infer<Status> & string)[] : never;
  /** Rules over the spec, in CEL. */
  readonly rules?: readonly Rule[];
  /** Columns of `kubectl get`, by title. Age is always added. */
  readonly columns?: { readonly [title: string]: Column<ColumnPath<Spec, Status, Conditions>> };
  /** The fields of the scale subresource. */
  readonly scale?: {
    readonly spec: Extract<ColumnPath<Spec, Status, Conditions>, `spec.${string}`>;
    readonly status: Extract<ColumnPath<Spec, Status, Conditions>, `status.${string}`>;
    readonly selector?: Extract<ColumnPath<Spec, Status, Conditions>, `status.${string}`>;
  };
  /** Fields for field selectors. */
  readonly selectable?: readonly Extract<ColumnPath<Spec, Status, Conditions>, `${"spec" | "status"}.${string}`>[];
  /** False for a version that is no longer served, while stored objects of it can still be read. */
  readonly served?: boolean;
  /** Marks this version as deprecated; the text is shown as a warning. */
  readonly deprecated?: string;
}

/** Names and scope of a resource, the same in all of its versions. */
export interface Naming<S extends Scope = Scope> {
  readonly group: string;
  readonly kind: string;
  /** Default: the kind in lower case with an English plural ending. */
  readonly plural?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope?: S;
  readonly describe?: string;
}

/**
 * What every function that runs in a webhook is given.
 *
 * @example
 * const isResolvable = async (host: string, { signal }: HookCall) =>
 *   (await fetch(`https://dns.example.com/resolve?name=${host}`, { signal })).ok;
 */
export interface HookCall {
  /** Aborted when the API server's request has timed out: pass it on to whatever the function waits for. */
  readonly signal: AbortSignal;
}

/**
 * What a validating function can say.
 *
 * @example
 * const mustNotShrink = ({ object, old, reject }: ValidateContext<{ readonly spec: { readonly size: number } }>) => {
 *   if (old !== undefined && object.spec.size < old.spec.size) reject("spec.size", "cannot shrink");
 * };
 */
export interface ValidateContext<T> extends HookCall {
  readonly object: T;
  /** The object as it was, on updates. */
  readonly old: T | undefined;
  readonly operation: "create" | "update" | "delete";
  /** Rejects the request, naming the field. */
  readonly reject: (field: string, reason: string) => void;
  /** Accepts the request with a warning. */
  readonly warn: (text: string) => void;
}

/** A draft that a defaulting function may write to. */
export type Draft<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer I)[]
    ? Draft<I>[]
    : { -readonly [K in keyof T]: Draft<T[K]> };

/** Functions that run in a webhook, for what neither a schema nor CEL can express. */
export interface Hooks<Spec, Status, Conditions extends string> {
  /** Accepts a request unless it calls `reject`; it returns nothing, so that a returned verdict is not taken for a yes. */
  readonly validate?: (context: ValidateContext<ResourceObject<Spec, Status, Conditions>>) => void | Promise<void>;
  readonly default?: (
    draft: {
      readonly metadata: Draft<StoredMeta>;
      readonly spec: Draft<Spec extends SpecSchema ? InferInput<Spec> : unknown>;
    },
    call: HookCall,
  ) => void | Promise<void>;
}
