/** Heap settings for processes that serve for a long time: see decision 25 for the measurements. */
import { setFlagsFromString } from "node:v8";

/** Node options for a serving process: the size of its young generation is fixed at the start. */
export const servingOptions: readonly string[] = ["--max-semi-space-size=1"];

/**
 * Limits the heap growth of this process. The heap may double before a full collection. By default, V8 lets a heap of this size grow
 * fourfold and returns nothing, because garbage of requests outlives a small young generation.
 */
export function growSlowly(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
