/** The context of a reconcile, with types that follow from the declared kinds of its controller. */
import type { ApplyOf, Kind, KubeObject, ObjectOf } from "@capstan/model";
import type { Draft, Fields, ObjectSchema, OutputOf } from "@capstan/schema";
import type { ConditionDetails } from "../apply/conditions.ts";
import type { Duration } from "../errors.ts";
import type { Lookup, NamedLookup } from "../cache/lookup.ts";
import type { Query } from "../cache/selector.ts";
import type { MetricOf } from "../metrics/metric.ts";
import type { Log } from "../log.ts";
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";
import type { Step } from "./steps.ts";

/** The names of the conditions that a kind declares; a kind without declared conditions allows any name. */
export type ConditionOf<K extends Kind> = K extends { readonly conditions: infer C } ? keyof C & string : string;

/** Sets one of the kind's conditions to true, false or unknown. */
export type DeclareCondition<K extends Kind> = (
  name: ConditionOf<K>,
  holds: boolean | "Unknown",
  details?: ConditionDetails | string,
) => void;

/** The writable status of a kind; its conditions are set by a method, not assigned. */
export type StatusDraft<K extends Kind> = (ObjectOf<K> extends { readonly status?: infer S }
  ? { -readonly [N in Exclude<keyof NonNullable<S>, "conditions">]: Draft<NonNullable<S>[N]> }
  : unknown) & { readonly condition: DeclareCondition<K> };

/** A query for objects of a kind. All given conditions must hold. */
export interface FindQuery<C extends Kind = never> extends Pick<Query, "labels"> {
  /** The namespace; `"*"` for all. Default: that of the reconciled object. */
  readonly namespace?: string | undefined;
  /** One value of an index, as in `byNode("node-1")`. */
  readonly index?: Lookup<NoInfer<C>> | NamedLookup | undefined;
  /** Only those that have an owner reference to this object. */
  readonly owner?: { readonly metadata: { readonly uid: string } } | undefined;
}

/** A query without the type of its kind. */
export type AnyFindQuery = FindQuery<Kind>;

/** One object: its name, in the namespace of the reconciled object, or its name with another namespace. */
export type Reference = string | { readonly name: string; readonly namespace?: string | undefined };

/** A new object: with a name, or with a prefix (`generateName`). */
export type NewReference = Reference | { readonly prefix: string; readonly namespace?: string | undefined };

export interface ApplyChild {
  /**
   * False for a child that outlives the object, such as a volume that is to be retained: it gets no owner reference and is never pruned.
   * A change of it triggers the object as if it had been read.
   */
  readonly owned?: boolean;
  /**
   * Whether an existing object of that name that the operator did not create may become the child: its fields are then overwritten, and
   * it is deleted with its owner. Default: false. An object with our owner reference, or that this controller applied before, is ours
   * anyway; an object with another controller is never adopted.
   */
  readonly adopt?: boolean;
}

export interface RemoveChild {
  /** The grace period, as in `"30s"`; 0 for immediate deletion, without waiting for the node. */
  readonly grace?: Duration;
}

/**
 * A kind that the controller declared. For any other kind the compiler error shows the fix as the expected argument type, instead of a
 * comparison of two kinds field by field.
 */
export type Declared<C extends Kind, D extends Kind, Cure extends string> = [C] extends [D] ? C : Cure;

/** The fix for a kind that is written. */
type ToWrite = "Not declared: add this kind to `owns` of the controller";
/** The fix for a kind that is read. */
type ToRead = "Not declared: add this kind to `reads` of the controller";

/** Metadata without the name, which is an argument of the call. */
export type NamedByTheCall<M> = Omit<M, "name">;

/** The desired child without its name: the apply configuration of its kind, without the status, which belongs to its controller. */
export type DesiredOf<C extends Kind> =
  unknown extends ApplyOf<C>
    ? { readonly [field: string]: unknown }
    : ApplyOf<C> extends { readonly metadata?: infer M }
      ? Omit<ApplyOf<C>, "metadata" | "status"> & { readonly metadata?: NamedByTheCall<NonNullable<M>> }
      : ApplyOf<C>;

