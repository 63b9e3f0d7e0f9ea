/** The structure of the built-in kinds: OpenAPI schemas without descriptions, references as plain names of other definitions. */
import type { GroupVersionKind, Json } from "@capstan/model";
import facts from "./generated/facts/definitions.json" with { type: "json" };

/** The structure of one value. */
export interface Definition {
  readonly $ref?: string;
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly format?: string;
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly properties?: { readonly [name: string]: Definition };
  readonly required?: readonly string[];
  readonly items?: Definition;
  readonly additionalProperties?: Definition;
  readonly oneOf?: readonly Definition[];
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-unions"?: Json;
}

/** All definitions by name: `io.k8s.api.apps.v1.Deployment`. */
export function builtInDefinitions(): { readonly [name: string]: Definition } {
  return facts as unknown as { readonly [name: string]: Definition };
}

let namesByKind: ReadonlyMap<string, string> | undefined;

/** The name of the definition of a kind. */
export function definitionNameOf({ group, version, kind }: GroupVersionKind): string | undefined {
  namesByKind ??= indexByKind(builtInDefinitions());
  return namesByKind.get(`${group}/${version}/${kind}`);
}

/** The definition of a kind. */
export function definitionOf(kind: GroupVersionKind): Definition | undefined {
  const name = definitionNameOf(kind);
  return name === undefined ? undefined : builtInDefinitions()[name];
}

function indexByKind(definitions: { readonly [name: string]: Definition }): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { group, version, kind } of definition["x-kubernetes-group-version-kind"] ?? []) {
      names.set(`${group}/${version}/${kind}`, name);
    }
  }
  return names;
}
