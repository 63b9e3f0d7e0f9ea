/** Resolves the scalars of a YAML document, and rejects escapes that Go rejects. */
import type * as Yaml from "yaml";
import type { JsonValue } from "../builtin/draft.ts";
import { readPlainScalar, type YamlTag } from "./yaml-scalar.ts";

/** The value of a scalar; `refuse` creates the error. */
export function readScalar(node: Yaml.Scalar, refuse: (why: string) => Error): JsonValue {
  const { source = "", type, tag } = node;
  const asked = tag?.replace("tag:yaml.org,2002:", "").replace("!!", "");
  if (asked === "binary") return readBytes(source, refuse);
  if (asked !== undefined && !tags.has(asked) && asked !== "timestamp") return String(node.value);
  if (asked === undefined && type !== "PLAIN") return String(node.value);
  const read = readPlainScalar(source);
  if (asked !== undefined && asked !== "timestamp" && !isSameTag(read.tag, asked)) {
    throw refuse(`yaml: cannot decode !!${read.tag} \`${source}\` as a !!${asked}`);
  }
  if (typeof read.value === "number" && !Number.isFinite(read.value)) throw refuse(unsupported(read.value));
  return read.value;
}

const tags: ReadonlySet<string> = new Set(["null", "bool", "int", "float"]);

function isSameTag(found: YamlTag, asked: string): boolean {
  return found === asked || (found === "int" && asked === "float");
}

/** JSON cannot represent these numbers. */
function unsupported(value: number): string {
  return `json: unsupported value: ${Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"}`;
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes `!!binary` to a string. */
function readBytes(source: string, refuse: (why: string) => Error): string {
  const plain = source.replaceAll(/\s/g, "");
  if (plain.length % 4 !== 0 || !base64.test(plain)) {
    throw refuse("yaml: !!binary value contains invalid base64 data");
  }
  return Buffer.from(plain, "base64").toString("utf8");
}
