/**
 * What a built-in kind declares about itself: how it is prepared, defaulted, validated, printed, selected and deleted.
 *
 * The server asks these questions in a fixed order and knows nothing else about any kind:
 *
 * - decode: structure is checked against `@capstan/kinds`, then `defaults`, then conversion to the hub version;
 * - create: mutating admission, `allocate`, `prepareForCreate`, metadata checks with the `name` rule, `validateCreate`, `warnings`,
 *   `canonicalize`, validating admission, `readBack`;
 * - update: mutating admission, `allocate`, `prepareForUpdate`, metadata checks (twice, as kinds repeat them), `validateUpdate`, `warnings`,
 *   `canonicalize`, validating admission. A kind whose update validation repeats its create validation calls `checkObjectMetadata` of
 *   `metadata/check.ts` there itself, because real answers show every cause as often as it was found;
 * - read: conversion from the hub version, `table` when a client asks for rows, `fields` for field selectors.
 *
 * All functions are pure but for the draft they are given to change. They see objects in the hub version, structurally sound and
 * defaulted, so they may trust the types of `@capstan/kinds`. `defineRules` gives the type to the functions.
 */
import type { FieldError, Json, KubeObject } from "@capstan/model";
import type { ReplicasPaths } from "@capstan/patch";
import type { Call } from "../call.ts";
import type { Answer } from "../answer.ts";
import type { Lookup, RuleContext, Writer } from "./context.ts";
import type { AnyDraft, Draft } from "./draft.ts";

/** What names an object of a kind may have; `path-segment` allows everything but `/`, `%`, `.` and `..`. */
export type NameRule =
  | "dns-subdomain"
  | "dns-label"
  | "dns-label-1035"
  | "path-segment"
  | ((name: string, isPrefix: boolean) => readonly string[]);

/** The rules of a resource: it is stored, or it is a question that is answered and forgotten. */
export type ResourceRules = KindRules | ReviewRules;

/** The rules of a resource whose objects are stored. Everything is optional: the default stores what is structurally sound. */
export interface KindRules<T extends KubeObject = KubeObject> {
  readonly serves?: "objects";

  /** Which version rules see and the store keeps, when a kind has several; the others convert. Default: the preferred version. */
  readonly hub?: string;
  /**
   * How other versions of the kind become the hub version and back. Objects are drafts and may be changed in place and returned. Keys are
   * versions; a kind that is also served by another group (events) is named by its whole apiVersion, and `hub` is one, too.
   */
  readonly versions?: { readonly [version: string]: VersionRules<T> };

  /** Default `dns-subdomain`. */
  readonly name?: NameRule;
  /** Whether finalizers must be standard ones or name their domain (the default), or may be any qualified name. */
  readonly finalizers?: "standard" | "any";
  /** PUT to a name that does not exist creates it. Default no. */
  readonly createOnUpdate?: boolean;
  /** PUT without resourceVersion overwrites. Default yes. */
  readonly unconditionalUpdate?: boolean;
  /** Seconds until a written object disappears by itself (events). Default never. */
  timeToLive?(object: T): number | undefined;

  /** Fills in defaults, on every decode of the hub version and on every read of what was stored before. */
  defaults?(draft: Draft<T>): void;

  /** Clears what clients must not set (usually `status`) and sets what the server sets (usually `metadata.generation = 1`). */
  prepareForCreate?(draft: Draft<T>, context: RuleContext): void;
  /** Keeps what this door must not change (usually `status`) and bumps `metadata.generation` when the spec changed. */
  prepareForUpdate?(draft: Draft<T>, old: T, context: RuleContext): void;
  /** The metadata itself is checked by the server, after these. */
  validateCreate?(object: T, context: RuleContext): readonly FieldError[];
  validateUpdate?(object: T, old: T, context: RuleContext): readonly FieldError[];
  /** Whether `validateCreate` and `validateUpdate` check the metadata as well, name rule included. Default no: the server does. */
  readonly validatesMetadata?: boolean;
  /** Texts for Warning headers; `old` is there on update. */
  warnings?(object: T, old: T | undefined, context: RuleContext): readonly string[];
  /** Brings an accepted object into its one stored form. */
  canonicalize?(draft: Draft<T>): void;
  /** Fills in those defaults of a new object that come only when it is read back from the store: validating admission does not see them. */
  readBack?(draft: Draft<T>): void;

