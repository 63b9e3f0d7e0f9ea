/** Children that depend on each other: each is applied when its dependencies are ready, independent ones at the same time. */
import type { Kind, ObjectOf, StoredObject } from "@capstan/model";
import type { ApplyChild, Context, DesiredOf } from "./context.ts";
import { isReady } from "./readiness.ts";

/**
 * The context for the desired state of a child.
 *
 * @example
 * const dataOf = ({ object }: DependentContext<typeof Memcached>) => ({ data: { size: String(object.spec.size) } });
 * dependent(Memcached, ConfigMap, { desired: dataOf });
 */
export interface DependentContext<K extends Kind> {
  readonly object: ObjectOf<K>;
  /** The current state of a dependency of this child. */
  readonly of: <B extends Kind>(before: Dependent<K, B>) => ObjectOf<B>;
}

/**
 * Options of a dependent child.
 *
 * @example
 * const options: DependentOptions<typeof Memcached, typeof ConfigMap> = {
 *   desired: () => ({ data: {} }),
 *   when: (object) => object.spec.size > 0,
 * };
 * dependent(Memcached, ConfigMap, options);
 */
export interface DependentOptions<K extends Kind, C extends Kind> {
  /** Default: the name of the object. */
  readonly name?: (object: ObjectOf<K>) => string;
  readonly desired: (making: DependentContext<K>) => DesiredOf<C>;
  /** Dependencies that must be ready first. They are references, so cycles cannot be expressed. */
  readonly after?: readonly Dependent<K, Kind>[];
  /** Whether the child is desired; if not, it is deleted. */
  readonly when?: (object: ObjectOf<K>) => boolean;
  /** Whether the child is ready. Default: by its status. */
  readonly ready?: (child: ObjectOf<C>) => boolean;
  /** Whether an existing object that the operator did not create may become the child, and be deleted with its owner. Default: false. */
  readonly adopt?: boolean;
}

/**
 * A child and its dependencies.
 *
 * @example
 * const settings: Dependent<typeof Memcached, typeof ConfigMap> = dependent(Memcached, ConfigMap, {
 *   desired: () => ({ data: {} }),
 * });
 */
export interface Dependent<K extends Kind, C extends Kind> {
  readonly owner: K;
  readonly kind: C;
  readonly options: LooseOptions;
  /** Never present at run time: it carries the child's kind. */
  readonly "~child"?: C;
}

/** Options without the types of their kinds. */
interface LooseOptions {
  readonly name?: ((object: never) => string) | undefined;
  readonly desired: (making: never) => unknown;
  readonly after?: readonly Dependent<Kind, Kind>[] | undefined;
  readonly when?: ((object: never) => boolean) | undefined;
  readonly ready?: ((child: never) => boolean) | undefined;
  readonly adopt?: boolean | undefined;
}

/**
 * Declares a child of a kind of objects.
 *
 * @example
 * const settings = dependent(Memcached, ConfigMap, {
 *   name: (object) => `${object.metadata.name}-settings`,
 *   desired: ({ object }) => ({ data: { size: String(object.spec.size) } }),
 * });
 */
export function dependent<K extends Kind, C extends Kind>(
  owner: K,
  kind: C,
  options: DependentOptions<K, C>,
): Dependent<K, C> {
  return { owner, kind, options: options as unknown as LooseOptions };
}

/**
 * The progress of the children.
 *
 * @example
 * const describe = ({ isReady: areReady, waiting }: Progress) => (areReady ? "ready" : `waiting for ${waiting.join(", ")}`);
 */
export interface Progress {
  readonly isReady: boolean;
  /** Children that are not ready, or wait for dependencies, as `Kind name`. */
  readonly waiting: readonly string[];
}

type State =
  | { readonly is: "unwanted" }
  | { readonly is: "waiting" }
  | { readonly is: "made"; readonly child: StoredObject; readonly ready: boolean };

/**
 * Applies children in the order of their dependencies. One that exists already is kept up to date, whatever the state of its
 * dependencies.
 *
 * @example
 * const settings = dependent(Memcached, ConfigMap, { desired: () => ({ data: { verbose: "true" } }) });
 * const entry = dependent(Memcached, Service, { after: [settings], desired: () => ({ spec: { ports: [{ port: 11211 }] } }) });
 * controller(Memcached, { owns: [ConfigMap, Service] }, async (context) => {
 *   const { isReady: areReady, waiting } = await applyInOrder(context, [settings, entry]);
 *   context.status.condition("Available", areReady, waiting.join(", "));
 * });
 */
export async function applyInOrder<K extends Kind, O extends Kind, R extends Kind>(
  context: Context<K, O, R>,
  dependents: readonly Dependent<K, O>[],
): Promise<Progress> {
  const states = new Map<unknown, Promise<State>>();
  const stateOf = (one: Dependent<Kind, Kind>): Promise<State> => {
    let state = states.get(one);
    // Set before it starts, so that other children with the same dependency wait for it too.
    if (state === undefined) states.set(one, (state = bring(context as unknown as AnyDependentContext, one, stateOf)));
    return state;
  };
  const waiting: string[] = [];
  for (const one of dependents as unknown as readonly Dependent<Kind, Kind>[]) void stateOf(one).catch(() => undefined);
  for (const one of dependents as unknown as readonly Dependent<Kind, Kind>[]) {
    const state = await stateOf(one);
    const isDone = state.is === "unwanted" || (state.is === "made" && state.ready);
    if (!isDone) waiting.push(`${one.kind.kind} ${nameOf(one, context.object as StoredObject)}`);
  }
  return { isReady: waiting.length === 0, waiting };
}

/** The parts of a context that are used here, for any kind. */
interface AnyDependentContext {
  readonly object: StoredObject;
  readonly get: (kind: Kind, name: string) => StoredObject | undefined;
  readonly keep: (kind: Kind, name: string) => void;
  readonly apply: (kind: Kind, name: string, desired: unknown, how: ApplyChild) => Promise<StoredObject>;
}

async function bring(
  context: AnyDependentContext,
  one: Dependent<Kind, Kind>,
  stateOf: (one: Dependent<Kind, Kind>) => Promise<State>,
): Promise<State> {
  const { when, after = [], desired, ready = isReady, adopt = false } = one.options;
  if (when?.(context.object as never) === false) return { is: "unwanted" };
  const name = nameOf(one, context.object);
  const before = new Map<unknown, State>();
  for (const other of after) before.set(other, await stateOf(other));
  const isMissing = context.get(one.kind, name) === undefined;
  const areReady = [...before.values()].every(
    (state) => state.is === "unwanted" || (state.is === "made" && state.ready),
  );
  const areMade = [...before.values()].every((state) => state.is !== "waiting");
  if (!areMade || (isMissing && !areReady)) return isMissing ? { is: "waiting" } : keep(context, one);
  const of = (other: unknown): StoredObject | undefined => {
    const state = before.get(other);
    return state?.is === "made" ? state.child : undefined;
  };
  const child = await context.apply(one.kind, name, desired({ object: context.object, of } as never), { adopt });
  return { is: "made", child, ready: ready(child as never) };
}

/** A dependency does not exist yet, so the desired state of this child cannot be computed: it stays as it is. */
function keep(context: AnyDependentContext, one: Dependent<Kind, Kind>): State {
  context.keep(one.kind, nameOf(one, context.object));
  return { is: "waiting" };
}

function nameOf({ options }: Dependent<Kind, Kind>, object: StoredObject): string {
  return options.name?.(object as never) ?? object.metadata.name;
}
