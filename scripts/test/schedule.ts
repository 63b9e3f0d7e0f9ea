/** Decides which group of test files starts next, so that all cores stay busy: the longest first, waiting ones beside computing ones. */
export interface Job {
  /** Wall seconds that are expected. */
  readonly seconds: number;
  /** CPU seconds that are expected. */
  readonly cpuSeconds: number;
  /** Runs while nothing else runs. */
  readonly alone: boolean;
  /** What must be ready first, such as the images of the tests. */
  readonly needs: readonly string[];
}

export interface Capacity {
  readonly cores: number;
  /** Memory limits how many run in parallel, however little they compute. */
  readonly most: number;
}

/** The cores that a job keeps busy on average; waiting costs a little, as it ends with work. */
export function loadOf({ seconds, cpuSeconds }: Job, cores: number): number {
  return Math.min(cores, Math.max(0.15, cpuSeconds / Math.max(seconds, 0.1)));
}

/** The job to start now, if one fits beside those that run. */
export function nextJob<J extends Job>(
  waiting: readonly J[],
  running: readonly J[],
  { capacity, ready }: { readonly capacity: Capacity; readonly ready: ReadonlySet<string> },
): J | undefined {
  if (running.length >= capacity.most || running.some(({ alone }) => alone)) return undefined;
  const busy = running.reduce((sum, job) => sum + loadOf(job, capacity.cores), 0);
  const able = waiting.filter(({ needs }) => needs.every((need) => ready.has(need)));
  // A job always fits when nothing else runs, or one that needs more cores than there are would never start.
  const fits = (job: J): boolean =>
    job.alone
      ? running.length === 0
      : running.length === 0 || busy + loadOf(job, capacity.cores) <= capacity.cores + 0.25;
  const ordered = able.toSorted((a, b) => Number(a.alone) - Number(b.alone) || b.seconds - a.seconds);
  return ordered.find(fits);
}
