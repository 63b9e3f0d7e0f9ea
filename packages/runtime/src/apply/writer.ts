/** The only way to the server's write calls: fenced by leadership, counted, seen by the cache at once, and dry when a plan is made. */
import { isApiError } from "@capstan/client";
import { apiVersionOf, formatKey, parseKey } from "@capstan/model";
import type { KubeObject, ObjectKey, StoredObject } from "@capstan/model";
import { keyText, kindId } from "../api.ts";
import type { AnyKind, Api, Expected, Sending } from "../api.ts";
import type { Caches } from "../cache/caches.ts";
import { managersWithout } from "./siblings.ts";
import type { Sibling } from "./siblings.ts";

/** Says whether this process may write. */
export interface Fence {
  /** Throws when it may not. */
  check(): void;
}

/** A write that was made, or in a plan would have been. */
export interface Write {
  readonly verb: "create" | "apply" | "patch" | "status" | "delete";
  readonly kind: AnyKind;
  readonly key: string;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
}

/** What a writer is made with. */
export interface WriterOptions {
  readonly api: Api;
  readonly caches: Caches;
  readonly fence: Fence;
  /** The field owner of everything that is written. */
  readonly manager: string;
  /** Field owners that it had under earlier names. */
  readonly formerManagers?: readonly string[] | undefined;
  /** Other controllers of the same objects. */
  readonly siblings?: readonly Sibling[] | undefined;
  /** A plan sends every write as a dry run. */
  readonly dryRun: boolean;
  readonly onWrite?: ((write: Write) => void) | undefined;
  /** Ends requests that are under way: what was allowed when it was sent may not be when it is repeated. */
  readonly signal?: (() => AbortSignal) | undefined;
}

const NOBODY: readonly string[] = [];

/** Writes for one controller. */
export class Writer {
  readonly #options: WriterOptions;
  /** A request may wait before it is sent, and before it is sent again: for a connection, for a login, because the server is busy. */
  readonly #beforeSending = (): void => this.#options.fence.check();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get manager(): string {
    return this.#options.manager;
  }

  /** Whether a field owner is this writer, now or under an earlier name. */
  isOurs(manager: string | undefined): boolean {
    return manager === this.manager || (manager !== undefined && this.formerManagers.includes(manager));
  }

  /** Whether an object was applied by this writer, or by those whose children of the kind are its own now. */
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
    return siblings.length === 0 ? NOBODY : managersWithout(kind, siblings);
  }

  /** The field owners whose place this writer has taken, and that still have fields of an object. */
  formerManagersOf(kind: AnyKind, { metadata }: StoredObject): readonly string[] {
    const inherited = this.#inherited(kind);
    const former = inherited.length === 0 ? this.formerManagers : [...this.formerManagers, ...inherited];
    if (former.length === 0) return former;
    return former.filter((name) =>
      metadata.managedFields?.some(({ manager, operation }) => manager === name && operation === "Apply"),
    );
  }

  /** The field owners that it had under earlier names. */
  get formerManagers(): readonly string[] {
    return this.#options.formerManagers ?? [];
  }

  /** Throws where this process may not write any more, nor do what it would write down. */
  mustLead(): void {
    this.#options.fence.check();
  }

  get isDry(): boolean {
    return this.#options.dryRun;
  }

  /** The same writer for one reconcile: it tells one more listener what it writes, and ends with the signal that holds when it writes. */
  during(signal: () => AbortSignal, onWrite: (write: Write) => void): Writer {
    const { onWrite: outer } = this.#options;
    const both = (write: Write): void => {
      onWrite(write);
      outer?.(write);
    };
    return new Writer({ ...this.#options, onWrite: both, signal });
  }

  /** An object as the cache shows it now, with what was written last. */
  known(kind: AnyKind, object: StoredObject): StoredObject | undefined {
    return this.#options.caches.peek(kind)?.get(keyText(object));
  }

  /** Applies an object over what is expected to be there; over anything where nothing is said. */
  apply(kind: AnyKind, object: KubeObject, over?: Expected): Promise<StoredObject> {
    const { api, manager } = this.#options;
    return this.#write("apply", kind, keyText(object), (sending) =>
      api.apply(kind, object, { manager, force: true, over, ...sending }),
    );
  }

  /**
   * What an apply and the release of an earlier name would make of an object together, for plans, of which nothing is kept between two
   * requests: the same as if that name had applied it.
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

  /** Gives up what an earlier name of ours applied: fields that nobody else has applied since are removed. */
  release(kind: AnyKind, object: StoredObject, manager: string): Promise<StoredObject> {
    const { api } = this.#options;
    const { namespace, name, uid } = object.metadata;
    const metadata = namespace === undefined ? { name } : { namespace, name };
    const nothing = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
    return this.#write("apply", kind, keyText(object), (sending) =>
      api.apply(kind, nothing, { manager, force: true, over: { uid }, ...sending }),
    );
  }

  /** An object as the server has it now; undefined where there is none. */
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
    const view = dryRun ? undefined : caches.peek(kind);
    if (leaving === undefined) view?.bury(object);
    else view?.overlay(leaving);
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
    const view = caches.peek(kind);
    const before = onWrite === undefined ? undefined : view?.get(key);
    const after = await call(sending);
    if (!dryRun) view?.overlay(after);
    // A name that the server made up is known only now.
    onWrite?.({ verb, kind, key: keyText(after), before, after });
    return after;
  }

  /** Throws where nothing may be written now, and sees to it that nothing is sent later on, when that may be so. */
  #sending(): Sending {
    const { dryRun, signal } = this.#options;
    const current = signal?.();
    this.#beforeSending();
    current?.throwIfAborted();
    return { dryRun, signal: current, beforeSending: this.#beforeSending };
  }
}

/** A child's name in maps. */
export function childId(kind: AnyKind, key: string): string {
  return `${kindId(kind)} ${key}`;
}
