/** The times of a schedule. Pure. */
import { Cron } from "croner";
import { parseDuration } from "@capstan/model";

/** A recurring schedule, in milliseconds since 1970. */
export interface Schedule {
  /** The first scheduled time after `time`; undefined if there is none. */
  after(time: number): number | undefined;
}

const every = "@every ";

/** Parses a schedule; undefined if it is invalid. The old form with a zone in the text is accepted: `TZ=Europe/Rome 0 3 * * *`. */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule | undefined {
  const [, zone, rest = text] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/u.exec(text) ?? [];
  try {
    return rest.startsWith(every) ? constant(rest.slice(every.length)) : calendar(rest, timeZone ?? zone ?? "UTC");
  } catch {
    return undefined;
  }
}

/** A constant delay in whole seconds, at least one, counted from `time`. */
function constant(text: string): Schedule {
  const delay = Math.max(1000, wholeSeconds(Number(parseDuration(text) / 1_000_000n)));
  return { after: (time) => wholeSeconds(time) + delay };
}

function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}

/** In Kubernetes a question mark means a star; the parser would read it as the current time. */
function calendar(text: string, timezone: string): Schedule {
  const cron = new Cron(text.replaceAll("?", "*"), { timezone });
  return { after: (time) => cron.nextRun(new Date(time))?.getTime() };
}
