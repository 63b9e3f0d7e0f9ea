/** What nodes are called. Pure. */

/** `node` where there is one, `node-1` and so on where there are several. */
export function nodeName(index: number, count: number): string {
  return count === 1 ? "node" : `node-${index + 1}`;
}
