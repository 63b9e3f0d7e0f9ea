/** A small model of an API server for tests in virtual time: versions, watches, apply with managed fields, finalizers, garbage collection. */
import { ApiError } from "@capstan/client";
import type { Json, KubeObject, ManagedFieldsEntry, ObjectKey, StoredObject } from "@capstan/model";
import { formatKey } from "@capstan/model";
import { applyJsonPatch } from "@capstan/patch";
import { isLater, keyText, kindId } from "../src/api.ts";
import type {
  AnyKind,
  Api,
  ApplyOptions,
  DeleteOptions,
  ListPage,
  ListRequest,
  PatchOptions,
  WatchEvent,
  WatchRequest,
  WriteOptions,
} from "../src/api.ts";

interface Tree {
  [name: string]: unknown;
}

interface LogEntry {
  readonly version: number;
  readonly kind: string;
  readonly event: WatchEvent;
  /** The previous object, if there was one. */
  readonly before: StoredObject | undefined;
}

/** Writes that were accepted, for assertions. */
export interface ModelWrite {
  readonly verb: "create" | "apply" | "patch" | "status" | "delete";
  readonly kind: string;
  readonly key: string;
  readonly changed: boolean;
  readonly manager: string;
}

/** The model. */
export class ModelApi implements Api {
  readonly #objects = new Map<string, Map<string, StoredObject>>();
  readonly #log: LogEntry[] = [];
  readonly #watchers = new Set<ModelWatch>();
  readonly #wall: () => number;
  readonly writes: ModelWrite[] = [];
  /** Kinds that are not served. */
  readonly missing = new Set<string>();
  requests = 0;
  lists = 0;
  #version = 100;
  #uid = 0;
  #compacted = 0;
  streaming = true;
  /** The number of last changes that a streaming list delivers as changes, after older objects: they happened during the list. */
  changesAmidList: () => number = () => 0;

  constructor(wall: () => number = () => Date.UTC(2030, 0, 1)) {
    this.#wall = wall;
  }

  get version(): number {
    return this.#version;
  }

  peek(kind: AnyKind, key: string): StoredObject | undefined {
    return this.#of(kind).get(key);
  }