  /**
   * Fields that this door ignores, whatever a client sends: they never appear in managed fields of a write through it. `status` for a
   * kind with a status subresource. Paths are dotted: `spec.replicas`.
   */
  readonly resetFields?: readonly string[];

  /** Takes what must be unique over the cluster (cluster IP, node port) before validation; given back when the request fails. */
  allocate?(draft: Draft<T>, old: T | undefined, context: RuleContext): Allocation | readonly FieldError[] | undefined;

  /** The fields that a field selector may name, beside `metadata.name` and `metadata.namespace`. */
  readonly fields?: { readonly [path: string]: FieldReader<T> };
  /** Whether objects may be selected by their namespace, though they have none. Default yes. */
  readonly selectsByNamespace?: boolean;
  /** What is said of a field that a field selector may not name, where the kind has words of its own. */
  readonly unknownField?: (field: string) => string;

  /** Annotations that stand for fields of the hub version: whole objects carry them, metadata alone does not. */
  readonly wholeOnlyAnnotations?: readonly string[];

  readonly deletion?: DeletionRules<T>;
  readonly table?: TableRules<T>;
  /** By name: `status`, `scale`, `eviction`, `log`. A subresource that is not named here but is among the facts answers 501. */
  readonly subresources?: { readonly [name: string]: SubresourceRules<T> };

  /** Runs after a write was stored, for side effects on other objects. */
  stored?(event: StoredEvent<T>, writer: Writer, context: RuleContext): void;
}

/** Reads a field as text. Declared as a method, so that the rules of a kind are also rules of any kind. */
export type FieldReader<T> = { read(object: T): string }["read"];

/** One of the other versions of a kind. */
export interface VersionRules<T extends KubeObject = KubeObject> {
  /** What the fields that a field selector may name are called in this version, and in the hub version; the same by default. */
  readonly fieldLabels?: { readonly [label: string]: string };
  /** Defaults of this version, before conversion. */
  defaults?(draft: AnyDraft): void;
  toHub(draft: AnyDraft): Draft<T>;
  fromHub(draft: Draft<T>): AnyDraft;
}

/** Something taken by `allocate`; `release` gives it back when the request fails later. */
export interface Allocation {
  release(): void;
}

/** What has just been stored. */
export type StoredEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "created"; readonly object: T }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  | { readonly type: "deleted"; readonly old: T };

/** What happens to dependents by default; `Unsupported` has none, whatever a client asks for. */
export type Propagation = "Background" | "Orphan" | "Unsupported";

/** What is particular about deleting objects of a kind. */
export interface DeletionRules<T extends KubeObject = KubeObject> {
  /**
   * Seconds an object stays after it was marked; `undefined` deletes at once. `requested` is what the client asked for, `undefined` if
   * it did not ask. Only pods wait.
   */
  grace?(object: T, requested: number | undefined, context: RuleContext): number | undefined;
  /** What happens to dependents when the client does not say. Default Background. */
  readonly propagation?: Propagation | ((context: RuleContext) => Propagation);
  /** What it means that dependents are not to be orphaned. Default Background. */
  readonly notOrphaned?: "Foreground";
  /** A text for a Warning header when the client relied on the default above. */
  readonly propagationWarning?: string;
  /** Whether the kind begins deletions itself: preconditions are then refused in other words, and a second deletion changes nothing. */
  readonly beginsItself?: boolean;
  /** Changes the object when its deletion begins and it has to stay: sets a phase, adds a finalizer. */
  begin?(draft: Draft<T>, context: RuleContext): void;
  /** Reasons of the kind itself to stay although `metadata.finalizers` is empty (a namespace's `spec.finalizers`). */
  stays?(object: T): boolean;
  /** Whether the answer to a delete that took effect at once is the object instead of a Status (pods do so). */
  readonly returnsObject?: boolean;
  /** Refuses a deletion. */
  validate?(object: T, context: RuleContext): readonly FieldError[];
}

