/**
 * A second API server on the same store: it follows the first, returns what it knows however old that is, and forwards writes. While it
 * is held it learns nothing; its responses are then older than those of the first.
 */
import type { ObjectKey, StoredObject } from "@capstan/model";
import { formatKey } from "@capstan/model";
import { isLater, keyText, kindId } from "../../src/api.ts";
import type { AnyKind, Api, ListPage, ListRequest, Scope, WatchEvent, WatchRequest } from "../../src/api.ts";
import { bookmark, clone, failure, isInitialEnd, ModelWatch } from "../model-api.ts";

/** The stale server. */
export class BehindApi implements Api, AsyncDisposable {
  readonly #first: Api;
  readonly #followed = new Map<string, Followed>();
  readonly #stop = new AbortController();
  #isHeld = false;
  readonly create: Api["create"];
  readonly apply: Api["apply"];
  readonly patch: Api["patch"];
  readonly delete: Api["delete"];

  constructor(first: Api) {
    this.#first = first;
    this.create = (kind, object, options) => first.create(kind, object, options);
    this.apply = (kind, object, options) => first.apply(kind, object, options);
    this.patch = (kind, key, body, options) => first.patch(kind, key, body, options);
    this.delete = (kind, key, options) => first.delete(kind, key, options);
  }

  /** From now on it learns nothing. */
  hold(): void {
    this.#isHeld = true;
  }

  /** It learns the missed events. */
  release(): void {
    this.#isHeld = false;
    for (const followed of this.#followed.values()) followed.learn();
  }

  /** Ends every watch, like a server that restarts. */
  closeWatches(error?: Error): void {
    for (const followed of this.#followed.values()) followed.endWatches(error);
  }

  async get(kind: AnyKind, key: ObjectKey): Promise<StoredObject> {
    const followed = await this.#follow(kind, key.namespace === "" ? {} : { namespace: key.namespace });
    const object = followed.objects.get(formatKey(key));
    if (object === undefined) throw failure("NotFound", `${kind.kind} ${formatKey(key)} not found`, 404);
    return clone(object);
  }

  async list(kind: AnyKind, request: ListRequest): Promise<ListPage> {
    const { objects, version } = await this.#follow(kind, scopeOf(request));
    return { items: clone([...objects.values()]), resourceVersion: version };
  }

  async *watch(kind: AnyKind, request: WatchRequest): AsyncGenerator<WatchEvent> {
    const followed = await this.#follow(kind, scopeOf(request));
    request.signal?.throwIfAborted();
    yield* followed.watch(kindId(kind), request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#followed.values()].map(({ ended }) => ended));
  }

  async #follow(kind: AnyKind, scope: Scope): Promise<Followed> {
    const id = `${kindId(kind)} ${JSON.stringify(scope)}`;
    let followed = this.#followed.get(id);
    if (followed === undefined) {
      const watch = (request: WatchRequest): AsyncIterable<WatchEvent> =>
        this.#first.watch(kind, { ...scope, ...request, signal: this.#stop.signal });
      followed = new Followed(watch, { signal: this.#stop.signal, isHeld: () => this.#isHeld });
      this.#followed.set(id, followed);
    }
    await followed.ready;
    return followed;
  }
}

function scopeOf({ namespace, labelSelector, fieldSelector, metadataOnly }: Scope): Scope {
  return { namespace, labelSelector, fieldSelector, metadataOnly };
}

interface Following {
  readonly signal: AbortSignal;
  readonly isHeld: () => boolean;
}

/** The objects that the stale server knows of one kind in one scope. */
class Followed {
  readonly #watch: (request: WatchRequest) => AsyncIterable<WatchEvent>;
  readonly #following: Following;
  readonly #ready = Promise.withResolvers<void>();
  /** Received events that it does not apply yet. */
  readonly #unlearned: WatchEvent[] = [];
  /** Applied events, for watches from an earlier version. */
  #log: WatchEvent[] = [];
  #since = "";
  readonly #watches = new Set<ModelWatch>();
  readonly ended: Promise<void>;
  objects = new Map<string, StoredObject>();
  version = "";

  constructor(watch: (request: WatchRequest) => AsyncIterable<WatchEvent>, following: Following) {
    this.#watch = watch;
    this.#following = following;
    this.ended = this.#run();
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  learn(): void {
    for (const event of this.#unlearned.splice(0)) this.#take(event);
  }

  endWatches(error?: Error): void {
    for (const watch of this.#watches) watch.end(error);
  }

  watch(kind: string, request: WatchRequest): AsyncIterable<WatchEvent> {
    const from = request.resourceVersion;
    const watch = new ModelWatch(kind, request, () => this.#watches.delete(watch));
    if (request.initialEvents === true) {
      for (const object of this.objects.values()) watch.offer({ type: "ADDED", object });
      watch.push(bookmark(this.version, true));
    } else {
      if (from !== undefined && isLater(this.#since, from)) throw failure("Expired", "too old resource version", 410);
      for (const event of this.#log) watch.offer(event);
    }
    this.#watches.add(watch);
    return watch;
  }

  /** Follows the first server until the end, as the watch cache of an API server follows etcd. */
  async #run(): Promise<void> {
    let told = "";
    while (!this.#following.signal.aborted) {
      try {
        told = await (told === "" ? this.#begin() : this.#goOn(told));
      } catch {
        told = "";
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    }
  }

  /** Lists everything again: watches from earlier versions must restart. */
  async #begin(): Promise<string> {
    const fresh = new Map<string, StoredObject>();
    let told = "";
    for await (const event of this.#watch({ initialEvents: true })) {
      if (told !== "") told = this.#tell(event);
      else if (event.type === "DELETED") fresh.delete(keyText(event.object));
      else if (event.type !== "BOOKMARK") fresh.set(keyText(event.object), event.object);
      else if (isInitialEnd(event)) {
        told = event.object.metadata.resourceVersion;
        this.#reset(fresh, told);
      }
    }
    return told;
  }

  #reset(objects: Map<string, StoredObject>, version: string): void {
    this.#unlearned.length = 0;
    this.#log = [];
    this.#since = version;
    this.version = version;
    this.objects = objects;
    this.endWatches();
    this.#ready.resolve();
  }

  async #goOn(from: string): Promise<string> {
    let told = from;
    for await (const event of this.#watch({ resourceVersion: from })) told = this.#tell(event);
    return told;
  }

  #tell(event: WatchEvent): string {
    this.#unlearned.push(event);
    if (!this.#following.isHeld()) this.learn();
    return event.object.metadata.resourceVersion;
  }

  #take(event: WatchEvent): void {
    const { type, object } = event;
    this.version = object.metadata.resourceVersion;
    if (type === "BOOKMARK") {
      for (const watch of this.#watches) watch.push(event);
      return;
    }
    if (type === "DELETED") this.objects.delete(keyText(object));
    else this.objects.set(keyText(object), object);
    this.#log.push(event);
    for (const watch of this.#watches) watch.offer(event);
  }
}