  all(kind: AnyKind): readonly StoredObject[] {
    return [...this.#of(kind).values()];
  }

  /** Compacts history: watches from earlier versions get 410. */
  compact(): void {
    this.#compacted = this.#version;
    this.#log.length = 0;
  }

  /** Ends every watch, like a server that restarts. */
  closeWatches(error?: Error): void {
    for (const watcher of this.#watchers) watcher.end(error);
  }

  /** Sends a bookmark on every watch. */
  bookmark(): void {
    for (const watcher of this.#watchers) watcher.push(bookmark(this.#version, false));
  }

  async get(kind: AnyKind, key: ObjectKey): Promise<StoredObject> {
    this.requests++;
    const object = this.#of(kind).get(formatKey(key));
    if (object === undefined) throw failure("NotFound", `${kind.kind} ${formatKey(key)} not found`, 404);
    if (kind.kind !== "CustomResourceDefinition") return clone(object);
    const status = { conditions: [{ type: "Established", status: "True" }] };
    return Object.assign(clone(object), { status });
  }

  async list(kind: AnyKind, request: ListRequest): Promise<ListPage> {
    this.requests++;
    this.lists++;
    this.#mustServe(kind);
    const all = this.all(kind).filter((object) => matches(object, request));
    const from = Number(request.continueAt ?? 0);
    const end = request.limit === undefined ? all.length : Math.min(all.length, from + request.limit);
    const items = clone(all.slice(from, end));
    const rest = end < all.length ? { continueAt: String(end), remaining: all.length - end } : {};
    return { items, resourceVersion: String(this.#version), ...rest };
  }

  watch(kind: AnyKind, request: WatchRequest): AsyncIterable<WatchEvent> {
    this.requests++;
    this.#mustServe(kind);
    const watcher = new ModelWatch(kindId(kind), request, () => this.#watchers.delete(watcher));
    if (request.initialEvents === true) {
      if (!this.streaming) throw failure("Invalid", "sendInitialEvents is forbidden", 422);
      this.lists++;
      for (const event of this.#initialEvents(kind)) watcher.offer(event);
      watcher.push(bookmark(this.#version, true));
    } else {
      const from = Number(request.resourceVersion);
      if (from < this.#compacted) throw failure("Expired", "too old resource version", 410);
      for (const entry of this.#log)
        if (entry.version > from && entry.kind === kindId(kind)) watcher.offer(entry.event);
    }
    this.#watchers.add(watcher);
    return watcher;
  }

  /** The state some changes ago, and these changes. */
  *#initialEvents(kind: AnyKind): Generator<WatchEvent> {
    const told = this.#log.filter((entry) => entry.kind === kindId(kind));
    const amid = told.slice(Math.max(0, told.length - this.changesAmidList()));
    const objects = new Map(this.#of(kind));
    for (const { event, before } of amid.toReversed()) {
      if (before === undefined) objects.delete(keyText(event.object));
      else objects.set(keyText(before), before);
    }
    for (const object of objects.values()) yield { type: "ADDED", object };
    for (const { event } of amid) yield event;
  }

  async create(kind: AnyKind, given: KubeObject, options: WriteOptions): Promise<StoredObject> {
    this.requests++;
    const sent = overTheWire(given);
    const { generateName, name = `${generateName}${++this.#uid}` } = sent.metadata;
    const object = { ...sent, metadata: { ...sent.metadata, name } };
    const key = keyText(object);
    if (this.#of(kind).has(key)) throw failure("AlreadyExists", `${kind.kind} ${key} exists`, 409);
    return this.#store(kind, undefined, object, { ...options, verb: "create" });
  }

  async apply(kind: AnyKind, given: KubeObject, options: ApplyOptions): Promise<StoredObject> {
    this.requests++;
    const object = overTheWire(given);
    const live = this.#of(kind).get(keyText(object));
    mustBeExpected(live, options.over);
    const next = applied(live, object, options.manager, new Date(this.#wall()).toISOString());
    return this.#store(kind, live, next, { ...options, verb: "apply" });
  }

  async patch(kind: AnyKind, key: ObjectKey, body: unknown, options: PatchOptions): Promise<StoredObject> {
    this.requests++;
    const live = this.#of(kind).get(formatKey(key));
    if (live === undefined) throw failure("NotFound", `${kind.kind} ${formatKey(key)} not found`, 404);
    if (options.type === "json") return this.#store(kind, live, jsonPatched(live, body), { ...options, verb: "patch" });
    const patch = overTheWire(body) as Tree;
    const metadata = patch["metadata"] as Tree | undefined;
    const guard = metadata?.["resourceVersion"];
    if (guard !== undefined && guard !== live.metadata.resourceVersion)
      throw failure("Conflict", "the object has been modified", 409);
    const isStatus = options.subresource === "status";
    // As in kube-apiserver: a patch of the status keeps the metadata of the stored object, whatever uid it names.
    if (!isStatus && (metadata?.["uid"] ?? live.metadata.uid) !== live.metadata.uid) throw anotherUid();
    const change = isStatus ? { status: patch["status"] } : { ...patch, status: undefined };
    const next = merge(clone(live) as unknown as Tree, change) as unknown as KubeObject;
    return this.#store(kind, live, next, { ...options, verb: isStatus ? "status" : "patch" });
  }

  async delete(kind: AnyKind, key: ObjectKey, options: DeleteOptions): Promise<StoredObject | undefined> {
    this.requests++;
    const text = formatKey(key);
    const live = this.#of(kind).get(text);
    if (live === undefined) throw failure("NotFound", `${kind.kind} ${text} not found`, 404);
    if (options.uid !== undefined && options.uid !== live.metadata.uid)
      throw failure("Conflict", "the uid does not match", 409);
    if (options.dryRun === true) return undefined;
    this.writes.push({ verb: "delete", kind: kind.kind, key: text, changed: true, manager: "" });
    if ((live.metadata.finalizers?.length ?? 0) === 0) {
      this.#erase(kind, live);
      return undefined;
    }
    if (live.metadata.deletionTimestamp !== undefined) return clone(live);
    const deletionTimestamp = new Date(this.#wall()).toISOString();
    return clone(this.#commit(kind, live, { ...live, metadata: { ...live.metadata, deletionTimestamp } }));
  }

  #store(
    kind: AnyKind,
    live: StoredObject | undefined,
    next: KubeObject,
    options: WriteOptions & { readonly verb: ModelWrite["verb"] },
  ): StoredObject {
    this.#mustServe(kind);
    const changed = live === undefined || !same(live, next);
    if (options.dryRun === true)
      return { ...next, metadata: { ...next.metadata, ...(live ?? this.#fresh(next)).metadata } } as StoredObject;
    this.writes.push({ verb: options.verb, kind: kind.kind, key: keyText(next), changed, manager: options.manager });
    if (!changed) return clone(live);
    const stored = this.#commit(kind, live, next);
    // The garbage collector deletes an object after all its owners are gone.
    const owners = stored.metadata.ownerReferences ?? [];
    if (owners.length > 0 && !owners.some(({ uid }) => this.#exists(uid))) this.#erase(kind, stored);
    if (stored.metadata.deletionTimestamp !== undefined && (stored.metadata.finalizers?.length ?? 0) === 0)
      this.#erase(kind, stored);
    return clone(stored);
  }

  #fresh(object: KubeObject): StoredObject {
    const uid = `uid-${++this.#uid}`;
    const creationTimestamp = new Date(this.#wall()).toISOString();
    return {
      ...object,
      metadata: {
        ...object.metadata,
        name: object.metadata.name ?? "",
        uid,
        creationTimestamp,
        resourceVersion: "0",
        generation: 1,
      },
    };
  }

  #commit(kind: AnyKind, live: StoredObject | undefined, next: KubeObject): StoredObject {
    const base = live === undefined ? this.#fresh(next) : (next as StoredObject);
    const specChanged =
      live !== undefined &&
      JSON.stringify((live as unknown as Tree)["spec"]) !== JSON.stringify((next as unknown as Tree)["spec"]);
    const generation = (live?.metadata.generation ?? 1) + (specChanged ? 1 : 0);
    const stored = { ...base, metadata: { ...base.metadata, generation, resourceVersion: String(++this.#version) } };
    this.#of(kind).set(keyText(stored), stored);
    this.#tell(kind, { type: live === undefined ? "ADDED" : "MODIFIED", object: stored }, live);
    return stored;
  }

  #erase(kind: AnyKind, live: StoredObject): void {
    const object = { ...live, metadata: { ...live.metadata, resourceVersion: String(++this.#version) } };
    this.#of(kind).delete(keyText(live));
    this.#tell(kind, { type: "DELETED", object }, live);
    this.#collect(live.metadata.uid);
  }

  #exists(uid: string): boolean {
    for (const objects of this.#objects.values()) {
      for (const object of objects.values()) if (object.metadata.uid === uid) return true;
    }
    return false;
  }

  /** The garbage collector, at once. */
  #collect(uid: string): void {
    for (const [id, objects] of this.#objects) {
      for (const child of objects.values()) {
        if (child.metadata.ownerReferences?.some((owner) => owner.uid === uid) !== true) continue;
        const [plural = "", version = "", ...group] = id.split(".");
        this.#erase({ plural, version, group: group.join("."), kind: child.kind, scope: "Namespaced" }, child);
      }
    }
  }

  #tell(kind: AnyKind, event: WatchEvent, before: StoredObject | undefined): void {
    this.#log.push({ version: this.#version, kind: kindId(kind), event, before });
    for (const watcher of this.#watchers) if (watcher.kind === kindId(kind)) watcher.offer(event);
  }

  #of(kind: AnyKind): Map<string, StoredObject> {
    let objects = this.#objects.get(kindId(kind));
    if (objects === undefined) this.#objects.set(kindId(kind), (objects = new Map()));
    return objects;
  }

  #mustServe(kind: AnyKind): void {
    if (this.missing.has(kind.kind)) throw failure("UnknownKind", `${kind.kind} is not served`, 404);
  }
}

/** An error as the client would throw it. */
export function failure(code: ApiError["code"], message: string, status: number, retryAfterMs?: number): ApiError {
  return new ApiError({ code, message, status, retryAfterMs });
}

/** As kube-apiserver: a test that fails makes the patch invalid. */
function jsonPatched(live: StoredObject, patch: unknown): KubeObject {
  try {
    return applyJsonPatch(live as unknown as Json, overTheWire(patch) as Json) as unknown as KubeObject;
  } catch (error) {
    throw failure("Invalid", (error as Error).message, 422);
  }
}

/** As in kube-apiserver: another version is a conflict, and so is a uid without an object; another uid is rejected as invalid. */
function mustBeExpected(live: StoredObject | undefined, over: ApplyOptions["over"]): void {
  if (over === undefined) return;
  const conflict = failure("Conflict", "the object is not what was expected", 409);
  if (over === "nothing") {
    if (live !== undefined) throw conflict;
  } else if ("uid" in over) {
    if (live === undefined) throw conflict;
    if (live.metadata.uid !== over.uid) throw anotherUid();
  } else if (live !== undefined && live.metadata.resourceVersion !== over.resourceVersion) throw conflict;
}

function anotherUid(): ApiError {
  const message = "metadata.uid: Invalid value: field is immutable";
  const causes = [{ reason: "FieldValueInvalid", message: "field is immutable", field: "metadata.uid" }];
  const statusObject = {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    code: 422,
    details: { causes },
  } as const;
  return new ApiError({ code: "Invalid", message, status: 422, statusObject });
}

/** An open watch: pushed events are delivered, from the requested version. */
export class ModelWatch implements AsyncIterable<WatchEvent> {
  readonly kind: string;
  readonly #request: WatchRequest;
  readonly #onEnd: () => void;
  readonly #events: WatchEvent[] = [];
  #waiting: (() => void) | undefined;
  #ended: { readonly error: Error | undefined } | undefined;

  constructor(kind: string, request: WatchRequest, onEnd: () => void) {
    this.kind = kind;
    this.#request = request;
    this.#onEnd = onEnd;
    request.signal?.addEventListener("abort", () => this.end(undefined));
  }

  offer(event: WatchEvent): void {
    const { resourceVersion: from } = this.#request;
    if (from !== undefined && !isLater(event.object.metadata.resourceVersion, from)) return;
    if (matches(event.object, this.#request)) this.push({ type: event.type, object: clone(event.object) });
  }

  push(event: WatchEvent): void {
    this.#events.push(event);
    this.#waiting?.();
  }

  end(error: Error | undefined): void {
    this.#ended ??= { error };
    this.#onEnd();
    this.#waiting?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent> {
    try {
      for (;;) {
        const event = this.#events.shift();
        if (event !== undefined) yield event;
        else if (this.#ended !== undefined) {
          if (this.#ended.error !== undefined) throw this.#ended.error;
          return;
        } else await new Promise<void>((resolve) => (this.#waiting = resolve));
      }
    } finally {
      this.#onEnd();
    }
  }
}

/** A bookmark, or the one that ends the initial events. */
export function bookmark(version: number | string, end: boolean): WatchEvent {
  const annotations = end ? { "k8s.io/initial-events-end": "true" } : {};
  const metadata = { name: "", uid: "", creationTimestamp: "", resourceVersion: String(version), annotations };
  return { type: "BOOKMARK", object: { apiVersion: "", kind: "", metadata } };
}

/** Whether an event ends the initial events. */
export function isInitialEnd({ object }: WatchEvent): boolean {
  return object.metadata.annotations?.["k8s.io/initial-events-end"] === "true";
}

function matches({ metadata }: StoredObject, { namespace, labelSelector }: ListRequest): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false;
  if (labelSelector === undefined) return true;
  return labelSelector.split(",").every((pair) => {
    const [label = "", value] = pair.split("=");
    return value === undefined ? metadata.labels?.[label] !== undefined : metadata.labels?.[label] === value;
  });
}

/** As it arrives: values without JSON are lost, and NaN becomes null. */
function overTheWire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** A copy of JSON without undefined fields. Several times faster than structuredClone, and worlds copy a lot. */
export function clone<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // Each branch builds the same shape as its input.
  if (Array.isArray(value)) return value.map(clone) as T;
  const made: { [name: string]: unknown } = {};
  for (const name in value) if (value[name] !== undefined) made[name] = clone(value[name]);
  return made as T;
}

function same(live: StoredObject, next: KubeObject): boolean {
  const strip = (object: KubeObject): string =>
    JSON.stringify({
      ...object,
      metadata: {
        ...object.metadata,
        resourceVersion: "",
        generation: 0,
        managedFields: object.metadata.managedFields?.map((entry) => ({ ...entry, time: "" })),
      },
    });
  return strip(live) === strip(next);
}

/** RFC 7396. */
function merge(target: Tree, patch: Tree): Tree {
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete target[name];
    else if (isTree(value)) target[name] = merge(isTree(target[name]) ? target[name] : {}, value);
    else target[name] = value;
  }
  return target;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Server-side apply with every list atomic: enough for owners, take-over and removal. */
function applied(live: StoredObject | undefined, sent: KubeObject, manager: string, time: string): KubeObject {
  const entries = (live?.metadata.managedFields ?? []).filter(
    (entry) => !(entry.manager === manager && entry.operation === "Apply"),
  );
  const former = live?.metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === "Apply",
  );
  const next = (live === undefined ? clone(sent) : clone(live)) as unknown as Tree;
  const { name: _name, namespace: _namespace, ...metadata } = sent.metadata;
  const { apiVersion: _a, kind: _k, metadata: _m, ...rest } = sent;
  const config = clone({ ...rest, ...(Object.keys(metadata).length === 0 ? {} : { metadata }) }) as Tree;
  const fields = fieldsOf(config);
  if (former !== undefined) removeDropped(next, former.fieldsV1 as Tree, fields);
  merge(next, config);
  const entry: ManagedFieldsEntry = {
    manager,
    operation: "Apply",
    apiVersion: sent.apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1: fields as never,
  };
  (next["metadata"] as Tree)["managedFields"] = [...entries, entry];
  return next as unknown as KubeObject;
}

function fieldsOf(value: Tree): Tree {
  const fields: Tree = {};
  for (const [name, child] of Object.entries(value)) fields[`f:${name}`] = isTree(child) ? fieldsOf(child) : {};
  return fields;
}

function removeDropped(target: Tree, former: Tree, fields: Tree): void {
  for (const [name, child] of Object.entries(former)) {
    const field = name.slice(2);
    const kept = fields[name];
    const value = target[field];
    const isLeaf = !isTree(child) || Object.keys(child).length === 0;
    if (!isLeaf && isTree(value)) removeDropped(value, child, isTree(kept) ? kept : {});
    else if (kept === undefined) delete target[field];
  }
}
