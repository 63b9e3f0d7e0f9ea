/** Brings the children of one object to their desired state during one reconcile, and removes those that are no longer desired. */
import { isApiError } from "@capstan/client";
import { apiVersionOf } from "@capstan/model";
import type { KubeObject, ObjectMeta, StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { AnyKind, Expected } from "../api.ts";
import type { Caches } from "../cache/caches.ts";
import { namespaceExclusion, exclusionOf } from "../cache/exclusion.ts";
import { RuntimeError } from "../errors.ts";
import { failureOf } from "../failure.ts";
import { OWNER_LABEL } from "../cache/owner-label.ts";
import { traceAnnotation, withTrace } from "../trigger/trace.ts";
import type { Breaker } from "./breaker.ts";
import type { ChildName, Desired } from "./desired.ts";
import { mustBeJson } from "./json-only.ts";
import { firstDifference, learnSpellings } from "./matches.ts";
import type { Difference, Spellings } from "./matches.ts";
import { canReference, markOwned } from "./owner.ts";
import type { Owner, OwnerUid } from "./owner.ts";
import { Removal } from "./removal.ts";
import { asStored } from "./secret.ts";
import { mustBeOurs } from "./adoption.ts";
import type { UncachedChild, UncachedChildren } from "./uncached.ts";
import { childId } from "./writer.ts";
import type { Writer } from "./writer.ts";

/**
 * `owned`: the child is deleted with its owner. `adopted`: the same, also for an object that exists already. `free`: applied without an
 * owner mark.
 */
export type Ownership = "owned" | "adopted" | "free";

export interface ChildrenOptions {
  readonly owner: Owner;
  readonly caches: Caches;
  readonly writer: Writer;
  readonly breaker: Breaker;
  /** Called before a child is written; throws if the write has to wait. */
  readonly beforeChange: (kind: AnyKind, key: string) => void;
  readonly learned: Learned;
  readonly uncached: UncachedChildren;
  /** The trace annotation for written children, for the controllers that they trigger. */
  readonly trace: string | undefined;
  /** Called before the first write of a child that the garbage collector would not delete with its owner. */
  readonly beforeUnreferenced: () => Promise<void>;
  /** Whether nothing but earlier writes of this operator led to the reconcile. */
  readonly isSelfInflicted: boolean;
  /** Called with a warning about needless writes. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** Transforms for which the warning about hidden fields was logged. */
const warnedTransforms = new WeakSet<object>();

/** The server's spelling of values of children, where it differs from the value that was sent. */
export type Learned = Map<string, Spellings>;

/** A desired child. */
interface DesiredChild {
  readonly kind: AnyKind;
  readonly object: KubeObject;
  readonly key: string;
  readonly ownership: Ownership;
}

/** A child that does not exist differs as a whole. */
const WHOLE: Difference = { path: "" };

/** The children of one object, for one reconcile. */
export class Children {
  readonly #options: ChildrenOptions;
  readonly #applied = new Set<string>();
  /** The same object may be applied by several kinds: in another version, or in another group. */
  readonly #appliedUids = new Set<string>();

  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** Applies one child; writes nothing when nothing would change. */
  async apply(kind: AnyKind, name: string, desired: Desired, ownership: Ownership): Promise<StoredObject> {
    const { caches, writer } = this.#options;
    const object = await this.#complete(kind, name, desired, ownership);
    const key = keyText(object);
    const wanted = { kind, object, key, ownership };
    this.#applied.add(childId(kind, key));
    mustBeCached(kind, key, namespaceExclusion(caches.of(kind).settings, object.metadata.namespace));
    const applied = await this.#bringTo(wanted, caches.of(kind).get(key)).catch(async (error: unknown) => {
      // The live object differs from the cache. Only now is a GET worth its cost.
      if (ownership === "free" || failureOf(error) !== "conflict") throw error;
      return await this.#bringTo(wanted, await writer.ask(kind, key));
    });
    this.#appliedUids.add(applied.metadata.uid);
    mustBeCached(kind, key, exclusionOf(caches.of(kind).settings, applied));
    return applied;
  }

  /** Brings a child from its known state to the desired one. The precondition makes the server reject a write over any other object. */
  async #bringTo(
    { kind, object, key, ownership }: DesiredChild,
    live: StoredObject | undefined,
  ): Promise<StoredObject> {
    const { writer, breaker, owner, trace, isSelfInflicted, beforeChange } = this.#options;
    const difference = live === undefined ? WHOLE : this.#difference(kind, object, live);
    const previous = live === undefined ? [] : writer.formerManagersOf(kind, live);
    if (live !== undefined) {
      if (difference === undefined && previous.length === 0) return live;
      const uidAt = (at: string): Promise<OwnerUid> => this.#uidAt(at);
      if (ownership !== "free") await mustBeOurs({ kind, live, owner, uidAt, writer, adopt: ownership === "adopted" });
    }
    mustBeJson(object, () => `${kind.kind} ${key}`);
    await breaker.check({ kind, key, field: difference?.path ?? "", desired: JSON.stringify(object), isSelfInflicted });
    beforeChange(kind, key);
    const over = ownership === "free" ? undefined : expectedAt(live);
    const [as] = previous;
    if (writer.isDry && as !== undefined) return await writer.preview(kind, object, { as, over });
    let result = await writer.apply(kind, withTrace(object, trace), over);
    // Only after the fields are owned by the new manager: fields that only the old manager still owns are no longer desired.
    for (const manager of previous) result = await writer.release(kind, result, manager);
    this.#learn(kind, object, result);
    this.#warnOfHiddenFields({ kind, object, key, ownership }, result);
    return result;
  }

  /** Another owner. The cache may be stale, or not cover its namespace: only the server can confirm that it is gone. */
  async #uidAt(key: string): Promise<OwnerUid> {
    const { caches, owner, writer } = this.#options;
    try {
      const found = caches.of(owner.kind).get(key) ?? (await writer.ask(owner.kind, key));
      return found?.metadata ?? "gone";
    } catch (error) {
      if (isApiError(error, "Forbidden")) return "hidden";
      throw error;
    }
  }

  /** Fields that a transform removes are written again in every reconcile. Warn once. */
  #warnOfHiddenFields({ kind, object, key }: DesiredChild, written: StoredObject): void {
    const { caches, writer, warn } = this.#options;
    const informer = caches.of(kind);
    const { transform } = informer.settings;
    if (transform === undefined || warn === undefined || writer.isDry || warnedTransforms.has(transform)) return;
    const shown = informer.get(key);
    if (shown?.metadata.resourceVersion !== written.metadata.resourceVersion) return;
    const hidden = this.#difference(kind, object, shown);
    if (hidden === undefined || this.#difference(kind, object, written) !== undefined) return;
    warnedTransforms.add(transform);
    warn(
      `${kind.kind} ${key} is written in every reconcile: the \`transform\` of its kind's cache changes ${hidden.path}, which is applied. Let it keep what is applied.`,
    );
  }

  /** Keeps a child as it is: it counts as applied. */
  keep(kind: AnyKind, key: string): void {
    this.#applied.add(childId(kind, key));
    const child = this.#options.caches.of(kind).get(key);
    if (child !== undefined) this.#appliedUids.add(child.metadata.uid);
  }

  #isApplied(kind: AnyKind, child: StoredObject): boolean {
    return this.#appliedUids.has(child.metadata.uid) || this.#applied.has(childId(kind, keyText(child)));
  }

  /** Creates one child and leaves it alone afterwards: it is never compared, repaired or pruned. */
  async create(kind: AnyKind, name: ChildName, desired: Desired): Promise<StoredObject> {
    const { writer, trace } = this.#options;
    const object = await this.#complete(kind, name, desired, "owned");
    mustBeJson(object, () => `${kind.kind} ${keyText(object)}`);
    return await writer.create(kind, withTrace(object, trace));
  }

  /** Removes children that an earlier reconcile applied and this one did not. */
  async prune(kinds: readonly AnyKind[]): Promise<readonly StoredObject[]> {
    const removal = new Removal((kind, child) => this.#remove(kind, child));
    for (const { kind, child } of this.unapplied(kinds)) await removal.of(kind, child);
    await this.#removeUncached(removal, ({ kind, child }) => !this.#isApplied(kind, child));
    removal.end();
    return removal.gone;
  }

  /** Children that an earlier reconcile applied and this one did not. */
  unapplied(kinds: readonly AnyKind[]): readonly UncachedChild[] {
    const found: UncachedChild[] = [];
    for (const kind of kinds) {
      for (const child of this.#present(kind)) {
        if (!this.#isApplied(kind, child)) found.push({ kind, child });
      }
    }
    return found;
  }

  /** Deletes every child that the garbage collector would leave behind; returns how many remain. */
  async removeUnreferenced(kinds: readonly AnyKind[]): Promise<number> {
    const { writer } = this.#options;
    const removal = new Removal((kind, child) => this.#remove(kind, child));
    for (const kind of kinds) {
      for (const child of this.#unreferenced(kind)) {
        // A child of another controller of the same object: it is deleted with the children of that controller, after its cleanup.
        if (!writer.isOfSibling(kind, child)) await removal.of(kind, child);
      }
    }
    await this.#removeUncached(removal, ({ child }) => child.metadata.labels?.[OWNER_LABEL] !== undefined);
    removal.end();
    return removal.gone.length;
  }

  async #removeUncached(removal: Removal, isUnwanted: (stray: UncachedChild) => boolean): Promise<void> {
    const { uncached, owner } = this.#options;
    const { uid } = owner.object.metadata;
    for (const one of uncached.of(uid).filter(isUnwanted)) {
      // The record may be as old as the start of the operator: an object without our label since then stays.
      const child = await uncached.read(uid, one);
      if (child === undefined || (await removal.of(one.kind, child))) uncached.forget(uid, one);
    }
  }

  async #complete(kind: AnyKind, name: ChildName, desired: Desired, ownership: Ownership): Promise<KubeObject> {
    const { owner } = this.#options;
    const namespaced = kind.scope === "Namespaced";
    const namespace = namespaced ? (desired.metadata?.namespace ?? owner.object.metadata.namespace ?? "") : "";
    const called = typeof name === "string" ? { name } : { generateName: name.prefix };
    const metadata = { ...desired.metadata, ...called, ...(namespaced ? { namespace } : {}) };
    const marked = ownership === "free" ? metadata : await this.#mark(metadata, { kind, namespace });
    return { ...asStored(kind, desired), apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: marked };
  }

  async #mark(metadata: ObjectMeta, child: { kind: AnyKind; namespace: string }): Promise<ObjectMeta> {
    const { owner, uncached, beforeUnreferenced } = this.#options;
    const byReference = canReference(owner, child);
    if (!byReference) {
      await uncached.beforeUnreachable(child.kind, child.namespace);
      await beforeUnreferenced();
    }
    return markOwned(metadata, owner, byReference);
  }

  /** The trace of an earlier write is not a difference: only other differences are worth a write. */
  #difference(kind: AnyKind, wanted: KubeObject, live: StoredObject): Difference | undefined {
    const { writer, learned } = this.#options;
    const desired = withTrace(wanted, live.metadata.annotations?.[traceAnnotation]);
    const spellings = learned.get(childId(kind, keyText(live)));
    return firstDifference({ desired, live, manager: writer.manager, spellings });
  }

  /** The response shows the server's spelling of the sent values; the next comparison treats both as equal. */
  #learn(kind: AnyKind, desired: KubeObject, answer: StoredObject): void {
    const { writer, learned } = this.#options;
    const id = childId(kind, keyText(desired));
    const spellings = learnSpellings({ desired, live: answer, manager: writer.manager });
    if (spellings === undefined || spellings.size === 0) learned.delete(id);
    else learned.set(id, spellings);
  }

  /** Only children that this controller applied are its to delete. */
  *#present(kind: AnyKind): Generator<StoredObject> {
    const { caches, owner, writer } = this.#options;
    const isOurs = (child: StoredObject): boolean =>
      child.metadata.deletionTimestamp === undefined && writer.wasApplied(kind, child);
    for (const child of caches.of(kind).find({ owner: owner.object.metadata.uid })) if (isOurs(child)) yield child;
    for (const child of this.#unreferenced(kind)) if (isOurs(child)) yield child;
  }

  #unreferenced(kind: AnyKind): readonly StoredObject[] {
    const { caches, owner } = this.#options;
    return caches.of(kind).find({ labels: { [OWNER_LABEL]: owner.object.metadata.uid } });
  }

  async #remove(kind: AnyKind, child: StoredObject): Promise<void> {
    const { writer, learned, breaker } = this.#options;
    learned.delete(childId(kind, keyText(child)));
    breaker.removed(kind, keyText(child));
    try {
      await writer.delete(kind, child);
    } catch (error) {
      // Already gone, or replaced by another object of the same name: either way the child does not exist.
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
  }
}

/** A child that the cache does not show gets no events when it changes, and is not found when it is no longer desired. */
function mustBeCached(kind: AnyKind, key: string, setting: string | undefined): void {
  if (setting === undefined) return;
  const what = `${kind.kind} ${key}`;
  throw new RuntimeError(
    "BadSetting",
    `Cannot look after ${what}: the cache of its kind does not show it (\`${setting}\`). ` +
      `Let the \`cache\` of ${kind.kind} include whole what is applied, or give the child what it asks for.`,
    { object: what },
  );
}

/** Only an object that was checked to be ours, or a name that was seen to be free, may be written over. */
function expectedAt(live: StoredObject | undefined): Expected {
  return live === undefined ? "nothing" : { uid: live.metadata.uid };
}
