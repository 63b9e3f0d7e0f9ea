/** Subresources with their own kind: scale, eviction, token. */
import type { Kind, KubeObject, ObjectMeta, Scope, Status } from "@capstan/model";
import type { DeleteOptions, GetOptions, WriteOptions } from "./options.ts";
import { pathOf, withQuery } from "./path.ts";
import { attemptOf } from "./read.ts";
import { noRetry } from "./retry.ts";
import type { CallOptions, Sender } from "./send.ts";
import type { AnyKind, Target } from "./target.ts";

/** Desired and actual replicas. */
export interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** A token of a service account. */
export interface TokenRequest {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly audiences?: readonly string[];
    readonly expirationSeconds?: number;
    readonly boundObjectRef?: {
      readonly kind?: string;
      readonly apiVersion?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** An object that must have a namespace. */
export interface NamespacedTarget {
  readonly namespace: string;
  readonly name: string;
}

/** The calls on subresources. */
export interface SubresourceCalls {
  getScale<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    target: Target<S> & GetOptions,
  ): Promise<Scale>;
  /** Sets the number of replicas. */
  scale<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    target: Target<S>,
    replicas: number,
    options?: WriteOptions,
  ): Promise<Scale>;
  /** Evicts a pod. `TooManyRequests` means that a disruption budget forbids it now; it is not retried. */
  evict(pod: NamespacedTarget & Omit<DeleteOptions, "retry">): Promise<Status>;
  /** Issues a token for a service account. */
  createToken(account: NamespacedTarget, spec: TokenRequest["spec"], options?: CallOptions): Promise<TokenRequest>;
}

const pods: AnyKind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const accounts: AnyKind = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  scope: "Namespaced",
};
const jsonHeaders = { "content-type": "application/json" };

/** The calls on subresources, over a sender. */
export function subresourceCalls(sender: Sender): SubresourceCalls {
  return {
    getScale(kind: AnyKind, target: { name: string; namespace?: string | undefined } & GetOptions): Promise<Scale> {
      const place = { name: target.name, namespace: target.namespace, subresource: "scale" };
      return sender.json({
        attempt: attemptOf("get", kind, place),
        method: "GET",
        path: pathOf(kind, place),
        options: target,
      });
    },
    scale: (kind: AnyKind, target: Named, replicas: number, options: WriteOptions = {}) =>
      setScale(sender, kind, { target, replicas, options }),
    evict: (pod) => evict(sender, pod),
    createToken: (account, spec, options = {}) => createToken(sender, account, { spec, options }),
  };
}

interface Named {
  readonly name: string;
  readonly namespace?: string | undefined;
}

interface Scaling {
  readonly target: Named;
  readonly replicas: number;
  readonly options: WriteOptions;
}

function setScale(sender: Sender, kind: AnyKind, { target, replicas, options }: Scaling): Promise<Scale> {
  const place = { name: target.name, namespace: target.namespace, subresource: "scale" };
  const { dryRun, fieldManager } = options;
  const path = withQuery(pathOf(kind, place), { dryRun: dryRun === true ? "All" : undefined, fieldManager });
  const headers = { "content-type": "application/merge-patch+json" };
  const body = JSON.stringify({ spec: { replicas } });
  return sender.json({ attempt: attemptOf("patch", kind, place), method: "PATCH", path, headers, body, options });
}

function evict(sender: Sender, pod: NamespacedTarget & DeleteOptions): Promise<Status> {
  const { name, namespace, gracePeriodSeconds, preconditions, propagationPolicy, dryRun } = pod;
  const place = { name, namespace, subresource: "eviction" };
  const body = JSON.stringify({
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace },
    deleteOptions: {
      gracePeriodSeconds,
      preconditions,
      propagationPolicy,
      dryRun: dryRun === true ? ["All"] : undefined,
    },
  });
  return sender.json({
    attempt: attemptOf("create", pods, place),
    method: "POST",
    path: pathOf(pods, place),
    headers: jsonHeaders,
    body,
    options: { ...pod, retry: noRetry },
  });
}

interface Issue {
  readonly spec: TokenRequest["spec"];
  readonly options: CallOptions;
}

function createToken(sender: Sender, account: NamespacedTarget, { spec, options }: Issue): Promise<TokenRequest> {
  const place = { ...account, subresource: "token" };
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec });
  const attempt = attemptOf("create", accounts, place);
  return sender.json({ attempt, method: "POST", path: pathOf(accounts, place), headers: jsonHeaders, body, options });
}
