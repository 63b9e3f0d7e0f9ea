/** The only path to the server's write calls: fenced by leadership, counted, visible in the cache at once, and a dry run in plans. */
import { isApiError } from "@capstan/client";
import { apiVersionOf, formatKey, parseKey } from "@capstan/model";
import type { KubeObject, ObjectKey, StoredObject } from "@capstan/model";
import { keyText, kindId } from "../api.ts";
import type { AnyKind, Api, Expected, Sending } from "../api.ts";
import type { Caches } from "../cache/caches.ts";
import { managersWithout } from "./siblings.ts";
import type { Sibling } from "./siblings.ts";

/** Checks whether this process may write. */
export interface Fence {
  /** Throws when it may not. */
  check(): void;
}

/** A write that was made, or would have been made in a plan. */
export interface Write {
  readonly verb: "create" | "apply" | "patch" | "status" | "delete";
  readonly kind: AnyKind;
  readonly key: string;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
}

export interface WriterOptions {
  readonly api: Api;
  readonly caches: Caches;
  readonly fence: Fence;
  /** The field manager of all writes. */
  readonly manager: string;
  /** Its field managers under previous names. */
  readonly formerManagers?: readonly string[] | undefined;
  /** Other controllers of the same objects. */
  readonly siblings?: readonly Sibling[] | undefined;
  /** A plan sends every write as a dry run. */
  readonly dryRun: boolean;
  readonly onWrite?: ((write: Write) => void) | undefined;
  /** Aborts requests that are under way: a write that was allowed when it was sent may not be allowed when it is retried. */
  readonly signal?: (() => AbortSignal) | undefined;
}

const noManagers: readonly string[] = [];

