/** Reads untrusted YAML: errors are one sentence, and aliases cannot expand without limit. */
import { type Document, type ParsedNode, parseAllDocuments } from "yaml";
import { CliError } from "../errors.ts";

/** The limit of nodes from aliases; more indicates an attack. */
const MOST_ALIASES = 1_000;

/** The documents of a text as values; integers as numbers, or exactly as bigints. */
export function readYaml(text: string, name: string, integers: "numbers" | "exact" = "numbers"): unknown[] {
  return documentsOf(text, integers === "exact").map((document) => {
    const problem = problemOf(document);
    if (problem !== undefined) throw new CliError("BadInput", `cannot read ${name}: ${problem}`);
    try {
      return document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown;
    } catch (cause) {
      throw new CliError("BadInput", `cannot read ${name}: ${(cause as Error).message}`, { cause });
    }
  });
}

/** The error of a text, or undefined. */
export function findYamlProblem(text: string): string | undefined {
  const documents = documentsOf(text);
  return documents.length === 0 ? "it is empty" : documents.map(problemOf).find((problem) => problem !== undefined);
}

/** The parser returns a special value for an empty text; here it is an empty list. */
function documentsOf(text: string, intAsBigInt = false): readonly Document.Parsed<ParsedNode>[] {
  const documents = parseAllDocuments(text, { intAsBigInt });
  return Array.isArray(documents) ? documents : [];
}

function problemOf({ errors: [first] }: Document.Parsed<ParsedNode>): string | undefined {
  if (first === undefined) return undefined;
  // The parser recurses until its stack overflows, and reports that.
  if (first.message.startsWith("Maximum call stack")) return "its parts are nested too deeply";
  return first.message.split(/:?\n/, 1)[0];
}
