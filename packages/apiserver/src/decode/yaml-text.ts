/** Reads YAML bodies into JSON values. The library is large and such bodies are rare: the first one loads it. */
import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import type { JsonValue } from "../builtin/draft.ts";
import type { StrictProblems } from "./strict.ts";

const require = createRequire(import.meta.url);
const parseDocument: typeof Yaml.parseDocument = (text, options) =>
  (require("yaml") as typeof Yaml).parseDocument(text, options);

/** Text that is not YAML. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
  readonly code = "YamlSyntaxError";
}

/** Reads one YAML document; keys that occur twice are reported, the last one counts. */
export function parseYaml(text: string, problems?: StrictProblems): JsonValue {
  const document = parseDocument(text, { version: "1.1", uniqueKeys: false, merge: true, logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    const place = line === undefined ? "" : `line ${line}: `;
    throw new YamlSyntaxError(`error converting YAML to JSON: yaml: ${place}${error.message.split("\n")[0] ?? ""}`);
  }
  if (problems !== undefined) reportDuplicates(text, problems);
  return toJsonValue(document.toJS({ maxAliasCount: 100 }));
}

function reportDuplicates(text: string, problems: StrictProblems): void {
  const strict = parseDocument(text, { version: "1.1", uniqueKeys: true, merge: true, logLevel: "silent" });
  for (const error of strict.errors) {
    if (error.code !== "DUPLICATE_KEY") continue;
    const key = /^[^:\s]+/.exec(text.slice(error.pos[0]))?.[0] ?? "";
    problems.duplicateKey(error.linePos?.[0].line ?? 0, key);
  }
}

/** What YAML has beyond JSON becomes what Go makes of it: dates are text, keys are text. */
function toJsonValue(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, part]) => [String(key), toJsonValue(part)]));
  }
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toJsonValue(part)]));
  }
  return value as JsonValue;
}
