/** The CustomResourceDefinitions of OLM's kinds, equivalent to those of the Operator Lifecycle Manager. */
import type { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import * as extensionFacts from "./generated/extension-facts.ts";
import * as operatorFacts from "./generated/facts.ts";

type Node = { readonly [key: string]: unknown };

/** Every CRD that the manager installs. */
export function olmDefinitions(): readonly CustomResourceDefinition[] {
  return [operatorFacts, extensionFacts].flatMap(({ crds, schemas }) =>
    crds.map((text) => toDefinition(JSON.parse(text) as Facts, schemas)),
  );
}

/** The facts of a CRD as the generator writes them. */
interface Facts {
  readonly name: string;
  readonly group: string;
  readonly names: object;
  readonly scope: string;
  readonly versions: readonly { readonly schema: number }[];
}

type Schemas = readonly string[];

function toDefinition({ name, group, names, scope, versions }: Facts, schemas: Schemas): CustomResourceDefinition {
  const expanded = versions.map((version) => ({
    ...version,
    schema: { openAPIV3Schema: expand(version.schema, schemas) },
  }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: { group, names, scope, conversion: { strategy: "None" }, versions: expanded },
    // The facts are those of a stored CRD, which the server checks again.
  } as unknown as CustomResourceDefinition;
}

/** A schema with its children in place of their numbers. */
function expand(at: number, schemas: Schemas): Node {
  const node = JSON.parse(schemas[at] ?? "{}") as Node;
  const { properties, items, additionalProperties, ...facts } = node;
  return {
    ...facts,
    ...(properties === undefined
      ? {}
      : { properties: expandAll(properties as { readonly [name: string]: number }, schemas) }),
    ...(typeof items === "number" ? { items: expand(items, schemas) } : {}),
    ...(typeof additionalProperties === "number"
      ? { additionalProperties: expand(additionalProperties, schemas) }
      : {}),
    ...(typeof additionalProperties === "boolean" ? { additionalProperties } : {}),
  };
}

function expandAll(properties: { readonly [name: string]: number }, schemas: Schemas): Node {
  return Object.fromEntries(Object.entries(properties).map(([name, index]) => [name, expand(index, schemas)]));
}
