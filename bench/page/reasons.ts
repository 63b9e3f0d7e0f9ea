/** The reason why a promise does not hold, as far as other figures of the same results show it. */
import type { Verdict } from "../ceilings.ts";
import { median } from "../result.ts";
import type { Row } from "../result.ts";
import { formatFigure as figure } from "./svg.ts";

/** The median of a contender in a row, as `suite/name`. */
type Look = (row: string, contender?: string) => number | undefined;

const peer = "controller-runtime";
const startCpu = "runtime/start with one object, CPU";
const startMemory = "runtime/start with one object, memory";

/** The reason of a promise about a crowd: what the server got of the machine, and what the other server does there. */
function besides(crowd: string): (look: Look) => string | undefined {
  const other = "kube-apiserver + etcd";
  const ratio = `crowd/${crowd}, p99 over that of an idle server`;
  return (look) =>
    tell(
      [look(`crowd/${crowd}, p50`), look(`crowd/${crowd}, CPU of the server`), look(ratio, other)],
      ([half, cpu, theirs]) =>
        `the p50 is ${figure(half)} ms, and the server got ${figure(cpu)} % of a core from the machine; ${other} is at ${figure(theirs)} x`,
    );
}

/** The reasons of promises, from other figures. */
const reasons: { readonly [promise: string]: (look: Look) => string | undefined } = {
  "runtime/burst, CPU per object": (look) =>
    tell([look("client/small request, CPU"), look("client/small request, CPU", "bare node:http2")], ([own, bare]) => {
      return `of it, two requests are ${figure((2 * own) / 1000)} ms by the client's own figure (through bare node:http2 they would be ${figure((2 * bare) / 1000)})`;
    }),
  "runtime/burst, peak memory": (look) =>
    tell(
      [look(startMemory), look("import/the whole process, memory", "bare Node"), look(startMemory, peer)],
      ([start, bare, other]) =>
        `a start with one object takes ${figure(start)} MiB, of which ${figure(bare)} are a Node that does nothing; ${peer} takes ${figure(other)} there`,
    ),
  "runtime/restart, CPU": (look) =>
    tell(
      [look(startCpu), look(startCpu, peer), look("runtime/restart, CPU"), look("runtime/restart, CPU", peer)],
      ([start, otherStart, own, other]) =>
        `a start with one object costs ${figure(start)} s (${peer}: ${figure(otherStart)}), so that the objects cost ${figure(own - start)} s (${peer}: ${figure(other - otherStart)})`,
    ),
  "runtime/churn, CPU": (look) =>
    tell(
      [
        look("runtime/churn, CPU per change"),
        look("runtime/burst, CPU per object"),
        look("runtime/churn, CPU per change", peer),
      ],
      ([change, burst, other]) =>
        `a change costs ${figure(change)} ms (${peer}: ${figure(other)}), an object of the burst, where requests, answers and events come together, ${figure(burst)}`,
    ),
  "client/small request, CPU": (look) =>
    tell(
      [look("client/small request, CPU"), look("client/small request, CPU", "bare node:http2")],
      ([own, bare]) =>
        `bare node:http2, which does nothing but send, receive and parse, needs ${figure(bare)} us (${figure(bare / own)} x) on the same machine`,
    ),
  "crowd/200 misbehaving clients, p99 over that of an idle server": besides("200 misbehaving clients"),
  "crowd/2,000 slow watchers, p99 over that of an idle server": besides("2,000 slow watchers"),
  "queue/add, take and done": (look) =>
    tell(
      [look("queue/add, take and done, 1,000 keys"), look("queue/add, take and done, 1,000,000 keys")],
      ([few, many]) =>
        `with 1,000 keys it is ${figure(few)}, with a million ${figure(many)}: what is between them is waiting for memory`,
    ),
};

/** The reason why a promise does not hold; undefined if the rows do not show one. */
export function reasonFor(verdict: Verdict, rows: readonly Row[]): string | undefined {
  const look: Look = (row, contender = "capstan") => {
    const found = rows.find(({ suite, name }) => `${suite}/${name}` === row)?.figures[contender];
    return found === undefined ? undefined : median(found);
  };
  const why = [reasons[`${verdict.row.suite}/${verdict.row.name}`]?.(look), noise(verdict)];
  const told = why.filter((text) => text !== undefined);
  return told.length === 0 ? undefined : told.join("; ");
}

/** The promises with a reason that uses other rows. */
export const reasoned: readonly string[] = Object.keys(reasons);

/** Whether the rounds differ so much that the promise held in one of them. */
function noise({ row, limit, bound }: Verdict): string | undefined {
  const own = row.figures["capstan"] ?? [];
  const best = "atMost" in limit ? Math.min(...own) : Math.max(...own);
  const holds = "atMost" in limit ? best <= bound : best >= bound;
  return holds
    ? `the rounds differ: the best of ${own.length}, ${figure(best)}, would keep it, the median does not`
    : undefined;
}

/** A sentence with figures, if all of them were measured. */
function tell<const T extends readonly (number | undefined)[]>(
  figures: T,
  say: (figures: { readonly [K in keyof T]: number }) => string,
): string | undefined {
  if (figures.includes(undefined)) return undefined;
  return say(figures as { readonly [K in keyof T]: number });
}
