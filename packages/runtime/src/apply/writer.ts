/** The only way to the server's write calls: fenced by leadership, counted, seen by the cache at once, and dry when a plan is made. */
import { isApiError } from "@capstan/client";
import { formatKey, parseKey } from "@capstan/model";
import type { KubeObject, ObjectKey, StoredObject } from "@capstan/model";
import { keyText, kindId } from "../api.ts";
import type { AnyKind, Api, Expected } from "../api.ts";
import type { Caches } from "../cache/caches.ts";

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
  /** A plan sends every write as a dry run. */
  readonly dryRun: boolean;
  readonly onWrite?: ((write: Write) => void) | undefined;
  /** Ends requests that are under way: what was allowed when it was sent may not be when it is repeated. */
  readonly signal?: (() => AbortSignal) | undefined;
}

/** Writes for one controller. */
export class Writer {
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get manager(): string {
    return this.#options.manager;
  }

  get isDry(): boolean {
    return this.#options.dryRun;
  }

  /** The same writer for one turn: it tells one more listener what it writes, and ends with the signal that holds when it writes. */
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
    const { api, manager, dryRun } = this.#options;
    return this.#write("apply", kind, keyText(object), (signal) =>
      api.apply(kind, object, { manager, force: true, over, dryRun, signal }),
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
    const { api, manager, dryRun } = this.#options;
    return this.#write("create", kind, keyText(object), (signal) =>
      api.create(kind, object, { manager, dryRun, signal }),
    );
  }

  /** A merge patch of the object or of its status. */
  patch(
    kind: AnyKind,
    key: ObjectKey,
    { body, part }: { body: unknown; part: "object" | "status" },
  ): Promise<StoredObject> {
    const { api, manager, dryRun } = this.#options;
    const subresource = part === "status" ? "status" : undefined;
    return this.#write(part === "status" ? "status" : "patch", kind, formatKey(key), (signal) =>
      api.patch(kind, key, body, { type: "merge", manager, subresource, dryRun, signal }),
    );
  }

  async delete(kind: AnyKind, object: StoredObject, gracePeriodSeconds?: number): Promise<void> {
    const { api, caches, fence, dryRun, onWrite } = this.#options;
    const signal = this.#options.signal?.();
    fence.check();
    signal?.throwIfAborted();
    const { namespace = "", name, uid } = object.metadata;
    const leaving = await api.delete(kind, { namespace, name }, { uid, gracePeriodSeconds, dryRun, signal });
    const view = dryRun ? undefined : caches.peek(kind);
    if (leaving === undefined) view?.bury(object);
    else view?.overlay(leaving);
    onWrite?.({ verb: "delete", kind, key: keyText(object), before: object, after: undefined });
  }

  async #write(
    verb: Write["verb"],
    kind: AnyKind,
    key: string,
    call: (signal: AbortSignal | undefined) => Promise<StoredObject>,
  ): Promise<StoredObject> {
    const { caches, fence, dryRun, onWrite } = this.#options;
    const signal = this.#options.signal?.();
    fence.check();
    signal?.throwIfAborted();
    const view = caches.peek(kind);
    const before = onWrite === undefined ? undefined : view?.get(key);
    const after = await call(signal);
    if (!dryRun) view?.overlay(after);
    // A name that the server made up is known only now.
    onWrite?.({ verb, kind, key: keyText(after), before, after });
    return after;
  }
}

/** A child's name in maps. */
export function childId(kind: AnyKind, key: string): string {
  return `${kindId(kind)} ${key}`;
}
