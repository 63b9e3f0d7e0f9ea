/** How Node is started for an operator, wherever we start it: in images, and where we measure ourselves. */

/**
 * A small young generation: an operator makes much that it needs for one reconcile only, and with more room V8 lets all of it lie about. In a burst
 * this takes a sixth of the memory away and no time that could be measured. It holds only from the start of a process.
 */
export const nodeFlags: readonly string[] = ["--max-semi-space-size=4"];
