/** Generates the facts of OLM's CRDs from published CRDs: `definitions.ts FOLDER NAME`. `facts` are those of the module operator-framework/api, `extension-facts` those of operator-controller. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

interface Schema {
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly [key: string]: unknown;
}

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: unknown;
    readonly scope: string;
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: Schema };
      readonly [key: string]: unknown;
    }[];
  };
}

const nodes: string[] = [];
const indexes = new Map<string, number>();

/** The index of a schema. Equal schemas share one: most of a ClusterServiceVersion is the same few shapes of a pod. */
function indexOf({ description: _description, properties, items, additionalProperties, ...facts }: Schema): number {
  const node: { [key: string]: unknown } = { ...facts };
  if (properties !== undefined) {
    node["properties"] = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, indexOf(each)]));
  }
  if (items !== undefined) node["items"] = indexOf(items);
  if (additionalProperties !== undefined) {
    node["additionalProperties"] =
      typeof additionalProperties === "boolean" ? additionalProperties : indexOf(additionalProperties);
  }
  const text = JSON.stringify(node);
  const known = indexes.get(text);
  if (known !== undefined) return known;
  indexes.set(text, nodes.length);
  return nodes.push(text) - 1;
}

function definitionOf({ metadata, spec }: Crd): string {
  const versions = spec.versions.map(({ schema, ...version }) => ({
    ...version,
    schema: indexOf(schema.openAPIV3Schema),
  }));
  return JSON.stringify({ name: metadata.name, group: spec.group, names: spec.names, scope: spec.scope, versions });
}

/** The kind has had three names; Capstan keeps the one of its documentation (decision record 0037). */
function renamed(text: string): string {
  return text
    .replaceAll("ClusterObjectSet", "ClusterExtensionRevision")
    .replaceAll("clusterobjectset", "clusterextensionrevision");
}

const [folder = "", name = "facts"] = process.argv.slice(2);
const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
const definitions = files.map((file) => definitionOf(parse(renamed(readFileSync(join(folder, file), "utf8")))));
const table = (items: readonly string[]): string => items.map((item) => `  ${JSON.stringify(item)},\n`).join("");
writeFileSync(
  new URL(`../src/definitions/generated/${name}.ts`, import.meta.url),
  `/** The facts of OLM's CRDs, written by generate/definitions.ts: schemas as JSON, in which a number stands for another schema. */
export const schemas: readonly string[] = [
${table(nodes)}];

/** The CRDs as JSON, without their schemas. */
export const crds: readonly string[] = [
${table(definitions)}];
`,
);
