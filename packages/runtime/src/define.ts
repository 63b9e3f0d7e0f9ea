/** `controller`: the user's declaration of a controller, and the value that the runtime runs. */
import type { Kind, ObjectOf } from "@capstan/model";
import type { AnyKind } from "./api.ts";
import type { HotLoopLimit } from "./apply/breaker.ts";
import { hidesField } from "./apply/status.ts";
import type { CacheSettings } from "./cache/settings.ts";
import type { Change } from "./cache/change.ts";
import { checkedBackoff, checkedLimit, checkedCount, checkedDuration, checkedRate } from "./queue/checked.ts";
import { madeFor, RuntimeError } from "./errors.ts";
import type { Duration } from "./errors.ts";
import { usualCurves } from "./queue/backoff.ts";
import type { Curves } from "./queue/backoff.ts";
import type { Rate } from "./queue/bucket.ts";
import type { ReconcileResult } from "./reconcile/outcome.ts";
import type { AnyContext, ConditionOf, Context } from "./reconcile/context.ts";
import type { Daemon, DaemonContext } from "./reconcile/daemons.ts";
import { toReconcile } from "./reconcile/phases.ts";
import { validityOf } from "./reconcile/validity.ts";
import type { AnyPhases, Phases } from "./reconcile/phases.ts";
import type { Handlers } from "./reconcile/handlers.ts";
import { anyChange, desiredStateChanged } from "./trigger/predicate.ts";
import type { FieldPath, Predicate, ValueAt } from "./trigger/predicate.ts";
import { isResource } from "./resource.ts";
import type { Source } from "./trigger/source.ts";
import type { MapToKeys } from "./trigger/event-handler.ts";

/**
 * A mapping from objects of another kind to the keys (`namespace/name`) of objects to trigger.
 *
 * @example
 * const watches: readonly WatchDeclaration[] = [watch(Secret, ({ metadata }) => [`${metadata.namespace}/cache`])];
 * controller(Memcached, { watches }, () => undefined);
 */
export interface WatchDeclaration {
  readonly kind: AnyKind;
  readonly map: MapToKeys;
  readonly predicate: Predicate;
}

/**
 * Options of a watch besides its kind and its map.
 *
 * @example
 * const options: WatchOptions = { predicate: labelsChanged };
 * watch(ConfigMap, ({ metadata }) => [`${metadata.namespace}/cache`], options);
 */
export interface WatchOptions {
  /** The changes of the other object that count. Default: all. */
  readonly predicate?: Predicate | undefined;
}

/**
 * Reconciles the objects with the keys (`namespace/name`) that a function returns, when an object of another kind changes. The function
 * is called for the old and for the new object, and knows whether the object was added, updated or removed.
 *
 * @example
 * const bySettings = watch(ConfigMap, ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.["cache"]}`], {
 *   predicate: generationChanged,
 * });
 * controller(Memcached, { watches: [bySettings] }, () => undefined);
 */
export function watch<C extends Kind>(
  kind: C,
  map: (object: ObjectOf<C>, change: Pick<Change, "type">) => readonly string[],
  { predicate = anyChange }: WatchOptions = {},
): WatchDeclaration {
  // The watch of a kind delivers objects of that kind.
  return { kind, map: map as MapToKeys, predicate };
}

/** A field that changed. */
export interface FieldChanged<T, P extends string> {
  readonly from: ValueAt<T, P> | undefined;
  readonly to: ValueAt<T, P> | undefined;
}

/** A handler for each field of interest. */
type FieldHandlers<K extends Kind, C> = {
  readonly [P in FieldPath<ObjectOf<K>>]?: (
    context: C & FieldChanged<ObjectOf<K>, P>,
  ) => Promise<ReconcileResult> | ReconcileResult;
};

/**
 * Options of a controller besides its reconcile; everything has a default.
 *
 * @example
 * const options: ControllerOptions<typeof Memcached, readonly [typeof ConfigMap], readonly []> = {
 *   owns: [ConfigMap],
 *   concurrency: 4,
 *   timeout: "1m",
 * };
 * controller(Memcached, options, () => undefined);
 */
