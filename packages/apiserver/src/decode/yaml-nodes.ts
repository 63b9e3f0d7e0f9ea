/** Checks the nodes of a YAML document and gives its scalars the values that Go would. */
import { quote } from "@capstan/model";
import type * as Yaml from "yaml";
import { readPlainScalar, type YamlTag } from "./yaml-scalar.ts";

/** What the library offers; it is loaded late. */
type Library = Pick<typeof Yaml, "visit" | "isScalar" | "isCollection">;

/** Goes through a document; `refuse` makes the error to throw. */
export function settleNodes(library: Library, document: Yaml.Document, refuse: (why: string) => Error): void {
  library.visit(document, {
    Alias(_, { source }, path) {
      const isInside = path.some((node) => "anchor" in node && node.anchor === source);
      if (isInside) throw refuse(`yaml: anchor '${source}' value contains itself`);
    },
    Scalar(_, node) {
      if (isBytes(node)) checkBytes(node, refuse);
      else settleScalar(node, refuse);
    },
  });
  library.visit(document, {
    Pair(_, { key, value }) {
      if (library.isCollection(key)) throw refuse(`yaml: invalid map key: ${goSyntax(key.toJS(document))}`);
      if (!library.isScalar(key) || key.value !== null) return;
      const shown = goSyntax(hasValue(value) ? value.toJS(document) : value);
      throw refuse(
        (key.source ?? "") === ""
          ? "yaml: did not find expected key"
          : `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${shown}`,
      );
    },
  });
}

function hasValue(value: unknown): value is { toJS(document: Yaml.Document): unknown } {
  return typeof value === "object" && value !== null && "toJS" in value;
}

function isBytes({ tag }: Yaml.Scalar): boolean {
  return tag === "tag:yaml.org,2002:binary" || tag === "!!binary";
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function checkBytes({ source = "" }: Yaml.Scalar, refuse: (why: string) => Error): void {
  if (!base64.test(source.replaceAll(/\s/g, ""))) throw refuse("yaml: !!binary value contains invalid base64 data");
}

const tags: ReadonlySet<string> = new Set(["null", "bool", "int", "float"]);

/** A scalar without quotes, or with a tag that says what it is. */
function settleScalar(node: Yaml.Scalar, refuse: (why: string) => Error): void {
  const { source, type, tag } = node;
  const asked = tag?.replace("tag:yaml.org,2002:", "").replace("!!", "");
  if (source === undefined || (asked !== undefined && !tags.has(asked) && asked !== "timestamp")) return;
  if (asked === undefined && type !== "PLAIN") return;
  const read = readPlainScalar(source);
  node.value = read.value;
  if (asked === undefined || asked === "timestamp" || isSameTag(read.tag, asked)) return;
  throw refuse(`yaml: cannot decode !!${read.tag} \`${source}\` as a !!${asked}`);
}

function isSameTag(found: YamlTag, asked: string): boolean {
  return found === asked || (found === "int" && asked === "float");
}

/** A value as Go's syntax shows it. */
function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value !== "object") return JSON.stringify(value) ?? "";
  const entries = Object.entries(value).map(([key, part]) => `${quote(key)}:${goSyntax(part)}`);
  return `map[interface {}]interface {}{${entries.join(", ")}}`;
}
