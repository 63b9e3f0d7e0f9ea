/** Maintenance windows: when members may be restarted for an update. Repairs take place at any time. */
import { parseCron, toMilliseconds } from "@capstan/runtime";

/** A window of the spec. */
export interface WindowSpec {
  /** Cron schedule in UTC. */
  readonly schedule: string;
  readonly duration: string;
}

/** Whether members may be restarted now, and else when. */
export interface Maintenance {
  readonly isOpen: boolean;
  /** The beginning of the next window, in milliseconds since 1970; undefined: there is none. */
  readonly next?: number | undefined;
}

/** Without windows, members may be restarted at any time. */
export function maintenanceAt(now: number, windows: readonly WindowSpec[]): Maintenance {
  if (windows.length === 0) return { isOpen: true };
  const isOpen = windows.some((window) => isIn(window, now));
  const starts = windows.flatMap(({ schedule }) => parseCron(schedule)?.next(now) ?? []);
  return { isOpen, ...(starts.length === 0 ? {} : { next: Math.min(...starts) }) };
}

/** The first start within the length of the window before now. */
function isIn({ schedule, duration }: WindowSpec, now: number): boolean {
  const start = parseCron(schedule)?.next(now - toMilliseconds(duration));
  return start !== undefined && start <= now;
}

/** What of the windows cannot be understood, as sentences. */
export function windowProblems(windows: readonly WindowSpec[]): readonly string[] {
  return windows
    .filter(({ schedule }) => parseCron(schedule) === undefined)
    .map(({ schedule }) => `${schedule} is not a cron schedule: correct spec.maintenance.windows`);
}
