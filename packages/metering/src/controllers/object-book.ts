/** The book of a cluster: Meter objects and PriceList objects put together. */
import type { Book } from "../book/book.ts";
import { readBook } from "../book/parse-book.ts";
import { MeterError } from "../error.ts";
import type { MeterObject } from "../kinds/meter.ts";
import type { PriceListObject } from "../kinds/price-list.ts";
import { compareText } from "../number/order.ts";

interface Named {
  readonly metadata: { readonly name: string };
}

type NamedMeter = Named & Pick<MeterObject, "spec">;
type NamedList = Named & Pick<PriceListObject, "spec">;

/** Why the book refuses a meter; undefined if it takes it. */
export function meterProblem(meter: NamedMeter): string | undefined {
  return problemOf(() => readBook({ meters: [entryOf(meter)] }));
}

/** Why the book refuses a list; undefined if it takes all of them. */
export function listProblem(
  list: NamedList,
  { meters, lists }: { readonly meters: readonly NamedMeter[]; readonly lists: readonly NamedList[] },
): string | undefined {
  const together = problemOf(() => bookOf(meters, lists));
  if (together === undefined) return undefined;
  // The places in a message about this list alone are those of its own entries.
  return problemOf(() => bookOf(meters, [list])) ?? together;
}

function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof MeterError) return error.message;
    throw error;
  }
}

/** The book. A meter with a mistake is left out; lists that do not fit together are refused. */
export function bookOf(meters: readonly NamedMeter[], lists: readonly NamedList[]): Book {
  const entries = byName(meters)
    .filter((meter) => meterProblem(meter) === undefined)
    .map(entryOf);
  return readBook({ ...joined(byName(lists)), meters: entries });
}

function entryOf({ metadata, spec }: NamedMeter): object {
  return { name: metadata.name, ...spec };
}

function byName<T extends Named>(objects: readonly T[]): readonly T[] {
  return objects.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
}

/** Sections that are lists are joined in the order of the names; any other section may be in one list only. */
function joined(lists: readonly NamedList[]): { readonly [section: string]: unknown } {
  const sections: { [section: string]: unknown } = {};
  const owners = new Map<string, string>();
  for (const { metadata, spec } of lists)
    for (const [section, value] of Object.entries(spec)) {
      const known = sections[section];
      const owner = owners.get(section);
      if (Array.isArray(known) && Array.isArray(value)) sections[section] = [...known, ...value];
      else if (owner === undefined || JSON.stringify(known) === JSON.stringify(value)) sections[section] = value;
      else
        throw new MeterError(
          "BadBook",
          `the price lists ${owner} and ${metadata.name} differ in ${section}; keep it in one of them`,
        );
      owners.set(section, owner ?? metadata.name);
    }
  return sections;
}
