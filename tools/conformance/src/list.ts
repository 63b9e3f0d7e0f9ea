/** Lists of official tests: one full name a line, `#` starts a comment. */

export function parseList(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The pattern by which the runner finds exactly this test. */
export function toFocus(name: string): string {
  return `^Kubernetes e2e suite ${name.replaceAll(/[\][\\.*^$+?(){}|/]/g, String.raw`\$&`)}$`;
}
