/** The files that are made from code and data of this repository: each maker gives their paths and texts. */
import { facadeKinds } from "./facade-kinds.ts";

export interface Page {
  readonly file: string;
  readonly text: string;
}

const makers: readonly (() => Page[] | Promise<Page[]>)[] = [facadeKinds];

export async function generatedPages(): Promise<Page[]> {
  return (await Promise.all(makers.map(async (make) => make()))).flat();
}