/** Writes for one controller. */
export class Writer {
  readonly #options: WriterOptions;
  /** A request may wait before each attempt: for a connection, for a login, because the server is busy. */
  readonly #beforeSending = (): void => this.#options.fence.check();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get manager(): string {
    return this.#options.manager;
  }

  /** Whether a field manager is this writer, under its current or a previous name. */
  isOurs(manager: string | undefined): boolean {
    return manager === this.manager || (manager !== undefined && this.formerManagers.includes(manager));
  }

  /** Whether an object was applied by this writer, or by a sibling from which this writer has taken the kind over. */
  wasApplied(kind: AnyKind, { metadata }: StoredObject): boolean {
    const inherited = this.#inherited(kind);
    return (
      metadata.managedFields?.some(({ manager = "" }) => this.isOurs(manager) || inherited.includes(manager)) === true
    );
  }

  /** Whether an object was applied by another controller of the same objects, and not by this writer. */
  isOfSibling(kind: AnyKind, object: StoredObject): boolean {
    const { siblings = [] } = this.#options;
    if (siblings.length === 0 || this.wasApplied(kind, object)) return false;
    const managers = new Set(siblings.flatMap((sibling) => sibling.managers));
    return object.metadata.managedFields?.some(({ manager = "" }) => managers.has(manager)) === true;
  }

  #inherited(kind: AnyKind): readonly string[] {
    const { siblings = [] } = this.#options;
    return siblings.length === 0 ? noManagers : managersWithout(kind, siblings);
  }

  /** The field managers that this writer has replaced and that still own fields of an object. */
  formerManagersOf(kind: AnyKind, { metadata }: StoredObject): readonly string[] {
    const inherited = this.#inherited(kind);
    const former = inherited.length === 0 ? this.formerManagers : [...this.formerManagers, ...inherited];
    if (former.length === 0) return former;
    return former.filter((name) =>
      metadata.managedFields?.some(({ manager, operation }) => manager === name && operation === "Apply"),
    );
  }

  get formerManagers(): readonly string[] {
    return this.#options.formerManagers ?? [];
  }

  /** Throws if this process may no longer write, or do anything that it would record. */
  mustLead(): void {
    this.#options.fence.check();
  }

  get isDry(): boolean {
    return this.#options.dryRun;
  }

  /** The same writer for one reconcile: it notifies one more listener of its writes, and uses the signal of the reconcile. */
  during(signal: () => AbortSignal, onWrite: (write: Write) => void): Writer {
    const { onWrite: outer } = this.#options;
    const both = (write: Write): void => {
      onWrite(write);
      outer?.(write);
    };
    return new Writer({ ...this.#options, onWrite: both, signal });
  }

  /** The object as the cache shows it now, including our last write. */
  known(kind: AnyKind, object: StoredObject): StoredObject | undefined {
    return this.#options.caches.peek(kind)?.get(keyText(object));
  }

  /** Applies an object with a precondition; without `over`, unconditionally. */
  apply(kind: AnyKind, object: KubeObject, over?: Expected): Promise<StoredObject> {
    const { api, manager } = this.#options;
    return this.#write("apply", kind, keyText(object), (sending) =>
      api.apply(kind, object, { manager, force: true, over, ...sending }),
    );
  }

  /**
   * The combined result of an apply and the release of a previous manager, for plans. A dry run keeps nothing between two requests, so
   * the plan applies as the previous manager.
   */
  preview(
    kind: AnyKind,
    object: KubeObject,
    { as, over }: { as: string; over?: Expected | undefined },
  ): Promise<StoredObject> {
    const { api } = this.#options;
    return this.#write("apply", kind, keyText(object), (sending) =>
      api.apply(kind, object, { manager: as, force: true, over, ...sending, dryRun: true }),
    );
  }

  /** Releases the fields of a previous manager: fields that no other manager has applied since are removed. */
  release(kind: AnyKind, object: StoredObject, manager: string): Promise<StoredObject> {
    const { api } = this.#options;
    const { namespace, name, uid } = object.metadata;
    const metadata = namespace === undefined ? { name } : { namespace, name };
    const nothing = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
    return this.#write("apply", kind, keyText(object), (sending) =>
      api.apply(kind, nothing, { manager, force: true, over: { uid }, ...sending }),
    );
  }

  /** The current object on the server; undefined if it does not exist. */
  async ask(kind: AnyKind, key: string): Promise<StoredObject | undefined> {
    const { api, signal } = this.#options;
    try {
      return await api.get(kind, parseKey(key), signal?.());
    } catch (error) {
      if (isApiError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  create(kind: AnyKind, object: KubeObject): Promise<StoredObject> {
    const { api, manager } = this.#options;
    return this.#write("create", kind, keyText(object), (sending) => api.create(kind, object, { manager, ...sending }));
  }

  /** A merge patch of the object or of its status. */
  patch(
    kind: AnyKind,
    key: ObjectKey,
    { body, part }: { body: unknown; part: "object" | "status" },
  ): Promise<StoredObject> {
    const { api, manager } = this.#options;
    const subresource = part === "status" ? "status" : undefined;
    return this.#write(part === "status" ? "status" : "patch", kind, formatKey(key), (sending) =>
      api.patch(kind, key, body, { type: "merge", manager, subresource, ...sending }),
    );
  }

  async delete(kind: AnyKind, object: StoredObject, gracePeriodSeconds?: number): Promise<void> {
    const { api, caches, dryRun, onWrite } = this.#options;
    const { namespace = "", name, uid } = object.metadata;
    const leaving = await api.delete(kind, { namespace, name }, { uid, gracePeriodSeconds, ...this.#sending() });
    const informer = dryRun ? undefined : caches.peek(kind);
    if (leaving === undefined) informer?.hide(object);
    else informer?.overlay(leaving);
    onWrite?.({ verb: "delete", kind, key: keyText(object), before: object, after: undefined });
  }

  async #write(
    verb: Write["verb"],
    kind: AnyKind,
    key: string,
    call: (sending: Sending) => Promise<StoredObject>,
  ): Promise<StoredObject> {
    const { caches, dryRun, onWrite } = this.#options;
    const sending = this.#sending();
    const informer = caches.peek(kind);
    const before = onWrite === undefined ? undefined : informer?.get(key);
    const after = await call(sending);
    if (!dryRun) informer?.overlay(after);
    // A name from `generateName` is known only now.
    onWrite?.({ verb, kind, key: keyText(after), before, after });
    return after;
  }

  /** Throws if writes are not allowed now, and makes later attempts check again. */
  #sending(): Sending {
    const { dryRun, signal } = this.#options;
    const current = signal?.();
    this.#beforeSending();
    current?.throwIfAborted();
    return { dryRun, signal: current, beforeSending: this.#beforeSending };
  }
}

/** The key of a child in maps. */
export function childId(kind: AnyKind, key: string): string {
  return `${kindId(kind)} ${key}`;
}
