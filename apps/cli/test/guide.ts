/** Reads a guide as a list of steps: files to write, commands to run, output to expect. */

/** One step of a guide. */
export type GuideStep =
  | { readonly do: "write"; readonly path: string; readonly text: string }
  | { readonly do: "run"; readonly commands: string }
  | { readonly do: "run-beside"; readonly commands: string }
  | { readonly do: "expect"; readonly lines: readonly string[] };

/**
 * The steps of a guide, in order. A comment before a block says what it is; a plain `sh` block is run. An example is only shown: the
 * check compiles it if it is TypeScript.
 */
export function readGuide(markdown: string): GuideStep[] {
  const blocks = markdown.matchAll(/(?:<!-- (?<note>[^>]*?) -->\n\n)?```(?<language>\w+)\n(?<text>[\s\S]*?)```/g);
  return [...blocks]
    .filter(({ groups }) => groups?.["note"] !== "example")
    .map(({ groups }) => toStep(groups?.["note"] ?? "", groups?.["language"] ?? "", groups?.["text"] ?? ""));
}

function toStep(note: string, language: string, text: string): GuideStep {
  if (note.startsWith("file: ")) return { do: "write", path: note.slice("file: ".length), text };
  if (note === "output") return { do: "expect", lines: text.trimEnd().split("\n") };
  if (note === "second terminal") return { do: "run-beside", commands: text };
  if (note === "" && language === "sh") return { do: "run", commands: text };
  throw new Error(`a block of ${language} in the guide says neither what it is nor can be run:\n${text}`);
}
