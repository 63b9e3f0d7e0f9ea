/** The files that are generated from code and data of this repository: each generator returns paths and texts. */
import { apiPages } from "./api-pages.ts";
import { commandsPage } from "./commands-page.ts";
import { conformancePage } from "./conformance-page.ts";
import { facadeKinds } from "./facade-kinds.ts";
import { kindsPage } from "./kinds-page.ts";
import { slowestTests } from "./slowest-tests.ts";

export interface Page {
  readonly file: string;
  readonly text: string;
}

const makers: readonly (() => Page[] | Promise<Page[]>)[] = [
  apiPages,
  commandsPage,
  conformancePage,
  facadeKinds,
  kindsPage,
  slowestTests,
];

export async function generatedPages(): Promise<Page[]> {
  return (await Promise.all(makers.map(async (make) => make()))).flat();
}