/** A column of a Table; `format` and `description` as the real server prints them. */
export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** How objects of a kind become rows. */
export interface TableRules<T extends KubeObject = KubeObject> {
  /** Default: those of `@capstan/kinds`, which are the real server's. */
  readonly columns?: readonly TableColumn[];
  /** `now` in milliseconds, for ages. */
  row(object: T, now: number): TableRow;
  /** In which order the rows of a page stand; that of the page by default. */
  compare?(one: T, other: T): number;
}

/** The cells of one object, in the order of the columns. */
export interface TableRow {
  readonly cells: readonly Json[];
  readonly conditions?: readonly Json[];
}

/** The doors of a subresource, one shape for each way they behave. */
export type SubresourceRules<T extends KubeObject = KubeObject> =
  | ViewRules<T>
  | ProjectionRules<T>
  | ActionRules<T>
  | ConnectRules<T>;

/** The object itself, with other fields writable: `status`, `approval`, `resize`, `ephemeralcontainers`, `finalize`. */
export interface ViewRules<T extends KubeObject = KubeObject> {
  readonly type: "view";
  /** As for the object itself; usually `spec` for `status`. */
  readonly resetFields?: readonly string[];
  prepareForUpdate?(draft: Draft<T>, old: T, context: RuleContext): void;
  validateUpdate?(object: T, old: T, context: RuleContext): readonly FieldError[];
  warnings?(object: T, old: T | undefined, context: RuleContext): readonly string[];
  /** As for the object itself, which decides by default. */
  readonly validatesMetadata?: boolean;
  /** Whether this door makes the object where writes of the whole object would: without what it would be allocated. Default no. */
  readonly createsMissing?: boolean;
  /** Whether this door answers with the object to clients that would rather have a table. */
  readonly hasNoTable?: boolean;
  /** Removes the object when this write leaves it nothing to wait for (`finalize` of a namespace). */
  removes?(object: T): boolean;
}

/** Another kind that is read from and written into the object: `scale`. */
export interface ProjectionRules<T extends KubeObject = KubeObject> {
  readonly type: "projection";
  /** The kind of the projection for a client that asked with this version. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  read(object: T): KubeObject;
  /** The field of the object that the projection writes, in each of its versions. */
  readonly fields: ReplicasPaths;
  /** What a change begins with, where that may be had although it cannot be read. */
  base?(object: T): KubeObject;
  /** What a change is answered with, where that may be had although it cannot be read. */
  written?(object: T): KubeObject;
  write(projection: KubeObject, draft: Draft<T>): void;
  validate?(projection: KubeObject, context: RuleContext): readonly FieldError[];
}

/** A POST that does something: `eviction`, `binding`, `token`. */
export interface ActionRules<T extends KubeObject = KubeObject> {
  readonly type: "action";
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  defaults?(body: AnyDraft): void;
  /** Refuses a body by throwing, before anybody looks whether the object is there. */
  check?(asked: Omit<Action<T>, "object" | "writer">): void;
  /** Completes the body with what the object says, or refuses it by throwing, before it is admitted. */
  complete?(action: Action<T>): void;
  /** Answers with the object to return, a Status included; refuses by throwing a StatusError of `@capstan/model`. */
  run(action: Action<T>): KubeObject | Promise<KubeObject>;
}

/** What an action is given. */
export interface Action<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly object: T;
  readonly body: KubeObject;
  readonly context: RuleContext;
  readonly writer: Writer;
}

