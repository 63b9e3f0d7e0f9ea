/** `capstan/kinds/apps/v1` and its like: one line each, so that users need only one package. */
import { globSync } from "node:fs";
import type { Page } from "./pages.ts";

const source = "packages/kinds/src/generated/kinds";

export function facadeKinds(): Page[] {
  return globSync(`${source}/**/*.ts`)
    .map((file) => file.slice(source.length + 1, -".ts".length))
    .sort()
    .map((groupVersion) => ({
      file: `packages/capstan/src/generated/kinds/${groupVersion}.ts`,
      text: `export * from "@capstan/kinds/${groupVersion}";\n`,
    }));
}
