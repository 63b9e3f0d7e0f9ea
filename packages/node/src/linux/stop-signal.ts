/** The signals that images and pods name: with or without their first three letters, as numbers, or counted from the ends of the real-time ones. Pure. */
import { constants } from "node:os";

const names: ReadonlyMap<string, number> = new Map(Object.entries(constants.signals));
/** As the C library of Linux has them; the first two are its own. */
const realTime = { MIN: 34, MAX: 64 } as const;

/** The number of a signal; what is none is taken for the one that asks a program to end. */
export function toSignal(name: string): number {
  const named = names.get(name.startsWith("SIG") ? name : `SIG${name}`);
  if (named !== undefined) return named;
  const number = /^\d+$/.test(name) ? Number(name) : countedSignal(name);
  return number !== undefined && number >= 1 && number <= realTime.MAX ? number : constants.signals.SIGTERM;
}

function countedSignal(name: string): number | undefined {
  const counted = /^(?:SIG)?RT(MIN|MAX)(?:([+-])(\d+))?$/.exec(name);
  if (counted === null) return undefined;
  const [, end, sign, distance = "0"] = counted;
  const from = end === "MIN" ? realTime.MIN : realTime.MAX;
  return sign === "-" ? from - Number(distance) : from + Number(distance);
}
