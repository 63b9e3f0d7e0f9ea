/** Structured logs: one JSON object per line, with the fields of its logger. */
import type { Clock } from "./clock.ts";
import { plainJson } from "./report/plain-json.ts";

/** Log levels in increasing order. */
export type Level = "debug" | "info" | "warn" | "error";

/** The structured fields of a line. */
export interface LogFields {
  readonly [name: string]: unknown;
}

/**
 * Writes log lines.
 *
 * @example
 * const report = (log: Log) => log.with({ component: "backup" }).info("uploaded", { bytes: 1024 });
 */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log, with fields that every line carries. */
  with(fields: LogFields): Log;
  /** Whether lines of a level are written at all. */
  writes(level: Level): boolean;
}

export interface LogOptions {
  readonly clock: Clock;
  readonly level?: Level;
  readonly write?: (line: string) => void;
}

const weights: { readonly [level in Level]: number } = { debug: 10, info: 20, warn: 30, error: 40 };

/** A log that writes JSON lines. Default: to standard error. */
export function createLog({ clock, level = "info", write = toStandardError }: LogOptions): Log {
  const least = weights[level];
  const make = (own: LogFields): Log => {
    const at =
      (name: Level) =>
      (message: string, fields?: LogFields): void => {
        if (weights[name] < least) return;
        const time = new Date(clock.wall()).toISOString();
        write(`${plainJson({ time, level: name, message, ...own, ...fields })}\n`);
      };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      with: (fields) => make({ ...own, ...fields }),
      writes: (name) => weights[name] >= least,
    };
  };
  return make({});
}

/** A log that discards everything. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLog,
  writes: () => false,
};

/** Wraps a log of the user: errors that it throws do not reach the caller. */
export function guardedLog(log: Log): Log {
  const at =
    (name: Level) =>
    (message: string, fields?: LogFields): void =>
      attempt(() => log[name](message, fields));
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => guardedLog(attempt(() => log.with(fields)) ?? log),
    writes: (name) => attempt(() => log.writes(name)) ?? true,
  };
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function toStandardError(line: string): void {
  process.stderr.write(line);
}
