/** The process that strips types. It is separate because Node prints an experimental warning that users should not see. */
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
