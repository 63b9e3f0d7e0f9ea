/** Writes the values of one module: a tiny frozen object for each kind that is served there, and the types beside it. */
import type { GroupVersionDocument } from "./documents.ts";

/** The text of the module of a group and version; types come from the module of shapes, which is never loaded. */
export function writeValues(document: GroupVersionDocument, known: ReadonlySet<string>): string {
  const module = moduleOf(document);
  const up = "../".repeat(module.split("/").length);
  const kinds = mainKinds(document).filter(({ kind }) => known.has(kind));
  const lines = kinds.map((resource) => valueOf(document, resource));
  return [
    `import type { Kind } from "@capstan/model";\n`,
    `import type * as shapes from "${up}shapes/${module}.ts";\n\n`,
    `export type * from "${up}shapes/${module}.ts";\n\n`,
    ...lines,
  ].join("");
}

/** The name of the module of a group and version: `v1`, `apps/v1`. */
export function moduleOf({ group, version }: Pick<GroupVersionDocument, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

interface MainKind {
  readonly kind: string;
  readonly plural: string;
  readonly scope: string;
}

/** The kinds with a resource, each once. */
function mainKinds({ resources }: GroupVersionDocument): MainKind[] {
  const main = resources.filter(({ name }) => !name.includes("/"));
  return main.map(({ kind, name, namespaced }) => ({
    kind,
    plural: name,
    scope: namespaced ? "Namespaced" : "Cluster",
  }));
}

function valueOf({ group, version }: GroupVersionDocument, { kind, plural, scope }: MainKind): string {
  const fields = JSON.stringify({ group, version, kind, plural, scope });
  return [
    `export type ${kind} = shapes.${kind};\n`,
    `export const ${kind}: Kind<shapes.${kind}, shapes.${kind}Apply, "${scope}"> = /* @__PURE__ */ Object.freeze(${fields} as const);\n`,
  ].join("");
}
