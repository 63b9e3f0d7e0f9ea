/** A machine for tests: files in a map, a manual clock, programs as functions. */
import type { Clock, Timer } from "../src/host/clock.ts";
import type { Command, CommandResult, Host } from "../src/host/host.ts";

/** A manual clock. */
export interface ManualClock extends Clock {
  /** Advances the clock and fires due timers in order. */
  advance(ms: number): Promise<void>;
  /** The delays of all timers so far. */
  readonly waits: number[];
}

/** A clock that stands still; with `"running"`, timers fire at once and the time jumps. */
export function manualClock(start = 1_700_000_000_000, mode: "still" | "running" = "still"): ManualClock {
  let now = 0;
  let due: { at: number; run: () => void }[] = [];
  const waits: number[] = [];
  const fire = (): void => {
    due.sort((a, b) => a.at - b.at);
    const next = due.shift();
    if (next === undefined) return;
    now = Math.max(now, next.at);
    next.run();
  };
  return {
    waits,
    now: () => now,
    wall: () => start + now,
    later(delay, run): Timer {
      const entry = { at: now + delay, run };
      due.push(entry);
      waits.push(delay);
      // Deadlines are long and must not fire by themselves.
      if (mode === "running" && delay < 30_000) queueMicrotask(() => due.includes(entry) && fire());
      return { cancel: () => void (due = due.filter((one) => one !== entry)) };
    },
    async advance(ms) {
      const until = now + ms;
      while (due.some(({ at }) => at <= until)) {
        fire();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = until;
    },
  };
}

/** A host for tests. */
export interface TestHost extends Host {
  readonly clock: ManualClock;
  readonly files: Map<string, string>;
  readonly ran: Command[];
}

/** The options of a test host. */
export interface TestHostOptions {
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
  readonly clock?: ManualClock;
  readonly hasTerminal?: boolean;
  readonly program?: (command: Command) => Partial<CommandResult>;
}

/** Creates a host. */
export function testHost({
  env = {},
  files = {},
  clock = manualClock(),
  hasTerminal = false,
  program,
}: TestHostOptions = {}): TestHost {
  const map = new Map(Object.entries(files));
  const ran: Command[] = [];
  return {
    env,
    clock,
    hasTerminal,
    files: map,
    ran,
    homeDirectory: "/home/me",
    random: () => 0.5,
    async readFile(path) {
      const text = map.get(path);
      if (text !== undefined) return text;
      throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: "ENOENT" });
    },
    async run(command) {
      ran.push(command);
      if (program === undefined) throw Object.assign(new Error(`spawn ${command.command} ENOENT`), { code: "ENOENT" });
      return { code: 0, stdout: "", stderr: "", ...program(command) };
    },
  };
}
