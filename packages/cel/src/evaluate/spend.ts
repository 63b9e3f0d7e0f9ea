/** Every call reads its arguments: the work grows with strings and bytes, whose costs do not always reflect it. */

import type { CelResult } from "../values/value.ts";
import { spend } from "../work.ts";

/** Counts the reading of one argument; lists and maps count when their elements are read. */
export function spendOn(value: CelResult): void {
  if (typeof value === "string") spend(value.length / 4);
  else if (value instanceof Uint8Array) spend(value.length / 4);
}
