/** Writing: create, update, patch, apply, delete. */
import { apiVersionOf } from "@capstan/model";
import type { Kind, KubeList, KubeObject, Scope, Status } from "@capstan/model";
import type { Verb } from "../error/attempt.ts";
import type { ApplyOptions, DeleteCollectionOptions, DeleteOptions, WriteOptions } from "./options.ts";
import { pathOf, withQuery } from "./path.ts";
import type { ResourcePath, Query } from "./path.ts";
import { attemptOf } from "./read.ts";
import type { Sender } from "./send.ts";
import type { AnyKind, Applied, InNamespace, Replaced, Sent, Target } from "./target.ts";

/** One step of a JSON patch (RFC 6902). */
export type JsonPatchStep =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** A change in one of three patch formats; the fourth is `apply`. */
export type Patch =
  | { readonly json: readonly JsonPatchStep[] }
  | { readonly merge: unknown }
  | { readonly strategic: unknown };

/** The write calls. */
export interface WriteCalls {
  create<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    object: Sent<T, S>,
    options?: WriteOptions,
  ): Promise<T>;
  /** Replaces an object. With a `resourceVersion` it fails with `Conflict` if the object changed. */
  update<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    object: Replaced<T>,
    options?: WriteOptions,
  ): Promise<T>;
  patch<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    target: Target<S>,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply: creates the object or sets the given fields. */
  apply<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    object: Applied<A, S>,
    options: ApplyOptions,
  ): Promise<T>;
  /** Deletes an object. Returns the object while finalizers remain, otherwise a Status. */
  delete<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    target: Target<S> & DeleteOptions,
  ): Promise<T | Status>;
  deleteCollection<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    where: InNamespace<S> & DeleteCollectionOptions,
  ): Promise<KubeList<T> | Status>;
}

/** The common part of all writes. */
interface Write {
  readonly verb: Verb;
  readonly method: string;
  readonly kind: AnyKind;
  readonly place: ResourcePath;
  readonly contentType: string;
  readonly body: string;
  readonly options: WriteOptions;
  readonly query?: Query;
}

/** Any object to send. */
interface Outgoing {
  readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined };
}

/** The write calls over a sender. */
export function writeCalls(sender: Sender): WriteCalls {
  return {
    create<T>(kind: AnyKind, object: Outgoing, options: WriteOptions = {}): Promise<T> {
      const { name, namespace } = object.metadata;
      // Objects are created in their collection; only subresources are created under a name.
      const place =
        options.subresource === undefined ? { namespace } : { namespace, name, subresource: options.subresource };
      const body = encode(kind, object, options.subresource);
      return write(sender, { verb: "create", method: "POST", kind, place, contentType: json, body, options });
    },
    update<T>(kind: AnyKind, object: Outgoing, options: WriteOptions = {}): Promise<T> {
      const place = placeOf(object, options);
      if (kind.scope === "Namespaced" && place.namespace === undefined) {
        throw new TypeError(`${kind.kind} is namespaced, but metadata.namespace of ${place.name} is missing`);
      }
      const body = encode(kind, object, options.subresource);
      return write(sender, { verb: "update", method: "PUT", kind, place, contentType: json, body, options });
    },
    patch<T>(kind: AnyKind, target: ResourcePath, patch: Patch, options: WriteOptions = {}): Promise<T> {
      const place = { namespace: target.namespace, name: target.name, subresource: options.subresource };
      return write(sender, { verb: "patch", method: "PATCH", kind, place, ...encodePatch(patch), options });
    },
    apply<T>(kind: AnyKind, object: Outgoing, options: ApplyOptions): Promise<T> {
      const place = placeOf(object, options);
      const contentType = "application/apply-patch+yaml";
      const body = encode(kind, object);
      const query = { force: options.force };
      return write(sender, { verb: "apply", method: "PATCH", kind, place, contentType, body, options, query });
    },
    delete: <T>(kind: AnyKind, target: ResourcePath & DeleteOptions): Promise<T | Status> =>
      remove(sender, {
        verb: "delete",
        kind,
        // An empty name would delete the whole collection, so it is rejected even if the compiler was bypassed.
        place: { namespace: target.namespace, name: target.name ?? "" },
        options: target,
      }),
    deleteCollection: <T>(
      kind: AnyKind,
      where: ResourcePath & DeleteCollectionOptions,
    ): Promise<KubeList<T> | Status> =>
      remove(sender, { verb: "deletecollection", kind, place: { namespace: where.namespace }, options: where }),
  };
}

const json = "application/json";

function placeOf({ metadata: { name, namespace } }: Outgoing, { subresource }: WriteOptions): ResourcePath {
  return { name, namespace, subresource };
}

function write<T>(sender: Sender, { verb, method, kind, place, contentType, body, options, query }: Write): Promise<T> {
  const path = withQuery(pathOf(kind, place), { ...writeQuery(options), ...query });
  const headers = { "content-type": contentType };
  return sender.json({ attempt: attemptOf(verb, kind, place), method, path, headers, body, options });
}

function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query {
  return { dryRun: dryRun === true ? "All" : undefined, fieldManager, fieldValidation };
}

/** The object with its type. Objects for subresources may have another kind (Scale, Eviction) and carry it themselves. */
function encode(kind: AnyKind, object: object, subresource?: string): string {
  const own = subresource !== undefined && subresource !== "status" && "kind" in object;
  return JSON.stringify(own ? object : { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind });
}

function encodePatch(patch: Patch): { readonly contentType: string; readonly body: string } {
  if ("json" in patch) return { contentType: "application/json-patch+json", body: JSON.stringify(patch.json) };
  if ("merge" in patch) return { contentType: "application/merge-patch+json", body: JSON.stringify(patch.merge) };
  return { contentType: "application/strategic-merge-patch+json", body: JSON.stringify(patch.strategic) };
}

interface Removal {
  readonly verb: Verb;
  readonly kind: AnyKind;
  readonly place: ResourcePath;
  readonly options: DeleteCollectionOptions;
}

function remove<T>(sender: Sender, { verb, kind, place, options }: Removal): Promise<T> {
  const { labelSelector, fieldSelector, propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy,
    gracePeriodSeconds,
    preconditions,
    dryRun: dryRun === true ? ["All"] : undefined,
  });
  const path = withQuery(pathOf(kind, place), { labelSelector, fieldSelector });
  const headers = { "content-type": json };
  return sender.json({ attempt: attemptOf(verb, kind, place), method: "DELETE", path, headers, body, options });
}
