/** Names the replicas of test worlds: several worlds on one server are different replicas. */

/** The number of worlds on each server. */
const worlds = new WeakMap<object, number>();

/**
 * The identity of the operator of a world. Two worlds with the same identity would both hold one lease; a single world has the same
 * identity in every run.
 */
export function identityOn(server: object, name = "replica"): string {
  const others = worlds.get(server) ?? 0;
  worlds.set(server, others + 1);
  return others === 0 ? name : `${name}-of-world-${others + 1}`;
}
