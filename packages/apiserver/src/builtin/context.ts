/** What rules may read about the request: everything is passed in, so rules stay pure functions. */
import type { KubeObject } from "@capstan/model";
import type { Access } from "../access.ts";
import type { UserInfo } from "../authenticate/user.ts";
import type { PortRange } from "./core/node-ports.ts";

/** A resource as `plural.group`, the way kube-apiserver writes it: `pods`, `deployments.apps`. */
export type ResourceName = string;

/** Reads of the current state of the store. Objects are frozen and in the hub version of their kind. */
export interface Lookup {
  get(resource: ResourceName, name: string, namespace?: string): KubeObject | undefined;
  /** All objects of a resource, in key order; of one namespace if given. */
  list(resource: ResourceName, namespace?: string): readonly KubeObject[];
}

/** The request as rules see it. */
export interface RuleContext {
  /** The time of the request, in the form of a timestamp: `2026-01-02T03:04:05Z`. */
  readonly now: string;
  readonly user: UserInfo;
  /** The namespace of the request; empty for cluster-scoped resources. */
  readonly namespace: string;
  /** The name in the path of the request; empty for a POST. */
  readonly pathName?: string;
  /** The version that the client used; rules always see objects in the hub version. */
  readonly version: string;
  readonly dryRun: boolean;
  readonly lookup: Lookup;
  /** Authorization and tokens. */
  readonly access: Access;
  /** The range of node ports. */
  readonly nodePorts: PortRange;
  /** A fresh random UUID. */
  uid(): string;
  /** A random whole number from 0 up to, not including, `limit`. */
  random(limit: number): number;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request. */
  annotate(key: string, value: string): void;
}

/** Writes of the server itself, for rules that change other objects. They bypass admission. */
export interface Writer {
  create(resource: ResourceName, object: KubeObject): KubeObject;
  /** Replaces an object; fails with a conflict if its resourceVersion is not the stored one. */
  update(resource: ResourceName, object: KubeObject): KubeObject;
  delete(resource: ResourceName, name: string, namespace?: string): void;
  /** An object that is about to be written, with the server as field manager of its changes, optionally through a subresource. */
  own(
    resource: ResourceName,
    object: KubeObject,
    origin: { readonly time: string; readonly subresource?: string },
  ): KubeObject;
}
