/** Positions of MariaDB: one GTID (`domain-server-sequence`) for each domain. */
import type { Comparison } from "capstan/stateful";

/** The last transaction of a domain. */
export interface Gtid {
  readonly server: number;
  readonly sequence: bigint;
}

/** The last transaction of each domain. */
export type Position = ReadonlyMap<number, Gtid>;

/** Reads a list such as `0-10-6,1-11-3`. */
export function parsePosition(text: string): Position {
  const entries = text.split(",").flatMap((part): [number, Gtid][] => {
    const match = /^\s*(\d+)-(\d+)-(\d+)\s*$/u.exec(part);
    const [, domain = "", server = "", sequence = ""] = match ?? [];
    return match === null ? [] : [[Number(domain), { server: Number(server), sequence: BigInt(sequence) }]];
  });
  return new Map(entries);
}

/** The list again, in the order of domains. */
export function formatPosition(position: Position): string {
  const domains = [...position].toSorted(([one], [other]) => one - other);
  return domains.map(([domain, { server, sequence }]) => `${domain}-${server}-${sequence}`).join(",");
}

/** Compares two positions domain by domain. Equal sequences of different servers are different transactions. */
export function comparePositions(one: Position, other: Position): Comparison {
  const domains = new Set([...one.keys(), ...other.keys()]);
  let result: Comparison = "same";
  for (const domain of domains) {
    const next = compareGtids(one.get(domain), other.get(domain));
    if (next === "same") continue;
    if (result !== "same" && result !== next) return "diverged";
    result = next;
  }
  return result;
}

function compareGtids(one: Gtid | undefined, other: Gtid | undefined): Comparison {
  if (one === undefined) return other === undefined ? "same" : "behind";
  if (other === undefined || one.sequence > other.sequence) return "ahead";
  if (one.sequence < other.sequence) return "behind";
  return one.server === other.server ? "same" : "diverged";
}

/** The newer of two positions of one member. */
export function latest(one: Position, other: Position): Position {
  return comparePositions(one, other) === "behind" ? other : one;
}
