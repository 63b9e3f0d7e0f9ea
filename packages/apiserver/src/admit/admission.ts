/** Admission: after decoding and before storing, a chain of steps may change a write or refuse it. */
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
   * What is being written: absent on DELETE. Mutating steps change it in place or replace it with `replace`. In the hub version of its
   * kind; `convert` gives the form that a webhook asked for.
   */
  object: AnyDraft | undefined;
  /** What is stored now: absent on CREATE and CONNECT. */
  readonly oldObject: KubeObject | undefined;
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: KubeObject;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
  /** Adds an annotation to the audit record of the request. */
  annotate(key: string, value: string): void;
  /** Every group and version at which what is written is served, that of the request included. */
  equivalents(): readonly ServedKind[];
  /** An object of the hub version as one of these forms, for whoever sees it from outside. */
  present(object: KubeObject, as: ServedKind): AnyDraft | Promise<AnyDraft>;
  /** The way back: the structure of the kind is restored and defaults are filled in. */
  accept(draft: AnyDraft, from: ServedKind): AnyDraft | Promise<AnyDraft>;
  /** How values of one of these forms are merged; `undefined` when nothing is known about it. */
  schemaOf(form: ServedKind): TypeSchema | undefined;
  /** A change by somebody outside makes the mutating steps run once more. */
  readonly rounds: { isSecondWanted: boolean; isSecond: boolean };
}

/** Where objects of a kind are kept. */
export interface KeptKind {
  readonly resource: ResourceName;
  readonly namespaced: boolean;
}

/** A form in which objects are served. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

/** What the steps may use beside the request. */
export interface AdmissionContext {
  readonly lookup: Lookup;
  readonly writer: Writer;
  readonly authorizer: Authorizer;
  /** Milliseconds since 1970. */
  now(): number;
  uid(): string;
  /** A random whole number from 0 up to, not including, `limit`. */
  random(limit: number): number;
  /** Resolves after so many milliseconds of the server's clock. */
  pause(milliseconds: number): Promise<void>;
  /** Runs something later, unless it is called off. */
  after(milliseconds: number, run: () => void): Timer;
  /** Where objects of a kind are kept; `undefined` when the kind is not served. */
  findKind(apiVersion: string, kind: string): KeptKind | undefined;
  /** The object after a change of its status that the server itself makes, owned by the server. */
  asServer(resource: string, before: KubeObject, after: KubeObject): KubeObject;
  /** Calls webhooks. */
  readonly call: OutgoingCaller;
  readonly resolveService: ServiceResolver;
}

/**
 * One step of the chain. `mutate` runs on every step in order, then the object is validated by its kind, then `validate` runs on every
 * step in order. A step refuses by throwing a StatusError of
 * `@capstan/model` (usually `apiErrors.forbidden(...)`). Steps that need no waiting return nothing.
 */
export interface AdmissionStep {
  /** The name kube-apiserver gives the plugin: `NamespaceLifecycle`, `LimitRanger`. */
  readonly name: string;
  handles(operation: Operation): boolean;
  mutate?(request: AdmissionRequest, context: AdmissionContext): void | Promise<void>;
  validate?(request: AdmissionRequest, context: AdmissionContext): void | Promise<void>;
}

/** Both halves of the chain; each returns a promise only when a step had to wait. */
export interface AdmissionChain {
  mutate(request: AdmissionRequest): void | Promise<void>;
  validate(request: AdmissionRequest): void | Promise<void>;
}

/** Joins steps in the order given. */
export function chainAdmission(steps: readonly AdmissionStep[], context: AdmissionContext): AdmissionChain {
  const mutating = steps.filter((step) => step.mutate !== undefined);
  const validating = steps.filter((step) => step.validate !== undefined);
  return {
    mutate: (request) =>
      mutateTwice(request, () => runInOrder(mutating, request, (step) => step.mutate?.(request, context))),
    validate: (request) => runInOrder(validating, request, (step) => step.validate?.(request, context)),
  };
}

/** Steps that others' changes may concern see them: everything runs again, once. */
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
