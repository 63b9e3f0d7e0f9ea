/** The signal names of images and pods: with or without `SIG`, as numbers, or relative to SIGRTMIN and SIGRTMAX. Pure. */
import { constants } from "node:os";

const names: ReadonlyMap<string, number> = new Map(Object.entries(constants.signals));
/** As in glibc, which reserves the first two. */
const realTime = { MIN: 34, MAX: 64 } as const;

/** The number of a signal; an unknown name counts as SIGTERM. */
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
