/** A custom kind for one case: its CRD, its paths, and its objects. */
import { post, type Step } from "../../case.ts";

/** Parts of schemas and objects. */
export type Part = { readonly [field: string]: unknown };

/** The path of CRDs. */
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** The path of the objects. */
export const widgets = "/apis/{ns}.dev/v1/namespaces/{ns}/widgets";

/** A CRD with one version. */
export function definition(schema: Part, version: Part = {}, spec: Part = {}): Part {
  const only = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.{ns}.dev" },
    spec: {
      group: "{ns}.dev",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [only],
      ...spec,
    },
  };
}

/** A schema with some properties of `spec`. */
export function specOf(properties: Part): Part {
  return { type: "object", properties: { spec: { type: "object", properties } } };
}

/** An object of the kind. */
export function widget(spec: unknown, more: Part = {}): Part {
  return { apiVersion: "{ns}.dev/v1", kind: "Widget", metadata: { name: "w" }, spec, ...more };
}

/** Creates the CRD and waits until it is served. */
export function define(schema: Part, version: Part = {}, spec: Part = {}): Step {
  return post(definitions, definition(schema, version, spec), { quiet: true, settle: 1500 });
}

/** Sends objects with one field each, as dry runs. */
export function tries(values: readonly unknown[]): Step[] {
  return values.map((x) => post(`${widgets}?dryRun=All`, widget({ x })));
}