/** The read side of the context. */
export interface ReadContext<K extends Kind, O extends Kind, R extends Kind> {
  /** The object: fresh, at least as new as this operator's own last write, and frozen. */
  readonly object: ObjectOf<K>;
  /** Finds objects of a declared kind in the cache. A change of a found object triggers this object again. */
  readonly find: <C extends Kind>(kind: Declared<C, O | R, ToRead>, query?: FindQuery<C>) => readonly ObjectOf<C>[];
  /** One object of a declared kind from the cache. */
  readonly get: <C extends Kind>(kind: Declared<C, O | R, ToRead>, reference: Reference) => ObjectOf<C> | undefined;
  /** Calls something outside the cluster; the call is aborted when the reconcile ends. */
  readonly external: <A extends readonly unknown[], T>(
    call: (...args: readonly [...A, { readonly signal: AbortSignal }]) => Promise<T>,
    ...args: A
  ) => Promise<T>;
  /** The triggers of this reconcile, for logs and explanations: decide by the state of the world, never by the trigger. */
  readonly triggers: readonly ReconcileTrigger[];
  /** The number of consecutive failures of this object. */
  readonly failures: number;
  /** Aborted on timeout, when the lease is lost, or when the operator stops. */
  readonly signal: AbortSignal;
  /** The operator's own settings, by the schema that `operator({ settings })` declares: `settings(Settings).registryUrl`. */
  readonly settings: <F extends Fields>(schema: ObjectSchema<F>) => OutputOf<F>;
  readonly log: Log;
}

/**
 * The context of a reconcile.
 *
 * @example
 * const applySettings = ({ object, apply }: Context<typeof Memcached, typeof ConfigMap>) =>
 *   apply(ConfigMap, object.metadata.name, { data: { size: String(object.spec.size) } });
 */
export interface Context<K extends Kind, O extends Kind = never, R extends Kind = never> extends ReadContext<K, O, R> {
  /**
   * Brings a child to the desired state: sets owner reference, namespace and field manager, and writes nothing when nothing would change.
   * Children that an earlier reconcile applied and a completed reconcile does not are deleted.
   */
  readonly apply: <C extends Kind>(
    kind: Declared<C, O, ToWrite>,
    reference: Reference,
    desired: DesiredOf<C>,
    options?: ApplyChild,
  ) => Promise<ObjectOf<C>>;
  /** Keeps a child as it is, for a reconcile that cannot compute its desired state: it is not pruned. */
  readonly keep: <C extends Kind>(kind: Declared<C, O, ToWrite>, reference: Reference) => void;
  /**
   * Creates a child once, with a name or a `generateName` prefix. It has an owner reference and is visible to `get` and `find` at once,
   * but it is never repaired and never pruned: use `remove`.
   */
  readonly create: <C extends Kind>(
    kind: Declared<C, O, ToWrite>,
    reference: NewReference,
    desired: DesiredOf<C>,
  ) => Promise<ObjectOf<C>>;
  /** Deletes a child at once. This operator sees it as gone, or terminating, from then on. */
  readonly remove: <C extends Kind>(
    kind: Declared<C, O, ToWrite>,
    reference: Reference,
    how?: RemoveChild,
  ) => Promise<void>;
  /** A draft of the status. It is sent once, when the reconcile ends, also when it fails. */
  readonly status: StatusDraft<K>;
  /** Runs a step with a result that survives restarts. */
  readonly step: Step;
  /** Measures one of the operator's own metrics, as in `metric(members).set({ cluster }, 3)`. */
  readonly metric: MetricOf;
  /** Records a Kubernetes event on the object. */
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** A context without the types of its kinds, as the runtime creates it. */
export type AnyContext = Context<Kind<KubeObject & { readonly status?: unknown }>, Kind, Kind>;
