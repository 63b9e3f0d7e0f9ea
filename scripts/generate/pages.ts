/** The pages that are made from code: each package that has tables to show offers one here. */
export interface Page {
  readonly file: string;
  readonly text: string;
}

const generators: readonly (() => Promise<Page>)[] = [];

export function generatedPages(): Promise<Page[]> {
  return Promise.all(generators.map((generate) => generate()));
}
