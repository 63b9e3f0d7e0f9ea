/**
 * The rules of a built-in kind: preparation, defaults, validation, printing, selection and deletion.
 *
 * The server calls them in a fixed order and has no other knowledge of any kind:
 *
 * - decode: structure is checked against `@capstan/kinds`, then `defaults`, then conversion to the hub version;
 * - create: mutating admission, `allocate`, `prepareForCreate`, metadata checks with the `name` rule, `validateCreate`, `warnings`,
 *   `canonicalize`, validating admission, `readBack`;
 * - update: mutating admission, `allocate`, `prepareForUpdate`, metadata checks (twice, as kinds repeat them), `validateUpdate`, `warnings`,
 *   `canonicalize`, validating admission. A kind that repeats its create validation on update calls `checkObjectMetadata` of
 *   `metadata/check.ts` there itself, because kube-apiserver reports every cause as often as it finds it;
 * - read: conversion from the hub version, `table` when a client requests a Table, `fields` for field selectors.
 *
 * All functions are pure except for the draft that they may change. They see objects in the hub version, structurally valid and
 * defaulted, so they may rely on the types of `@capstan/kinds`. `defineRules` gives the type to the functions.
 */
import type { FieldError, Json, KubeObject } from "@capstan/model";
import type { ReplicasPaths } from "@capstan/patch";
import type { Call } from "../call.ts";
import type { Answer } from "../answer.ts";
import type { Lookup, RuleContext, Writer } from "./context.ts";
import type { AnyDraft, Draft } from "./draft.ts";

/** The valid names of a kind; `path-segment` allows everything but `/`, `%`, `.` and `..`. */
export type NameRule =
  | "dns-subdomain"
  | "dns-label"
  | "dns-label-1035"
  | "path-segment"
  | ((name: string, isPrefix: boolean) => readonly string[]);

/** The rules of a resource: its objects are stored, or it is a review that is computed and not stored. */
export type ResourceRules = KindRules | ReviewRules;

/** The rules of a stored resource. Everything is optional: by default an object is stored if it is structurally valid. */
export interface KindRules<T extends KubeObject = KubeObject> {
  readonly serves?: "objects";

  /** The version that rules see and the store keeps, when a kind has several; the others are converted. Default: the preferred version. */
  readonly hub?: string;
  /**
   * Conversion of other versions to the hub version and back. Objects are drafts and may be changed in place and returned. Keys are
   * versions. A kind that another group also serves (events) uses its whole apiVersion as key, and `hub` has that form too.
   */
  readonly versions?: { readonly [version: string]: VersionRules<T> };

  /** Default: `dns-subdomain`. */
  readonly name?: NameRule;
  /** Whether finalizers must be standard or have a domain (the default), or may be any qualified name. */
  readonly finalizers?: "standard" | "any";
  /** PUT to a name that does not exist creates it. Default: no. */
  readonly createOnUpdate?: boolean;
  /** PUT without resourceVersion overwrites. Default: yes. */
  readonly unconditionalUpdate?: boolean;
  /** Seconds until a written object expires (events). Default: never. */
  timeToLive?(object: T): number | undefined;

  /** Fills in defaults, on every decode of the hub version and on every read of older stored objects. */
  defaults?(draft: Draft<T>): void;

  /** Clears fields that clients must not set (usually `status`) and sets those of the server (usually `metadata.generation = 1`). */
  prepareForCreate?(draft: Draft<T>, context: RuleContext): void;
  /** Keeps fields that this endpoint must not change (usually `status`) and bumps `metadata.generation` if the spec changed. */
  prepareForUpdate?(draft: Draft<T>, old: T, context: RuleContext): void;
  /** The server checks the metadata itself, after these. */
  validateCreate?(object: T, context: RuleContext): readonly FieldError[];
  validateUpdate?(object: T, old: T, context: RuleContext): readonly FieldError[];
  /** Whether `validateCreate` and `validateUpdate` also check the metadata, including the name rule. Default: no, the server does. */
  readonly validatesMetadata?: boolean;
  /** Texts of Warning headers; `old` is set on update. */
  warnings?(object: T, old: T | undefined, context: RuleContext): readonly string[];
  /** Converts a valid object to its canonical stored form. */
  canonicalize?(draft: Draft<T>): void;
  /** Fills in defaults that a new object gets only when it is read back from the store: validating admission does not see them. */
  readBack?(draft: Draft<T>): void;

  /**
   * Fields that this endpoint ignores: they never appear in the managed fields of a write through it. `status` for a kind with a status
   * subresource. Paths are dotted: `spec.replicas`.
   */
  readonly resetFields?: readonly string[];

