/** Which source files of a package users can import, as its manifest says. */

/** What the build reads of a package.json. */
export interface PackedManifest {
  readonly exports: { readonly [entry: string]: { readonly "@capstan/source": string } };
}

/** The sources behind the manifest's exports; a pattern (`./*`) stands for every file that it matches. */
export function entriesOf({ exports }: PackedManifest, find: (pattern: string) => readonly string[]): string[] {
  return Object.values(exports).flatMap((target) => {
    const source = target["@capstan/source"];
    return source.includes("*") ? find(source.replace("*", "**/*")).map((file) => `./${file}`) : [source];
  });
}
