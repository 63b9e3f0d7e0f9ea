/** The source files of a package that users can import, according to its manifest. */

/** The fields of a package.json that the build reads. */
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
