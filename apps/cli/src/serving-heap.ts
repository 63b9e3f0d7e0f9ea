/** How the heap grows of a process that serves for long: decision 25 has the figures. */
import { setFlagsFromString } from "node:v8";

/** Options for a Node that is started to serve: the size of its young generation is fixed when it starts. */
export const servingOptions: readonly string[] = ["--max-semi-space-size=1"];

/**
 * Says that this process serves from now on. A heap may double before it is looked through as a whole. Left to itself, V8 lets one of this size
 * grow fourfold and gives nothing back, because what requests leave behind outlives a small young generation.
 */
export function growSlowly(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
