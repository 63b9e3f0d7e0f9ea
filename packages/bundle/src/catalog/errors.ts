/** The errors of catalogs, by code, and the tree of problems that `opm validate` prints. */

export type CatalogErrorCode =
  | "BadBlob"
  | "BadReference"
  | "BadTemplate"
  | "Invalid"
  | "NotFound"
  | "TooLarge"
  | "Unavailable"
  | "Unreadable";

/** A failed catalog operation. The message says what failed, why, and what to do. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  readonly code: CatalogErrorCode;

  constructor(code: CatalogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A problem of a part of a catalog, with the problems below it. */
export interface ProblemTree {
  readonly title: string;
  readonly problems: readonly (string | ProblemTree)[];
}

/** The tree as text, one problem a line. */
export function formatProblems(tree: ProblemTree): string {
  return [`${tree.title}:`, ...linesBelow(tree)].join("\n");
}

function linesBelow({ problems }: ProblemTree): string[] {
  return problems.flatMap((problem, at) => {
    const isLast = at === problems.length - 1;
    const mark = isLast ? "└── " : "├── ";
    if (typeof problem === "string") return [`${mark}${problem}`];
    const indent = isLast ? "    " : "│   ";
    return [`${mark}${problem.title}:`, ...linesBelow(problem).map((line) => `${indent}${line}`)];
  });
}

/** A list of problems as one tree, or nothing without problems. */
export function treeOf(
  title: string,
  problems: readonly (string | ProblemTree | undefined)[],
): ProblemTree | undefined {
  const found = problems.filter((problem) => problem !== undefined);
  return found.length === 0 ? undefined : { title, problems: found };
}
