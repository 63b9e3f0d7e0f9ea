/** `controller`: what a user says about a controller, and the value that the runtime runs. */
import type { Kind, ObjectOf } from "@capstan/model";
import type { AnyKind } from "./api.ts";
import type { WriteBudget } from "./apply/breaker.ts";
import { hidesField } from "./apply/status.ts";
import type { CacheSettings } from "./cache/caches.ts";
import type { Change } from "./cache/reflector.ts";
import { checkedBackoff, checkedBudget, checkedCount, checkedDuration, checkedRate } from "./checked.ts";
import { madeFor, RuntimeError } from "./errors.ts";
import type { Duration } from "./errors.ts";
import { usualCurves } from "./queue/backoff.ts";
import type { Curves } from "./queue/backoff.ts";
import type { Rate } from "./queue/bucket.ts";
import type { Answer } from "./reconcile/outcome.ts";
import type { AnyContext, ConditionOf, Context, DeepReadonly } from "./reconcile/context.ts";
import type { Daemon, DaemonContext } from "./reconcile/daemons.ts";
import { toReconcile } from "./reconcile/phases.ts";
import { validityOf } from "./reconcile/validity.ts";
import type { AnyPhases, Phases } from "./reconcile/phases.ts";
import type { Handlers } from "./reconcile/worker.ts";
import { anyChange, desiredStateChanged } from "./trigger/predicate.ts";
import type { FieldPath, Predicate, ValueAt } from "./trigger/predicate.ts";
import { isResource } from "./resource.ts";
import type { Source } from "./trigger/source.ts";
import type { MapToKeys } from "./trigger/trigger.ts";

/** A mapping from objects of another kind to the keys (`namespace/name`) of objects to wake. */
export interface WatchDeclaration {
  readonly kind: AnyKind;
  readonly map: MapToKeys;
  readonly on: Predicate;
}

/** Wakes whoever a function names, when an object of another kind changes; the function sees the old and the new object, and whether it was added, updated or removed. */
export function watches<C extends Kind>(
  kind: C,
  map: (object: ObjectOf<C>, change: Pick<Change, "type">) => readonly string[],
  on: Predicate = anyChange,
): WatchDeclaration {
  // The watch of a kind gives objects of that kind.
  return { kind, map: map as MapToKeys, on };
}

/** A field that changed. */
export interface FieldChanged<T, P extends string> {
  readonly from: DeepReadonly<ValueAt<T, P>> | undefined;
  readonly to: DeepReadonly<ValueAt<T, P>> | undefined;
}

/** A handler for each field that one cares for. */
type FieldHandlers<K extends Kind, C> = {
  readonly [P in FieldPath<ObjectOf<K>>]?: (context: C & FieldChanged<ObjectOf<K>, P>) => Promise<void> | void;
};

/** What can be said about a controller besides its reconcile; everything has a default. */
export interface ControllerOptions<K extends Kind, O extends readonly Kind[], R extends readonly Kind[]> {
  /** The name in metrics, logs, managed fields and finalizers; the kind in lower case unless said otherwise. */
  readonly name?: string;
  /** Names that it had: what it applied and held under them stays its own, is pruned and let go of. */
  readonly formerNames?: readonly string[];
  /** Who reports its events; the name that managed fields have unless said otherwise. */
  readonly reporter?: string;
  /** Kinds that it writes. Their objects get an owner reference, and their changes wake the owner. */
  readonly owns?: O;
  /** Kinds that it only reads. */
  readonly reads?: R;
  /**
   * Which changes of the object itself wake it: all but those of its status, unless said otherwise. A status that somebody else
   * changed always wakes it, so that it is repaired.
   */
  readonly on?: Predicate;
  /** Other objects that wake objects of this controller. */
  readonly watches?: readonly WatchDeclaration[];
  /** What happens outside the cluster. */
  readonly sources?: readonly Source[];
  /**
   * Runs when a field is not what it was when it was last handled, before the reconcile and again until it succeeds. What was handled
   * is remembered on the object, so that a change is noticed although nobody ran when it was made. At first `from` is undefined.
   */
  // Behind a condition, so that the compiler settles the kind before it looks at the functions.
  readonly onChange?: K extends Kind ? FieldHandlers<K, Context<K, O[number], R[number]>> : never;
  /** Runs for each object as long as it is there, beside its turns: to keep a connection open, to follow a stream. */
  readonly daemon?: (context: DaemonContext<K>) => Promise<void> | void;
  /** Runs when an object is to be deleted. The object stays until it has succeeded; the finalizer is the runtime's business. */
  readonly cleanup?: (context: Context<K, O[number], R[number]>) => Promise<Answer> | Answer;
  /**
   * Objects that are being deleted and held by others are reconciled, too: false unless said otherwise. Nothing new should be made
   * for them. Where there is a `cleanup`, it comes first.
   */
  readonly whileLeaving?: boolean;
  /** How often an object that fails is tried in a row before it rests until something changes; without end unless said otherwise. */
  readonly attempts?: number;
  /** The conditions that must hold for the condition `Ready`, which is then set from them at the end of each turn. */
  readonly readyWhen?: readonly ConditionOf<K>[];
  /** How many objects are worked on at once: 16 unless said otherwise. */
  readonly concurrency?: number;
  /** How long a turn may take: 5 minutes unless said otherwise. */
  readonly timeout?: Duration;
  /** A limit on turns per second. */
  readonly rate?: Rate;
  /** How long to wait after each kind of failure. */
  readonly backoff?: Partial<Curves>;
  /** Whose share of turns a key counts against: its namespace unless said otherwise. */
  readonly tenantOf?: (key: string) => string;
  /** Children that this turn did not apply are deleted: true unless said otherwise. */
  readonly prune?: boolean;
  /** How many repairs of one child in which time are a hot loop. */
  readonly writeBudget?: WriteBudget;
  /** Wake only owners that control the child: true unless said otherwise. */
  readonly controllerOnly?: boolean;
  /**
   * How objects of kinds are cached, by kind name, or by `plural.version.group` where two kinds have the same name. Controllers of one
   * operator share the cache of a kind: all who use it must say the same about what it shows; indexes are joined.
   */
  readonly cache?: { readonly [kind: string]: CacheSettings };
}