  /** Allocates values that must be unique in the cluster (cluster IP, node port) before validation; released if the request fails. */
  allocate?(draft: Draft<T>, old: T | undefined, context: RuleContext): Allocation | readonly FieldError[] | undefined;

  /** The fields that a field selector may use, besides `metadata.name` and `metadata.namespace`. */
  readonly fields?: { readonly [path: string]: FieldReader<T> };
  /** Whether a field selector may use the namespace of cluster-scoped objects. Default: yes. */
  readonly selectsByNamespace?: boolean;
  /** The error for an unsupported field of a field selector, for kinds with their own message. */
  readonly unknownField?: (field: string) => string;

  /** Annotations that stand for fields of the hub version: whole objects have them, PartialObjectMetadata does not. */
  readonly wholeOnlyAnnotations?: readonly string[];

  readonly deletion?: DeletionRules<T>;
  readonly table?: TableRules<T>;
  /** By name: `status`, `scale`, `eviction`, `log`. A subresource that Kubernetes has but that is not listed here returns 501. */
  readonly subresources?: { readonly [name: string]: SubresourceRules<T> };

  /** Runs after a write was stored, for side effects on other objects. */
  stored?(event: StoredEvent<T>, writer: Writer, context: RuleContext): void;
}

/** Reads a field as text. Declared as a method, so that the rules of a kind are also rules of any kind. */
export type FieldReader<T> = { read(object: T): string }["read"];

/** Rules of a version other than the hub version. */
export interface VersionRules<T extends KubeObject = KubeObject> {
  /** Field names of field selectors in this version, mapped to those of the hub version. Default: the same. */
  readonly fieldLabels?: { readonly [label: string]: string };
  /** Defaults of this version, before conversion. */
  defaults?(draft: AnyDraft): void;
  toHub(draft: AnyDraft): Draft<T>;
  fromHub(draft: Draft<T>): AnyDraft;
}

/** The result of `allocate`; `release` frees it if the request fails later. */
export interface Allocation {
  release(): void;
}

/** A write that was stored. */
export type StoredEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "created"; readonly object: T }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  | { readonly type: "deleted"; readonly old: T };

/** The default propagation policy; `Unsupported` ignores the policy of the client. */
export type Propagation = "Background" | "Orphan" | "Unsupported";

/** Deletion rules of a kind. */
export interface DeletionRules<T extends KubeObject = KubeObject> {
  /**
   * Seconds that an object stays after its deletion timestamp is set; `undefined` deletes at once. `requested` is the grace period of the
   * client, if any. Only pods wait.
   */
  grace?(object: T, requested: number | undefined, context: RuleContext): number | undefined;
  /** The propagation policy if the client does not set one. Default: Background. */
  readonly propagation?: Propagation | ((context: RuleContext) => Propagation);
  /** The policy for `orphanDependents: false`. Default: Background. */
  readonly notOrphaned?: "Foreground";
  /** The text of a Warning header if the client relied on the default policy. */
  readonly propagationWarning?: string;
  /** Whether the kind starts deletions itself: precondition errors then have other messages, and a second deletion changes nothing. */
  readonly beginsItself?: boolean;
  /** Changes the object when its deletion begins and it has to stay: sets a phase, adds a finalizer. */
  begin?(draft: Draft<T>, context: RuleContext): void;
  /** Whether an object stays although `metadata.finalizers` is empty (a namespace with `spec.finalizers`). */
  stays?(object: T): boolean;
  /** Whether a delete that takes effect at once returns the object instead of a Status (pods). */
  readonly returnsObject?: boolean;
  /** Rejects a deletion. */
  validate?(object: T, context: RuleContext): readonly FieldError[];
}

/** A column of a Table; `format` and `description` are those of kube-apiserver. */
export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** Conversion of objects to table rows. */
export interface TableRules<T extends KubeObject = KubeObject> {
  /** Default: those of `@capstan/kinds`, which are those of kube-apiserver. */
  readonly columns?: readonly TableColumn[];
  /** `now` in milliseconds, for ages. */
  row(object: T, now: number): TableRow;
  /** The order of the rows of a page. Default: that of the page. */
  compare?(one: T, other: T): number;
}

/** The cells of one object, in the order of the columns. */
export interface TableRow {
  readonly cells: readonly Json[];
  readonly conditions?: readonly Json[];
}

/** The rules of a subresource, one type for each behaviour. */
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
  /** Default: as for the object itself. */
  readonly validatesMetadata?: boolean;
  /** Whether a write creates a missing object where a write of the whole object would, but without allocation. Default: no. */
  readonly createsMissing?: boolean;
  /** Whether this endpoint returns the object to clients that request a Table. */
  readonly hasNoTable?: boolean;
  /** Whether this write removes the object (`finalize` of a namespace). */
  removes?(object: T): boolean;
}

