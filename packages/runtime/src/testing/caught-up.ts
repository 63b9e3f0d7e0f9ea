/**
 * An API that knows when nothing is in flight: every call has its response, and every watch has delivered every write that was made
 * through the API.
 */
import type { StoredObject } from "@capstan/model";
import { isLater, keyText, kindId } from "../api.ts";
import type { AnyKind, Api, Scope, WatchEvent, WatchRequest } from "../api.ts";
import { sleep, systemClock } from "../clock.ts";
import { RuntimeError } from "../errors.ts";

/** The events that one open watch has delivered. */
interface Told {
  readonly kind: string;
  /** Whether it delivers writes of a key: those of one namespace, or all. */
  readonly concerns: (key: string) => boolean;
  /** Earlier versions are not delivered again: an object that was deleted before is not among the initial events. */
  since: string;
  /** Whether the initial events are complete. */
  isComplete: boolean;
  readonly versions: Map<string, string>;
}

/** The timeout for a real server, and the polling interval, in milliseconds. */
const PATIENCE = 60_000;
const LOOK = 5;

/** Wraps an API, such as that of a real cluster. */
export class CaughtUpApi implements Api {
  readonly #api: Api;
  readonly #watches = new Set<Told>();
  /** The version that each key had after its last write, by kind. */
  readonly #written = new Map<string, Map<string, string>>();
  #calls = 0;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Waits, in real time, until nothing is in flight. */
  async caughtUp(): Promise<void> {
    const end = systemClock.now() + PATIENCE;
    while (this.isBusy) {
      if (systemClock.now() > end)
        throw new RuntimeError("TimedOut", "The cluster did not tell in a minute what was written to it.");
      await sleep(systemClock, LOOK);
    }
  }

  get isBusy(): boolean {
    if (this.#calls > 0) return true;
    for (const told of this.#watches) if (!this.#isCurrent(told)) return true;
    return false;
  }

  #isCurrent({ kind, concerns, since, isComplete, versions }: Told): boolean {
    if (!isComplete) return false;
    for (const [key, version] of this.#written.get(kind) ?? []) {
      const isTold = !isLater(version, since) || !isLater(version, versions.get(key) ?? since);
      if (concerns(key) && !isTold) return false;
    }
    return true;
  }

  get: Api["get"] = (kind, key, signal) => this.#call(() => this.#api.get(kind, key, signal));
  list: Api["list"] = (kind, request) => this.#call(() => this.#api.list(kind, request));
  create: Api["create"] = (kind, object, options) =>
    this.#write(kind, options.dryRun, () => this.#api.create(kind, object, options));
  apply: Api["apply"] = (kind, object, options) =>
    this.#write(kind, options.dryRun, () => this.#api.apply(kind, object, options));
  patch: Api["patch"] = (kind, key, body, options) =>
    this.#write(kind, options.dryRun, () => this.#api.patch(kind, key, body, options));

  delete: Api["delete"] = async (kind, key, options) => {
    const left = await this.#call(() => this.#api.delete(kind, key, options));
    this.#written.get(kindId(kind))?.delete(keyText({ metadata: key }));
    return left;
  };

  async *watch(kind: AnyKind, request: WatchRequest): AsyncGenerator<WatchEvent> {
    const told: Told = {
      kind: kindId(kind),
      concerns: concerned(request),
      since: request.resourceVersion ?? "",
      isComplete: request.initialEvents !== true,
      versions: new Map(),
    };
    this.#watches.add(told);
    try {
      for await (const event of this.#api.watch(kind, request)) {
        this.#hear(told, event);
        yield event;
      }
    } finally {
      this.#watches.delete(told);
    }
  }

  #hear(told: Told, { type, object }: WatchEvent): void {
    if (type === "BOOKMARK") {
      told.isComplete = true;
      told.since = object.metadata.resourceVersion;
    } else told.versions.set(keyText(object), object.metadata.resourceVersion);
    if (type === "DELETED") this.#written.get(told.kind)?.delete(keyText(object));
  }

  async #write(kind: AnyKind, dryRun: boolean | undefined, write: () => Promise<StoredObject>): Promise<StoredObject> {
    const stored = await this.#call(write);
    if (dryRun === true) return stored;
    const written = this.#written.get(kindId(kind)) ?? new Map<string, string>();
    this.#written.set(kindId(kind), written.set(keyText(stored), stored.metadata.resourceVersion));
    return stored;
  }

  async #call<T>(make: () => Promise<T>): Promise<T> {
    this.#calls++;
    try {
      return await make();
    } finally {
      this.#calls--;
    }
  }
}

/** Objects that a selector excludes are never delivered, so a watch with a selector must not be waited for. */
function concerned({ namespace, labelSelector, fieldSelector }: Scope): (key: string) => boolean {
  if (labelSelector !== undefined || fieldSelector !== undefined) return () => false;
  return namespace === undefined ? () => true : (key) => key.startsWith(`${namespace}/`);
}
