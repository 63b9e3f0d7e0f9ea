/** Timestamps of a status: whole seconds, UTC. */

export function formatTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
