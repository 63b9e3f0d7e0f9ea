/** `controller`: what a user says about a controller, and the value that the runtime runs. */
import type { Kind, ObjectOf } from "@capstan/model";
import type { AnyKind } from "./api.ts";
import type { WriteBudget } from "./apply/breaker.ts";
import type { CacheSettings } from "./cache/caches.ts";
import type { Change } from "./cache/reflector.ts";
import { RuntimeError, toMilliseconds } from "./errors.ts";
import { usualCurves } from "./queue/backoff.ts";
import type { Curves } from "./queue/backoff.ts";
import type { Rate } from "./queue/bucket.ts";
import type { Answer } from "./reconcile/outcome.ts";
import type { AnyContext, Context } from "./reconcile/context.ts";
import { toReconcile } from "./reconcile/phases.ts";
import { validityOf } from "./reconcile/validity.ts";
import type { AnyPhases, Phases } from "./reconcile/phases.ts";
import type { Handlers } from "./reconcile/worker.ts";
import { anyChange, desiredStateChanged } from "./trigger/predicate.ts";
import type { Predicate } from "./trigger/predicate.ts";
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

/** What can be said about a controller besides its reconcile; everything has a default. */
export interface ControllerOptions<K extends Kind, O extends readonly Kind[], R extends readonly Kind[]> {
  /** The name in metrics, logs and managed fields; the kind in lower case unless said otherwise. */
  readonly name?: string;
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
  /** Runs when an object is to be deleted. The object stays until it has succeeded; the finalizer is the runtime's business. */
  readonly cleanup?: (context: Context<K, O[number], R[number]>) => Promise<Answer> | Answer;
  /**
   * Objects that are being deleted and held by others are reconciled, too: false unless said otherwise. Nothing new should be made
   * for them. Where there is a `cleanup`, it comes first.
   */
  readonly whileLeaving?: boolean;
  /** How many objects are worked on at once: 16 unless said otherwise. */
  readonly concurrency?: number;
  /** How long a turn may take: 5 minutes unless said otherwise. */
  readonly timeout?: string | number;
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
  /** How objects of kinds are cached, by kind name. */
  readonly cache?: { readonly [kind: string]: CacheSettings };
}

/** A controller as the runtime sees it. Made by `controller`. */
export interface Controller {
  readonly name: string;
  readonly kind: AnyKind;
  readonly owns: readonly AnyKind[];
  readonly reads: readonly AnyKind[];
  readonly handlers: Handlers;
  readonly options: {
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
    readonly writeBudget: WriteBudget | undefined;
    readonly controllerOnly: boolean;
    readonly finalizer: string;
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
export function controller(
  kind: Kind,
  options: LooseOptions,
  body: ((context: AnyContext) => unknown) | AnyPhases,
): Controller {
  const name = options.name ?? kind.kind.toLowerCase();
  const isPlain = typeof body === "function";
  return {
    name,
    kind,
    owns: options.owns ?? [],
    reads: options.reads ?? [],
    handlers: {
      reconcile: isPlain ? body : toReconcile(body),
      cleanup: options.cleanup,
      hasConditions: isResource(kind) && Object.keys(kind.conditions).length > 0,
      problemOf: validityOf(kind),
    },
    options: settledOptions(options, { kind, name, isPlain }),
  };
}

/** What was left unsaid gets its usual value. */
function settledOptions(
  options: LooseOptions,
  { kind, name, isPlain }: { readonly kind: Kind; readonly name: string; readonly isPlain: boolean },
): Controller["options"] {
  return {
    on: options.on ?? desiredStateChanged,
    watches: options.watches ?? [],
    sources: options.sources ?? [],
    concurrency: atLeastOne(options.concurrency ?? 16, name),
    timeout: toMilliseconds(options.timeout ?? "5m"),
    rate: options.rate,
    backoff: { ...usualCurves, ...options.backoff },
    tenantOf: options.tenantOf,
    // An action is one step of many: what it does not apply is not unwanted.
    prune: options.prune ?? isPlain,
    whileLeaving: options.whileLeaving ?? false,
    writeBudget: options.writeBudget,
    controllerOnly: options.controllerOnly ?? true,
    finalizer: `${kind.group === "" ? "capstan.dev" : kind.group}/${name}`,
    cache: options.cache ?? {},
  };
}

type LooseOptions = Omit<ControllerOptions<Kind, readonly Kind[], readonly Kind[]>, "cleanup"> & {
  readonly cleanup?: (context: AnyContext) => unknown;
};

function atLeastOne(concurrency: number, name: string): number {
  if (Number.isInteger(concurrency) && concurrency >= 1) return concurrency;
  throw new RuntimeError(
    "BadSetting",
    `Controller "${name}" cannot work on ${concurrency} objects at once: use 1 or more.`,
  );
}
