/** The clock of the machine, for a server: its timers do not keep the process alive. */
import type { Clock } from "@capstan/model";

export type { Clock, Timer } from "@capstan/model";

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  later(delay, run) {
    const timer = setTimeout(run, delay);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Measures elapsed and processor time, and runs callbacks after the input of a turn of the event loop. */
export interface Stopwatch {
  /** Milliseconds since an arbitrary start; never goes back. */
  now(): number;
  /** The processor time of this thread, in milliseconds. */
  cpu(): number;
  /** Runs a callback when all input that is ready now has been processed. */
  afterInput(run: () => void): void;
  /** Runs a callback when the work that is queued now, and what it queues, has ended or waits for something. */
  afterWork(run: () => void): void;
}

/** The stopwatch of this process. Node before 23.9 measures the process instead of the thread. */
export const systemStopwatch: Stopwatch = {
  now: () => performance.now(),
  cpu() {
    const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
    return (user + system) / 1000;
  },
  afterInput: (run) => void setImmediate(run),
  afterWork: (run) => queueMicrotask(() => process.nextTick(run)),
};
