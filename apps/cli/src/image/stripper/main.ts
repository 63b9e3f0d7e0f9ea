/** The process that takes the types out of sources: Node warns that it may do it otherwise one day, which is not for users to read. */
import { stripTypeScriptTypes } from "node:module";
import type { Stripped } from "../strip.ts";

process.once("message", (sources: readonly string[]) => {
  process.send?.(strip(sources), undefined, {}, () => process.disconnect());
});

function strip(sources: readonly string[]): Stripped {
  const texts: string[] = [];
  for (const source of sources) {
    try {
      texts.push(stripTypeScriptTypes(source));
    } catch (error) {
      return { why: error instanceof Error ? error.message : String(error), at: texts.length };
    }
  }
  return { texts };
}
