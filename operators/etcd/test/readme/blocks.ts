/** The README's walkthrough as a list of steps: what to type, what to see, and on which cluster. */

/** A block of the walkthrough. */
export type Step =
  | { readonly do: "type"; readonly lines: readonly string[]; readonly where: "everywhere" | "embedded" }
  | { readonly do: "see"; readonly lines: readonly string[] };

/** The blocks under a heading; a comment before a block names its kind or its cluster. Default: to be typed on every cluster. */
export function readWalk(markdown: string, heading: string): readonly Step[] {
  const [, section = ""] = markdown.split(`## ${heading}\n`);
  const [walk = ""] = section.split(/^## /mu);
  const blocks = walk.matchAll(/(?:<!-- (?<note>[^>]*) -->\n\n)?```\w+\n(?<text>[\s\S]*?)```/gu);
  return [...blocks].map(({ groups }) => toStep(groups?.["note"], (groups?.["text"] ?? "").trim().split("\n")));
}

function toStep(note: string | undefined, lines: readonly string[]): Step {
  switch (note) {
    case undefined:
      return { do: "type", lines, where: "everywhere" };
    case "embedded":
      return { do: "type", lines, where: "embedded" };
    case "output":
      return { do: "see", lines };
    default:
      throw new Error(`a block of the walk says ${note}: it is to be typed, or "embedded", or "output"`);
  }
}