/** A controller as the runtime sees it. Made by `controller`. */
export interface Controller {
  readonly name: string;
  readonly formerNames: readonly string[];
  readonly kind: AnyKind;
  readonly owns: readonly AnyKind[];
  readonly reads: readonly AnyKind[];
  readonly handlers: Handlers;
  readonly options: {
    readonly reporter: string | undefined;
    readonly on: Predicate;
    readonly watches: readonly WatchDeclaration[];
    readonly sources: readonly Source[];
    readonly concurrency: number;
    readonly timeout: number;
    readonly rate: Rate | undefined;
    readonly backoff: Curves;
    readonly tenantOf: ((key: string) => string) | undefined;
    readonly prune: boolean;
    readonly whileLeaving: boolean;
    readonly attempts: number;
    readonly readyWhen: readonly string[];
    readonly writeBudget: WriteBudget | undefined;
    readonly controllerOnly: boolean;
    readonly cache: { readonly [kind: string]: CacheSettings };
  };
}

/**
 * A controller: for objects of a kind, what it owns and reads, and the function that brings one object to its desired state.
 *
 * The function is called for an object whenever something that concerns it changed, never twice at once for the same object, and
 * again with backoff when it throws. It must not rely on how often it is called.
 */
export function controller<
  K extends Kind,
  const O extends readonly Kind[] = readonly [],
  const R extends readonly Kind[] = readonly [],
>(
  kind: K,
  options: ControllerOptions<K, O, R>,
  reconcile: (context: Context<K, O[number], R[number]>) => Promise<Answer> | Answer,
): Controller;
/** The form for software that can lose data: look, decide purely, act in one step of a closed union. */
export function controller<
  K extends Kind,
  Seen,
  Action extends { readonly do: string },
  const O extends readonly Kind[] = readonly [],
  const R extends readonly Kind[] = readonly [],
>(kind: K, options: ControllerOptions<K, O, R>, phases: Phases<K, O[number], R[number], Seen, Action>): Controller;
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
    formerNames: (options.formerNames ?? []).filter((former) => former !== name),
    kind,
    owns: options.owns ?? [],
    reads: options.reads ?? [],
    handlers: {
      reconcile: isPlain ? body : toReconcile(body),
      cleanup: options.cleanup,
      daemon: options.daemon as Daemon | undefined,
      fieldHandlers: fieldHandlersOf(options.onChange),
      hasConditions: isResource(kind) && Object.keys(kind.conditions).length > 0,
      conditions: isResource(kind) ? Object.keys(kind.conditions) : undefined,
      declares: { stalled: declares(kind, "Stalled"), ready: declares(kind, "Ready") },
      problemOf: validityOf(kind),
    },
    options: settledOptions(options, { name, isPlain }),
  };
}

/** A field that no turn could write is better known now than missed later. */
function mustBeWritable(kind: Kind): void {
  if (!hidesField(kind)) return;
  throw new RuntimeError(
    "BadSetting",
    `Cannot control ${kind.kind}: its status has a field \`condition\`, and in a turn \`status.condition(...)\` is what sets conditions. Give the field another name.`,
  );
}

function declares(kind: Kind, condition: string): boolean {
  return isResource(kind) && Object.hasOwn(kind.conditions, condition);
}

function fieldHandlersOf(onChange: object = {}): Handlers["fieldHandlers"] {
  const entries: [string, (context: never) => unknown][] = Object.entries(onChange);
  return entries.map(([path, run]) => ({ path: path.split("."), run }));
}

/** What was left unsaid gets its usual value. */
function settledOptions(
  options: LooseOptions,
  { name, isPlain }: { readonly name: string; readonly isPlain: boolean },
): Controller["options"] {
  const of = (option: string): string => `\`${option}\` of controller "${name}"`;
  return {
    reporter: options.reporter,
    on: options.on ?? desiredStateChanged,
    watches: options.watches ?? [],
    sources: options.sources ?? [],
    concurrency: checkedCount(options.concurrency ?? 16, of("concurrency")),
    timeout: checkedDuration(options.timeout ?? "5m", of("timeout")),
    rate: options.rate && checkedRate(options.rate, of("rate")),
    backoff: checkedBackoff({ ...usualCurves, ...options.backoff }, of("backoff")),
    tenantOf: options.tenantOf,
    // An action is one step of many: what it does not apply is not unwanted.
    prune: options.prune ?? isPlain,
    whileLeaving: options.whileLeaving ?? false,
    attempts: options.attempts === undefined ? Infinity : checkedCount(options.attempts, of("attempts")),
    readyWhen: options.readyWhen ?? [],
    writeBudget: options.writeBudget && checkedBudget(options.writeBudget, of("writeBudget")),
    controllerOnly: options.controllerOnly ?? true,
    cache: options.cache ?? {},
  };
}

type LooseOptions = Omit<
  ControllerOptions<Kind, readonly Kind[], readonly Kind[]>,
  "cleanup" | "onChange" | "daemon"
> & {
  readonly cleanup?: (context: AnyContext) => unknown;
  readonly daemon?: unknown;
  readonly onChange?: object;
};
