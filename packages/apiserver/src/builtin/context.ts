/** What rules may know about the request they serve: everything is handed in, so that rules stay pure functions. */
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

/** What a rule is told about the request. */
export interface RuleContext {
  /** The moment of the request, as it goes into a timestamp: `2026-01-02T03:04:05Z`. */
  readonly now: string;
  readonly user: UserInfo;
  /** The namespace of the request; empty for cluster-scoped resources. */
  readonly namespace: string;
  /** The version that the client used; rules see objects in the hub version whatever this is. */
  readonly version: string;
  readonly dryRun: boolean;
  readonly lookup: Lookup;
  /** Who may do what, and whose a token is. */
  readonly access: Access;
  /** The ports of nodes that services may have. */
  readonly nodePorts: PortRange;
  /** A fresh random UUID. */
  uid(): string;
  /** A random whole number from 0 up to, not including, `limit`. */
  random(limit: number): number;
  /** Adds a warning header to the answer. */
  warn(text: string): void;
  /** Adds something to the audit record of the request. */
  annotate(key: string, value: string): void;
}

/** Writes of the server itself, for rules whose answer touches other objects. None of them is subject to admission. */
export interface Writer {
  create(resource: ResourceName, object: KubeObject): KubeObject;
  /** Replaces an object; fails with a conflict if its resourceVersion is not the stored one. */
  update(resource: ResourceName, object: KubeObject): KubeObject;
  delete(resource: ResourceName, name: string, namespace?: string): void;
  /** An object that is to be written, with the server as the owner of what it changes, through a door of the object if one is named. */
  own(
    resource: ResourceName,
    object: KubeObject,
    origin: { readonly time: string; readonly door?: string },
  ): KubeObject;
}
