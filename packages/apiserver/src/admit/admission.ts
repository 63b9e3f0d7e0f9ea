/** Admission: between decoding and storing, a chain of plugins may change or reject a write. */
import type { KubeObject } from "@capstan/model";
import type { TypeSchema } from "@capstan/patch";
import type { UserInfo } from "../authenticate/user.ts";
import type { Authorizer } from "../authorize/authorizer.ts";
import type { Lookup, ResourceName, Writer } from "../builtin/context.ts";
import type { Timer } from "../clock.ts";
import type { OutgoingCaller, ServiceResolver } from "../outgoing/outgoing.ts";
import type { AnyDraft } from "../builtin/draft.ts";

/** What the request does to the object. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A write on its way to the store, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: Operation;
  /** The kind of `object`, in the version of the request. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subresource: string;
  readonly namespace: string;
  /** Empty on create with generateName, and on deletecollection. */
  readonly name: string;
  /**
   * The object that is written: absent on DELETE. Mutating steps change it in place or replace it. In the hub version of its kind;
   * `present` converts it to the version that a webhook needs.
   */
  object: AnyDraft | undefined;
  /** The stored object: absent on CREATE and CONNECT. */
  readonly oldObject: KubeObject | undefined;
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: KubeObject;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request. */
  annotate(key: string, value: string): void;
  /** Every group and version that serves the object, including that of the request. */
  equivalents(): readonly ServedKind[];
  /** Converts an object of the hub version to one of these versions, for webhooks and policies. */
  present(object: KubeObject, as: ServedKind): AnyDraft | Promise<AnyDraft>;
  /** Converts back to the hub version: restores the structure of the kind and fills in defaults. */
  accept(draft: AnyDraft, from: ServedKind): AnyDraft | Promise<AnyDraft>;
  /** The merge schema of one of these versions; `undefined` if it is unknown. */
  schemaOf(form: ServedKind): TypeSchema | undefined;
  /** A change by a webhook or policy makes the mutating steps run once more. */
  readonly rounds: { isSecondWanted: boolean; isSecond: boolean };
}

/** The resource that stores objects of a kind. */
export interface KeptKind {
  readonly resource: ResourceName;
  readonly namespaced: boolean;
}

/** A group, version, resource and kind in which objects are served. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

/** What the steps may use besides the request. */
export interface AdmissionContext {
  readonly lookup: Lookup;
  readonly writer: Writer;
  readonly authorizer: Authorizer;
  /** Milliseconds since 1970. */
  now(): number;
  uid(): string;
  /** A random whole number from 0 up to, not including, `limit`. */
  random(limit: number): number;
  /** Resolves after the given time of the server's clock. */
  pause(milliseconds: number): Promise<void>;
  /** Runs a function later, unless the timer is cancelled. */
  after(milliseconds: number, run: () => void): Timer;
  /** The resource that stores objects of a kind; `undefined` if the kind is not served. */
  findKind(apiVersion: string, kind: string): KeptKind | undefined;
  /** The object after a status change by the server itself, with the server as field manager. */
  asServer(resource: string, before: KubeObject, after: KubeObject): KubeObject;
  readonly call: OutgoingCaller;
  readonly resolveService: ServiceResolver;
}

/**
 * One step of the chain. `mutate` of every step runs in order, then the kind validates the object, then `validate` of every step runs in
 * order. A step rejects by throwing a StatusError of `@capstan/model` (usually `apiErrors.forbidden(...)`). A synchronous step returns
 * nothing.
 */
export interface AdmissionStep {
  /** The plugin name in kube-apiserver: `NamespaceLifecycle`, `LimitRanger`. */
  readonly name: string;
  handles(operation: Operation): boolean;
  mutate?(request: AdmissionRequest, context: AdmissionContext): void | Promise<void>;
  validate?(request: AdmissionRequest, context: AdmissionContext): void | Promise<void>;
}

/** Both phases of the chain. Each returns a promise only if a step is asynchronous. */
export interface AdmissionChain {
  mutate(request: AdmissionRequest): void | Promise<void>;
  validate(request: AdmissionRequest): void | Promise<void>;
}

export function chainAdmission(steps: readonly AdmissionStep[], context: AdmissionContext): AdmissionChain {
  const mutating = steps.filter((step) => step.mutate !== undefined);
  const validating = steps.filter((step) => step.validate !== undefined);
  return {
    mutate: (request) =>
      mutateTwice(request, () => runInOrder(mutating, request, (step) => step.mutate?.(request, context))),
    validate: (request) => runInOrder(validating, request, (step) => step.validate?.(request, context)),
  };
}

/** Runs all mutating steps a second time if one of them requests it, so that each sees the changes of the others. */
function mutateTwice(request: AdmissionRequest, run: () => void | Promise<void>): void | Promise<void> {
  const again = (): void | Promise<void> => {
    if (!request.rounds.isSecondWanted) return;
    request.rounds.isSecond = true;
    return run();
  };
  const first = run();
  return first === undefined ? again() : first.then(again);
}

function runInOrder(
  steps: readonly AdmissionStep[],
  request: AdmissionRequest,
  run: (step: AdmissionStep) => void | Promise<void>,
): void | Promise<void> {
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index];
    if (step === undefined || !step.handles(request.operation)) continue;
    const pending = run(step);
    if (pending !== undefined) return pending.then(() => runInOrder(steps.slice(index + 1), request, run));
  }
}
