/** Errors of YAML text in the words of Go's library, which distinguishes scanner and parser errors. */

/** An error of this server's YAML library. */
export interface YamlProblem {
  readonly code: string;
  readonly message: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

type Complaint = readonly [pattern: RegExp, words: string, stage: "scanner" | "end" | "parser"];

const complaints: readonly Complaint[] = [
  [
    /^BLOCK_AS_IMPLICIT_KEY|^BLOCK_IN_FLOW|Nested mappings|same line with directives-end/,
    "mapping values are not allowed in this context",
    "scanner",
  ],
  [
    /^TAB_AS_INDENT|reserved character|(?:directive|block scalar) indicator/,
    "found character that cannot start any token",
    "scanner",
  ],
  [/Missing closing ['"]/, "found unexpected end of stream", "scanner"],
  [/end with a \]/, "did not find expected ',' or ']'", "end"],
  [/end with a \}/, "did not find expected ',' or '}'", "end"],
  [/Block scalar header/, "did not find expected comment or line break", "scanner"],
  [/^BAD_DQ_ESCAPE.*\\[xuU]/, "did not find expected hexdecimal number", "scanner"],
  [/^BAD_DQ_ESCAPE/, "found unknown escape character", "scanner"],
  [/Implicit map keys|Implicit keys/, "could not find expected ':'", "scanner"],
  [/same column|must be indented|All mapping items/, "did not find expected key", "parser"],
];

/** The Go message; an error without a known Go message keeps its own. */
export function complaintOf({ code, message, line, text }: YamlProblem): string {
  const [first = ""] = message.split("\n");
  // An open bracket at the end of the text, after a character that needs a value.
  if (/end with a [\]}]/.test(first) && /[[{,:]\s*$/.test(text))
    return `yaml: line ${line}: did not find expected node content`;
  if (/^\s*[\]}]|\{\s*\]|\[\s*\}/.test(text)) return "yaml: did not find expected node content";
  const found = complaints.find(([pattern]) => pattern.test(`${code} ${first}`));
  if (found === undefined) return `yaml: line ${line}: ${first}`;
  const [, words, stage] = found;
  return `yaml: ${placeOf(stage, line)}${words}`;
}

/** Go's scanner omits the first line; its parser counts from zero and omits zero. */
function placeOf(stage: Complaint[2], line: number): string {
  const shown = stage === "parser" ? line - 1 : line;
  return shown === 0 || (stage === "scanner" && line === 1) ? "" : `line ${shown}: `;
}
