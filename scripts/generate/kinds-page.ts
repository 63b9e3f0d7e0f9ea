/** docs/reference/kinds.md: what the embedded API server knows about each built-in kind, from its own rules. */
import { startApiServer, type ServerParts } from "@capstan/apiserver";
import type { Page } from "./pages.ts";

type Resource = ReturnType<ServerParts["registry"]["all"]> extends Iterable<infer One> ? One : never;

const introduction = `# Built-in kinds of the embedded API server

Generated from the rules of each kind. Every kind of Kubernetes 1.36 is served with its structure, its metadata, lists, watches, patches
and server-side apply. This table says what is known beyond that:

- **defaults**: fields that the server fills in;
- **create** and **update**: the spec is validated as kube-apiserver does it, and what must not change is refused;
- **subresources**: those with rules of their own (the others are served as a plain view, or answer 501);
- **fields**: what a field selector may name beside name and namespace;
- **rows**: kubectl's columns are filled in by the server;
- **structure only**: the kind is stored as it comes, if its fields have the right types.

| kind | apiVersion | defaults | create | update | subresources | fields | rows |
|---|---|---|---|---|---|---|---|
`;

/** The page. */
export async function kindsPage(): Promise<Page[]> {
  await using server = await startApiServer();
  const rows = [...server.parts.registry.all()].filter(({ isCustom }) => !isCustom).map(rowOf);
  return [{ file: "docs/reference/kinds.md", text: `${introduction}${rows.toSorted().join("\n")}\n` }];
}

function rowOf({ kind, apiVersion, rules, subresources }: Resource): string {
  if (rules.serves === "answers") return line(kind, apiVersion, ["", "answered, not stored", "", "", "", ""]);
  if (Object.keys(rules).length === 0) return line(kind, apiVersion, ["", "structure only", "", "", "", ""]);
  const known = Object.keys(rules.subresources ?? {}).filter((name) => subresources.has(name));
  return line(kind, apiVersion, [
    mark("defaults" in rules),
    mark("validateCreate" in rules),
    mark("validateUpdate" in rules),
    known.join(", "),
    Object.keys(rules.fields ?? {}).join(", "),
    mark("table" in rules),
  ]);
}

function line(kind: string, apiVersion: string, cells: readonly string[]): string {
  return `| ${[kind, apiVersion, ...cells].join(" | ")} |`;
}

function mark(isThere: boolean): string {
  return isThere ? "yes" : "";
}