export interface ControllerOptions<K extends Kind, O extends readonly Kind[], R extends readonly Kind[]> {
  /** The name in metrics, logs, managed fields and finalizers. Default: the kind in lower case. */
  readonly name?: string;
  /** Previous names: objects and finalizers that it created under them stay its own, and are pruned and released as usual. */
  readonly previousNames?: readonly string[];
  /** The reporting controller in its events. Default: the name of its field manager. */
  readonly reporter?: string;
  /** Kinds that it applies. Their objects get an owner reference, and their changes trigger the owner. */
  readonly owns?: O;
  /** Kinds that it only reads. */
  readonly reads?: R;
  /**
   * The changes of the object itself that trigger it. Default: all but changes of its status. A status change by another manager always
   * triggers it, so that it is repaired.
   */
  readonly predicate?: Predicate;
  /** Other objects that trigger objects of this controller. */
  readonly watches?: readonly WatchDeclaration[];
  /** Event sources outside the cluster. */
  readonly sources?: readonly Source[];
  /**
   * Runs when a field differs from its last handled value, before the reconcile and again until it succeeds. The handled value is stored
   * on the object, so that a change is noticed even if the operator was not running. At first `from` is undefined.
   */
  // A conditional type, so that the compiler infers the kind before it checks the functions.
  readonly onFieldChange?: K extends Kind ? FieldHandlers<K, Context<K, O[number], R[number]>> : never;
  /**
   * Runs for each object as long as it exists, beside its reconciles: to keep a connection open, to follow a stream. A daemon that throws
   * is restarted after 5 seconds, one that returns `requeue(...)` after that delay.
   */
  readonly daemon?: (context: DaemonContext<K>) => Promise<ReconcileResult> | ReconcileResult;
  /** Runs when an object is to be deleted. The object stays until it has succeeded; the runtime manages the finalizer. */
  readonly cleanup?: (context: Context<K, O[number], R[number]>) => Promise<ReconcileResult> | ReconcileResult;
  /**
   * Whether an object that is being deleted, and that has finalizers of other controllers, is still reconciled. Default: false. Nothing
   * new should be created for it. A `cleanup` runs first.
   */
  readonly reconcileDeleting?: boolean;
  /** The number of consecutive failures after which an object waits until something changes. Default: no limit. */
  readonly maxAttempts?: number;
  /** The conditions from which the condition `Ready` is set at the end of each reconcile. */
  readonly readyWhen?: readonly ConditionOf<K>[];
  /** The number of concurrent reconciles. Default: 16. */
  readonly concurrency?: number;
  /** The timeout of a reconcile. Default: 5 minutes. */
  readonly timeout?: Duration;
  /** A limit on reconciles per second. */
  readonly rate?: Rate;
  /** The backoff after each kind of failure. */
  readonly backoff?: Partial<Curves<Duration>>;
  /**
   * Objects with the same fairness key share one place in the queue, so that many of them do not delay the others. Default: the
   * namespace.
   */
  readonly fairnessKey?: (key: string) => string;
  /** Whether children that this reconcile did not apply are deleted. Default: true. */
  readonly prune?: boolean;
  /** The number of writes to one child within an interval that counts as a hot loop. Default: 20 within a minute. */
  readonly hotLoopLimit?: HotLoopLimit<Duration>;
  /** Whether a change of a child triggers only its controller owner, not the other owners. Default: true. */
  readonly onlyControllerOwner?: boolean;
  /**
   * Cache settings of kinds, by kind name, or by `plural.version.group` if two kinds have the same name. Controllers of one operator
   * share the cache of a kind: their settings must agree on the objects and fields that it shows; indexes are merged.
   */
  readonly cache?: { readonly [kind: string]: CacheSettings };
}

/**
 * A controller as the runtime sees it. Created by `controller`.
 *
 * @example
 * const controllers: readonly Controller[] = [memcached];
 * operator({ name: "memcached-operator", controllers });
 */
export interface Controller {
  readonly name: string;
  readonly previousNames: readonly string[];
  readonly kind: AnyKind;
  readonly owns: readonly AnyKind[];
  readonly reads: readonly AnyKind[];
  readonly handlers: Handlers;
  readonly options: {
    readonly reporter: string | undefined;
    readonly predicate: Predicate;
    readonly watches: readonly WatchDeclaration[];
    readonly sources: readonly Source[];
    readonly concurrency: number;
    readonly timeout: number;
    readonly rate: Rate | undefined;
    readonly backoff: Curves;
    readonly fairnessKey: ((key: string) => string) | undefined;
    readonly prune: boolean;
    readonly reconcileDeleting: boolean;
    readonly maxAttempts: number;
    readonly readyWhen: readonly string[];
    readonly hotLoopLimit: HotLoopLimit | undefined;
    readonly onlyControllerOwner: boolean;
    readonly cache: { readonly [kind: string]: CacheSettings };
  };
}

/**
 * A controller: for objects of a kind, the kinds that it owns and reads, and the function that brings one object to its desired state.
 *
 * The function is called for an object whenever a relevant object changed, never twice at once for the same object, and again with
 * backoff when it throws. It must not rely on how often it is called.
 *
 * @example
 * const memcached = controller(Memcached, { owns: [Deployment] }, async ({ object, apply, status }) => {
 *   const labels = { app: object.metadata.name };
 *   const containers = [{ name: "memcached", image: object.spec.image }];
 *   const deployment = await apply(Deployment, object.metadata.name, {
 *     spec: {
 *       replicas: object.spec.size,
 *       selector: { matchLabels: labels },
 *       template: { metadata: { labels }, spec: { containers } },
 *     },
 *   });
 *   status.condition("Available", deployment.status?.readyReplicas === object.spec.size);
 * });
 */
