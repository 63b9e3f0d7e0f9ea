/** What a reconcile is given, with types that follow from the kinds that its controller declared. */
import type { ApplyOf, Kind, KubeObject, ObjectOf } from "@capstan/model";
import type { Draft } from "@capstan/schema";
import type { ConditionDetails } from "../apply/conditions.ts";
import type { Duration } from "../errors.ts";
import type { Lookup, NamedLookup } from "../cache/lookup.ts";
import type { Query } from "../cache/selector.ts";
import type { MetricOf } from "../manager/metric.ts";
import type { Log } from "../log.ts";
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";
import type { Step } from "./steps.ts";

/** The names of the conditions that a kind declares; kinds that declare none in this way take any name. */
export type ConditionOf<K extends Kind> = K extends { readonly conditions: infer C } ? keyof C & string : string;

/** Declares one of the kind's conditions to be true, false or unknown. */
export type DeclareCondition<K extends Kind> = (
  name: ConditionOf<K>,
  holds: boolean | "Unknown",
  details?: ConditionDetails | string,
) => void;

/** The status of a kind as one may write it; its conditions are declared, not written. */
export type StatusDraft<K extends Kind> = (ObjectOf<K> extends { readonly status?: infer S }
  ? { -readonly [N in Exclude<keyof NonNullable<S>, "conditions">]: Draft<NonNullable<S>[N]> }
  : unknown) & { readonly condition: DeclareCondition<K> };

/** Which objects of a kind to find. Everything that is said must hold. */
export interface FindQuery<C extends Kind = never> extends Pick<Query, "labels"> {
  /** That of the object in hand unless said otherwise; `"*"` for all. */
  readonly namespace?: string | undefined;
  /** One value of an index, as in `byNode("node-1")`. */
  readonly index?: Lookup<NoInfer<C>> | NamedLookup | undefined;
  /** Only those that have an owner reference to this object. */
  readonly owner?: { readonly metadata: { readonly uid: string } } | undefined;
}

/** A query of which the kind is not known. */
export type AnyFindQuery = FindQuery<Kind>;

/** One object: its name, in the namespace of the object in hand, or its name with another namespace. */
export type Reference = string | { readonly name: string; readonly namespace?: string | undefined };

/** A new object: one that is named, or one whose name the server completes from a prefix. */
export type NewReference = Reference | { readonly prefix: string; readonly namespace?: string | undefined };

/** How a child is applied. */
export interface ApplyChild {
  /**
   * False for a child that outlives the object, such as a volume that is to be retained: it gets no owner reference and is never
   * pruned. A change to it wakes the object as if it had been read.
   */
  readonly owned?: boolean;
  /**
   * Whether an object of that name which somebody else made may become the child: its fields are then overwritten, and it is deleted
   * with its owner. Refused unless said. What has our owner reference, or was applied by this controller before, is ours anyway; what
   * another object controls is never taken.
   */
  readonly adopt?: boolean;
}

/** How a child is removed. */
export interface RemoveChild {
  /** How long it may take to go, as in `"30s"`; 0 for at once, without waiting for the node. */
  readonly grace?: Duration;
}

/**
 * A kind that the controller declared. For any other one the compiler shows the cure as what the argument should have been, instead of a
 * comparison of two kinds field by field.
 */
export type Declared<C extends Kind, D extends Kind, Cure extends string> = [C] extends [D] ? C : Cure;

/** What to do about a kind that is written. */
type ToWrite = "Not declared: add this kind to `owns` of the controller";
/** What to do about a kind that is read. */
type ToRead = "Not declared: add this kind to `reads` of the controller";

/** Metadata of an object whose name is an argument of the call: it has no second one here. */
export type NamedByTheCall<M> = Omit<M, "name">;

/** What goes into a child besides its name: its kind's apply configuration, without a status, which servers take only from whoever runs it. */
export type DesiredOf<C extends Kind> =
  unknown extends ApplyOf<C>
    ? { readonly [field: string]: unknown }
    : ApplyOf<C> extends { readonly metadata?: infer M }
      ? Omit<ApplyOf<C>, "metadata" | "status"> & { readonly metadata?: NamedByTheCall<NonNullable<M>> }
      : ApplyOf<C>;

/** What a reconcile may look at. */
export interface ReadContext<K extends Kind, O extends Kind, R extends Kind> {
  /** The object: fresh, at least as new as this operator's own last write, and frozen. */
  readonly object: ObjectOf<K>;
  /** Finds objects of a declared kind in the cache. A change to what was found wakes this object again. */
  readonly find: <C extends Kind>(kind: Declared<C, O | R, ToRead>, query?: FindQuery<C>) => readonly ObjectOf<C>[];
  /** One object of a declared kind from the cache. */
  readonly get: <C extends Kind>(kind: Declared<C, O | R, ToRead>, reference: Reference) => ObjectOf<C> | undefined;
  /** Asks something outside the cluster; the call ends when the reconcile does. */
  readonly external: <A extends readonly unknown[], T>(
    call: (...args: readonly [...A, { readonly signal: AbortSignal }]) => Promise<T>,
    ...args: A
  ) => Promise<T>;
  /** Why this reconcile happens. For logs and explanations: decide by the state of the world, never by the trigger. */
  readonly triggers: readonly ReconcileTrigger[];
  /** How often this object failed in a row before. */
  readonly failures: number;
  /** Aborted when the reconcile takes too long, the lease is lost or the operator stops. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * What a reconcile is given.
 *
 * @example
 * const applySettings = ({ object, apply }: Context<typeof Memcached, typeof ConfigMap>) =>
 *   apply(ConfigMap, object.metadata.name, { data: { size: String(object.spec.size) } });
 */
export interface Context<K extends Kind, O extends Kind = never, R extends Kind = never> extends ReadContext<K, O, R> {
  /**
   * Brings a child to the desired state: sets owner reference, namespace and field owner, and writes nothing when nothing would
   * change. What an earlier reconcile applied and a reconcile that is done does not, is deleted.
   */
  readonly apply: <C extends Kind>(
    kind: Declared<C, O, ToWrite>,
    reference: Reference,
    desired: DesiredOf<C>,
    options?: ApplyChild,
  ) => Promise<ObjectOf<C>>;
  /** Says that a child is still wanted as it is, where this reconcile cannot say what it should be: it is not pruned. */
  readonly keep: <C extends Kind>(kind: Declared<C, O, ToWrite>, reference: Reference) => void;
  /**
   * Creates a child once, under a name or under one that the server makes from a prefix. It has an owner reference and is there at
   * once for `get` and `find`, but it is never repaired and never pruned: that is left to `remove`.
   */
  readonly create: <C extends Kind>(
    kind: Declared<C, O, ToWrite>,
    reference: NewReference,
    desired: DesiredOf<C>,
  ) => Promise<ObjectOf<C>>;
  /** Deletes a child at once. For this operator it is gone, or leaving, from then on. */
  readonly remove: <C extends Kind>(
    kind: Declared<C, O, ToWrite>,
    reference: Reference,
    how?: RemoveChild,
  ) => Promise<void>;
  /** The status, to be written into. It is sent once, when the reconcile ends, also when it fails. */
  readonly status: StatusDraft<K>;
  /** Runs a step that is remembered across restarts. */
  readonly step: Step;
  /** Measures a metric of the operator's own, as in `metric(members).set({ cluster }, 3)`. */
  readonly metric: MetricOf;
  /** Records a Kubernetes event on the object. */
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** A context of which the kinds are not known, as the runtime makes it. */
export type AnyContext = Context<Kind<KubeObject & { readonly status?: unknown }>, Kind, Kind>;
