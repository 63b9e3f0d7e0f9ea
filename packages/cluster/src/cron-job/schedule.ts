/** The times of a schedule. Pure. */
import { Cron } from "croner";
import { parseDuration } from "@capstan/model";

/** Times that go on, in milliseconds since 1970. */
export interface Schedule {
  /** The first time after another; undefined where there is none. */
  after(time: number): number | undefined;
}

const every = "@every ";

/** Reads a schedule; undefined when it is none. A schedule of old could carry its zone: `TZ=Europe/Rome 0 3 * * *`. */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule | undefined {
  const [, zone, rest = text] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/u.exec(text) ?? [];
  try {
    return rest.startsWith(every) ? constant(rest.slice(every.length)) : calendar(rest, timeZone ?? zone ?? "UTC");
  } catch {
    return undefined;
  }
}

/** In whole seconds, at least one, from whatever time is asked about. */
function constant(text: string): Schedule {
  const delay = Math.max(1000, wholeSeconds(Number(parseDuration(text) / 1_000_000n)));
  return { after: (time) => wholeSeconds(time) + delay };
}

function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}

/** In Kubernetes a question mark is a star; to the parser it is the time of now. */
function calendar(text: string, timezone: string): Schedule {
  const cron = new Cron(text.replaceAll("?", "*"), { timezone });
  return { after: (time) => cron.nextRun(new Date(time))?.getTime() };
}