/** A door that leaves the world of objects: `log`, `exec`, `attach`, `portforward`, `proxy`. */
export interface ConnectRules<T extends KubeObject = KubeObject> {
  readonly type: "connect";
  readonly methods: readonly string[];
  /** Whether whoever comes by GET, as WebSockets do, must be allowed to create all the same. */
  readonly creates?: boolean;
  /** Checks the query alone, before it is known whether there is such an object. */
  checkOptions?(name: string, query: URLSearchParams): void;
  /** Checks the query against the object; the answer of the node is passed on if there are no errors. */
  validate?(object: T, query: URLSearchParams, door: NodeDoor): readonly FieldError[];
  /** Passes the call to a node. Proxies have `through` or `locate` instead. */
  connect?(object: T, call: Call, door: NodeDoor): Promise<Answer>;
  /** Where the proxy of an object leads; throws when it leads nowhere. */
  through?(object: T, asked: ProxyTarget): ProxyPlace;
  /** Where the proxy of a name leads, for proxies that do not need the object itself; throws when it leads nowhere. */
  locate?(asked: ProxyTarget, scope: ProxyScope): ProxyPlace;
}

/** Where a name is looked for. */
export interface ProxyScope {
  readonly namespace: string;
  /** The name with scheme and port, as it was asked for. */
  readonly id: string;
  readonly lookup: Lookup;
}

/** What a proxy path names: `name`, `name:port` or `https:name:port`. */
export interface ProxyTarget {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** What a proxy leads to. */
export interface ProxyPlace {
  readonly nodeName: string;
  readonly to: Omit<PodProxyRequest, "path"> | Omit<KubeletApiRequest, "path">;
  /** The address and port of what is there; empty when links cannot name it. */
  readonly host: string;
}

/** A pod, by namespace and name. */
export interface PodKey {
  readonly namespace: string;
  readonly name: string;
}

/** A request for the streams or the log of one container. */
export interface ContainerRequest {
  readonly verb: "containerLogs" | "exec" | "attach";
  readonly pod: PodKey;
  readonly container: string;
  readonly query: URLSearchParams;
}

/** A request for connections to ports of a pod. */
export interface PortForwardRequest {
  readonly verb: "portForward";
  readonly pod: PodKey;
  readonly query: URLSearchParams;
}

/** An HTTP request to a port of a pod. */
export interface PodProxyRequest {
  readonly verb: "proxy";
  readonly pod: PodKey;
  readonly scheme: "http" | "https";
  readonly port: string;
  /** The path and query that the pod sees. */
  readonly path: string;
}

/** A request to the kubelet's HTTP API, with the rights of `nodes/proxy`. */
export interface KubeletApiRequest {
  readonly verb: "api";
  /** The path and query that the kubelet sees. */
  readonly path: string;
}

/** What is asked of a node. Every part is a field of its own, so a path that a client sends can never become a verb, a pod or a port. */
export type NodeRequest = ContainerRequest | PortForwardRequest | PodProxyRequest | KubeletApiRequest;

/** The way to the node of a pod; a server without nodes has none. */
export interface NodeDoor {
  /** Hands a call to the kubelet of a node. The request says what is asked; the call brings method, headers, body and connection. */
  handOver(nodeName: string, request: NodeRequest, call: Call): Promise<Answer>;
  /** Refuses by throwing when nothing can ever be handed to a node. */
  reach?(nodeName: string): void;
}

/** The rules of a resource that only answers: access reviews, token reviews. */
export interface ReviewRules<T extends KubeObject = KubeObject> {
  readonly serves: "answers";
  defaults?(draft: Draft<T>): void;
  validateCreate?(object: T, context: RuleContext): readonly FieldError[];
  answer(draft: Draft<T>, context: RuleContext): KubeObject | Promise<KubeObject>;
}

/** Gives the functions of a kind their types. */
export function defineRules<T extends KubeObject>(rules: KindRules<T>): KindRules<T> {
  return rules;
}

/** Gives the functions of a review their types. */
export function defineReview<T extends KubeObject>(rules: ReviewRules<T>): ReviewRules<T> {
  return rules;
}