/** Another kind that is computed from the object and written back into it: `scale`. */
export interface ProjectionRules<T extends KubeObject = KubeObject> {
  readonly type: "projection";
  /** The kind of the projection. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  read(object: T): KubeObject;
  /** The field of the object that the projection writes, in each version. */
  readonly fields: ReplicasPaths;
  /** The projection that a patch starts from, if it exists although `read` fails. */
  base?(object: T): KubeObject;
  /** The projection that a write returns, if it exists although `read` fails. */
  written?(object: T): KubeObject;
  write(projection: KubeObject, draft: Draft<T>): void;
  validate?(projection: KubeObject, context: RuleContext): readonly FieldError[];
}

/** A POST with an effect: `eviction`, `binding`, `token`. */
export interface ActionRules<T extends KubeObject = KubeObject> {
  readonly type: "action";
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  defaults?(body: AnyDraft): void;
  /** Rejects a body by throwing, before the object is looked up. */
  check?(asked: Omit<Action<T>, "object" | "writer">): void;
  /** Completes the body from the object, or rejects it by throwing, before admission. */
  complete?(action: Action<T>): void;
  /** Returns the response object, possibly a Status; rejects by throwing a StatusError of `@capstan/model`. */
  run(action: Action<T>): KubeObject | Promise<KubeObject>;
}

/** The arguments of an action. */
export interface Action<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly object: T;
  readonly body: KubeObject;
  readonly context: RuleContext;
  readonly writer: Writer;
}

/** A subresource that connects to a node: `log`, `exec`, `attach`, `portforward`, `proxy`. */
export interface ConnectRules<T extends KubeObject = KubeObject> {
  readonly type: "connect";
  readonly methods: readonly string[];
  /** Whether a GET, which WebSockets use, is authorized as `create`. */
  readonly creates?: boolean;
  /** Checks the query alone, before the object is looked up. */
  checkOptions?(name: string, query: URLSearchParams): void;
  /** Checks the query against the object; without errors the call is passed to the node. */
  validate?(object: T, query: URLSearchParams, connector: NodeConnector): readonly FieldError[];
  /** Passes the call to a node. Proxies have `through` or `locate` instead. */
  connect?(object: T, call: Call, connector: NodeConnector): Promise<Answer>;
  /** The target of the proxy of an object; throws if there is none. */
  through?(object: T, asked: ProxyTarget): ProxyPlace;
  /** The target of the proxy of a name, for proxies that do not need the object; throws if there is none. */
  locate?(asked: ProxyTarget, scope: ProxyScope): ProxyPlace;
}

/** The namespace and store in which a name is looked up. */
export interface ProxyScope {
  readonly namespace: string;
  /** The name with scheme and port, as in the request. */
  readonly id: string;
  readonly lookup: Lookup;
}

/** What a proxy path names: `name`, `name:port` or `https:name:port`. */
export interface ProxyTarget {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** The target of a proxy. */
export interface ProxyPlace {
  readonly nodeName: string;
  readonly to: Omit<PodProxyRequest, "path"> | Omit<KubeletApiRequest, "path">;
  /** The address and port of the target; empty if links cannot contain it. */
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

/** A request to the kubelet's HTTP API, authorized by `nodes/proxy`. */
export interface KubeletApiRequest {
  readonly verb: "api";
  /** The path and query that the kubelet sees. */
  readonly path: string;
}

/** A request to a node. Every part is a separate field, so a path from a client can never become a verb, a pod or a port. */
export type NodeRequest = ContainerRequest | PortForwardRequest | PodProxyRequest | KubeletApiRequest;

/** The connection to the kubelets; a server without nodes does not have one. */
export interface NodeConnector {
  /** Passes a call to the kubelet of a node. The request selects the endpoint; the call has method, headers, body and connection. */
  handOver(nodeName: string, request: NodeRequest, call: Call): Promise<Answer>;
  /** Throws if a node can never be reached. */
  reach?(nodeName: string): void;
}

/** The rules of a resource that is computed and not stored: access reviews, token reviews. */
export interface ReviewRules<T extends KubeObject = KubeObject> {
  readonly serves: "answers";
  defaults?(draft: Draft<T>): void;
  validateCreate?(object: T, context: RuleContext): readonly FieldError[];
  answer(draft: Draft<T>, context: RuleContext): KubeObject | Promise<KubeObject>;
}

/** Infers the types of the functions of a kind. */
export function defineRules<T extends KubeObject>(rules: KindRules<T>): KindRules<T> {
  return rules;
}

/** Infers the types of the functions of a review. */
export function defineReview<T extends KubeObject>(rules: ReviewRules<T>): ReviewRules<T> {
  return rules;
}
