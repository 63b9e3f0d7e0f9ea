/** The versions of Node that the command and the projects of `capstan init` support. */

/** A version as major and minor number. */
export type NodeVersion = readonly [major: number, minor: number];

/** The command and operators run on this version and newer ones. */
export const oldestNode: NodeVersion = [22, 18];

/** The tests of projects use `await using`, which older versions cannot parse. */
export const oldestNodeOfProjects: NodeVersion = [24, 2];

/** Whether a version such as `22.18.0` is at least the given one. */
export function isSince(version: string, [major, minor]: NodeVersion): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

/** The sentence for a user whose Node is too old for the command. */
export function describeOldNode(version: string): string | undefined {
  if (isSince(version, oldestNode)) return undefined;
  return `Node ${version} is too old: capstan needs Node ${oldestNode.join(".")} or newer (https://nodejs.org/download)`;
}