export function controller<
  K extends Kind,
  const O extends readonly Kind[] = readonly [],
  const R extends readonly Kind[] = readonly [],
  Seen = unknown,
  Action extends { readonly do: string } = { readonly do: string },
>(
  kind: K,
  options: ControllerOptions<K, O, R>,
  reconcile:
    | ((context: Context<K, O[number], R[number]>) => Promise<ReconcileResult> | ReconcileResult)
    // The form for software that can lose data: observe, decide in a pure function, act in one step of a closed union.
    | Phases<K, O[number], R[number], Seen, Action>,
): Controller;
// There is one signature, not an overload for each form, so that the compiler reports a mistake where it is.
export function controller(kind: Kind, options: LooseOptions, body: Body): Controller {
  return madeFor(controller, () => toController(kind, options, body));
}

type Body = ((context: AnyContext) => unknown) | AnyPhases;

function toController(kind: Kind, options: LooseOptions, body: Body): Controller {
  const name = options.name ?? kind.kind.toLowerCase();
  const isPlain = typeof body === "function";
  mustBeWritable(kind);
  return {
    name,
    previousNames: (options.previousNames ?? []).filter((former) => former !== name),
    kind,
    owns: options.owns ?? [],
    reads: options.reads ?? [],
    handlers: {
      reconcile: isPlain ? body : toReconcile(body),
      cleanup: options.cleanup,
      daemon: options.daemon as Daemon | undefined,
      fieldHandlers: fieldHandlersOf(options.onFieldChange),
      hasConditions: isResource(kind) && Object.keys(kind.conditions).length > 0,
      conditions: isResource(kind) ? Object.keys(kind.conditions) : undefined,
      declares: { stalled: declares(kind, "Stalled"), ready: declares(kind, "Ready") },
      problemOf: validityOf(kind),
    },
    options: settledOptions(options, { name, isPlain }),
  };
}

/** Reports a status field that no reconcile could write, because the draft's method hides it. */
function mustBeWritable(kind: Kind): void {
  if (!hidesField(kind)) return;
  throw new RuntimeError(
    "BadSetting",
    `Cannot control ${kind.kind}: its status has a field \`condition\`, and in a reconcile \`status.condition(...)\` is what sets conditions. Give the field another name.`,
  );
}

function declares(kind: Kind, condition: string): boolean {
  return isResource(kind) && Object.hasOwn(kind.conditions, condition);
}

function fieldHandlersOf(onFieldChange: object = {}): Handlers["fieldHandlers"] {
  const entries: [string, (context: never) => unknown][] = Object.entries(onFieldChange);
  return entries.map(([path, run]) => ({ path: path.split("."), run }));
}

/** The options with their defaults. */
function settledOptions(
  options: LooseOptions,
  { name, isPlain }: { readonly name: string; readonly isPlain: boolean },
): Controller["options"] {
  const of = (option: string): string => `\`${option}\` of controller "${name}"`;
  return {
    reporter: options.reporter,
    predicate: options.predicate ?? desiredStateChanged,
    watches: options.watches ?? [],
    sources: options.sources ?? [],
    concurrency: checkedCount(options.concurrency ?? 16, of("concurrency")),
    timeout: checkedDuration(options.timeout ?? "5m", of("timeout")),
    rate: options.rate && checkedRate(options.rate, of("rate")),
    backoff: checkedBackoff({ ...usualCurves, ...options.backoff }, of("backoff")),
    fairnessKey: options.fairnessKey,
    // An action is one step of many: a child that it does not apply may still be desired.
    prune: options.prune ?? isPlain,
    reconcileDeleting: options.reconcileDeleting ?? false,
    maxAttempts: options.maxAttempts === undefined ? Infinity : checkedCount(options.maxAttempts, of("maxAttempts")),
    readyWhen: options.readyWhen ?? [],
    hotLoopLimit: options.hotLoopLimit && checkedLimit(options.hotLoopLimit, of("hotLoopLimit")),
    onlyControllerOwner: options.onlyControllerOwner ?? true,
    cache: options.cache ?? {},
  };
}

type LooseOptions = Omit<
  ControllerOptions<Kind, readonly Kind[], readonly Kind[]>,
  "cleanup" | "onFieldChange" | "daemon"
> & {
  readonly cleanup?: (context: AnyContext) => unknown;
  readonly daemon?: unknown;
  readonly onFieldChange?: object;
};
