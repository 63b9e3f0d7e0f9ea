/** The names of nodes. Pure. */

/** `node` for a single node, otherwise `node-1` and so on. */
export function nodeName(index: number, count: number): string {
  return count === 1 ? "node" : `node-${index + 1}`;
}
