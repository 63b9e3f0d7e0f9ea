/** Reads YAML that somebody else wrote: what cannot be read is told in one sentence, and aliases cannot make much of little. */
import { readYamlDocuments, type YamlDocument } from "@capstan/bundle";
import { CliError } from "../errors.ts";

/** YAML that unfolds beyond this many nodes through its aliases means no good. */
const MOST_ALIASES = 1_000;

/** The documents of a text as values; integers as numbers, or exactly, as bigints. */
export function readYaml(text: string, name: string, integers: "numbers" | "exact" = "numbers"): unknown[] {
  return readYamlDocuments(text, { intAsBigInt: integers === "exact" }).map((document) => {
    const problem = problemOf(document);
    if (problem !== undefined) throw new CliError("BadInput", `cannot read ${name}: ${problem}`);
    try {
      return document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown;
    } catch (cause) {
      throw new CliError("BadInput", `cannot read ${name}: ${(cause as Error).message}`, { cause });
    }
  });
}

/** What keeps a text from being read, if something does. */
export function findYamlProblem(text: string): string | undefined {
  const documents = readYamlDocuments(text);
  return documents.length === 0 ? "it is empty" : documents.map(problemOf).find((problem) => problem !== undefined);
}

function problemOf({ errors: [first] }: YamlDocument): string | undefined {
  if (first === undefined) return undefined;
  // The parser climbs down until its stack ends, and tells that.
  if (first.message.startsWith("Maximum call stack")) return "its parts are nested too deeply";
  return first.message.split(/:?\n/, 1)[0];
}
