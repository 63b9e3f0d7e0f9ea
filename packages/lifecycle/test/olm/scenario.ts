/** A scenario: steps that are run against the original manager and against ours, with what is in the cluster after each pause. */
import type { Json } from "@capstan/model";

/** Any object. */
export interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** An object by its kind and name. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** One step. */
export type Step =
  | { readonly do: "apply"; readonly object: AnyObject }
  | { readonly do: "patch"; readonly of: Target; readonly patch: object; readonly subresource?: "status" }
  | { readonly do: "delete"; readonly of: Target }
  /** Serves a catalog, or another content of it. */
  | { readonly do: "serve"; readonly catalog: string; readonly blobs: readonly Json[] }
  /** Ends the server of a catalog. */
  | { readonly do: "vanish"; readonly catalog: string }
  /** Approves all plans of a namespace that wait for it. */
  | { readonly do: "approve"; readonly namespace: string }
  /** Deletes all plans of a namespace. */
  | { readonly do: "delete-plans"; readonly namespace: string }
  /** Waits until nothing changes any more, and notes what is in the cluster. */
  | { readonly do: "settle"; readonly note?: string };

/** A scenario. Everything that it creates has its name in the namespace or the name. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly steps: readonly Step[];
}

/** The names of a scenario. */
export interface Names {
  /** The prefix of everything. */
  readonly id: string;
  /** The namespace that most scenarios need. */
  readonly ns: string;
  /** The API group of the CRDs. */
  readonly group: string;
}

/** Defines a scenario. */
export function scenario(name: string, about: string, steps: (names: Names) => readonly Step[]): Scenario {
  // The end keeps the names of one scenario from being the beginning of those of another.
  const id = `${name}-x`;
  return { name, about, steps: steps({ id, ns: `${id}-ns`, group: `${name}.example.com` }) };
}

/** Whether a scenario has an operator for all namespaces, which puts copies into those of other scenarios. */
export function isAlone({ steps }: Scenario): boolean {
  return steps.some((step) => {
    if (step.do !== "apply" || step.object.kind !== "OperatorGroup") return false;
    return Object.keys((step.object["spec"] ?? {}) as object).length === 0;
  });
}

/** The objects after a pause, by kind, namespace and name, without what differs from run to run. */
export interface Snapshot {
  readonly [key: string]: Json;
}

/** What a manager did: one snapshot for each pause. */
export type Answer = readonly Snapshot[];
