/** The time as Kubernetes writes it: seconds in UTC. */
import type { Clock } from "@capstan/runtime";

/** The present. */
export function nowOf(clock: Clock): string {
  return formatMilliseconds(clock.wall());
}

/** A time in milliseconds since 1970. */
export function formatMilliseconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/u, "Z");
}
