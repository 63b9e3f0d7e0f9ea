/** Where we say something else than the oracle, and why. Everything that is not here must be the same, sentence by sentence. */

/** A difference that we keep. */
export interface Difference {
  readonly why: string;
  /** Whether the lines that only one side has are this difference. */
  readonly explains: (ours: readonly string[], theirs: readonly string[]) => boolean;
}

const all = (lines: readonly string[], pattern: RegExp): boolean => lines.every((line) => pattern.test(line));

/** The differences. */
export const differences: readonly Difference[] = [
  {
    why: "operator-framework/api crashes on an empty list of icons (index out of range); we say that there should be one",
    explains: (ours, theirs) =>
      theirs.includes("panic") && ours.some((line) => line.includes("csv.Spec.Icon should only have one element")),
  },
  {
    why: "types that Go names and OpenAPI does not (`v1.PullPolicy`) are plain strings in our sentences",
    explains: (ours, theirs) =>
      all([...ours, ...theirs], /cannot unmarshal .* of type /) &&
      ours.every((line) => theirs.includes(line) || theirs.some((other) => untyped(other) === untyped(line))),
  },
  {
    why: "an image without a name is not looked at, while others ask docker for it; both say that nothing is known of it",
    explains: (ours, theirs) => all([...ours, ...theirs], /unable to inspect the image \(\) : /),
  },
  {
    why: "groups of mail addresses (`name:a@b,c@d;`), which nobody is called, get another sentence; both refuse them",
    explains: (ours, theirs) => all([...ours, ...theirs], /csv\.Spec\.Maintainers email .* is invalid: mail: /),
  },
  {
    why: "the folder of the manifests is named from the bundle's root, and not from where the tool was called",
    explains: (ours, theirs) => all([...ours, ...theirs], /bundle (from )?directory/),
  },
];

function untyped(line: string): string {
  return line.replace(/ of type \S+?(?=,|\]|$|:)/g, "");
}
