/** Rates everything that costs something in a window: usage, nodes, and bills. */
import type { Book } from "../book/book.ts";
import { spread } from "../number/share.ts";
import type { Bucket } from "../time/bucket.ts";
import type { Bill, Collected } from "./collect.ts";
import { NodeRater, billedName } from "./nodes.ts";
import { Quantity } from "./piece.ts";
import { Rater, type RateOptions, type Window } from "./rate.ts";
import { type Detail, detailsOf } from "./report.ts";

/** Options of a rating. */
export interface RateAllOptions extends Omit<RateOptions, "tenancy"> {
  readonly idle: "show" | "hide" | "share";
}

/** All details of a window. */
export function rateAll(collected: Collected, options: RateAllOptions): Promise<Detail[]> {
  const rater = new Rater({ ...options, tenancy: collected.tenancy });
  return rateWith(rater, collected, options);
}

/** The same with a given rater, for callers that also need its lines. */
export async function rateWith(rater: Rater, collected: Collected, options: RateAllOptions): Promise<Detail[]> {
  const { book, window, idle } = options;
  const known = await collected.nodes();
  const nodes =
    book.nodes === undefined
      ? undefined
      : new NodeRater(book.nodes, {
          book,
          window,
          tenancy: collected.tenancy,
          idle,
          bills: nodeBills(collected.bills),
          known,
        });
  const names = new Set(known.map(({ node, dimensions }) => billedName(dimensions, node)));
  for await (const piece of collected.pieces(rater.cuts(), options.by)) {
    rater.add(piece);
    nodes?.add(piece);
  }
  const external = externalDetails(collected, { ...options, nodeNames: names });
  return [...detailsOf(rater.lines.values()), ...allocationDetails(nodes, options), ...external];
}

function nodeBills(bills: readonly Bill[]): Map<string, Bill[]> {
  return Map.groupBy(bills, ({ resource }) => resource);
}

function amount(quantity: bigint): Quantity {
  const sum = new Quantity("sum", undefined);
  sum.addSum(quantity);
  return sum;
}

function* allocationDetails(
  nodes: NodeRater | undefined,
  { book, buckets, by, window }: RateAllOptions,
): Iterable<Detail> {
  if (nodes === undefined) return;
  const bucketAt = bucketFinder(buckets);
  for (const { start, resource, charge, quantity, cost, ...where } of nodes.allocations()) {
    const unit = book.meters.get(book.nodes?.capacity[resource] ?? "")?.unit ?? "";
    const values: { readonly [name: string]: string } = where;
    yield {
      bucket: bucketAt(Math.max(start, window.from)),
      meter: `node.allocation.${resource}`,
      charge,
      values: by.map((name) => values[name] ?? ""),
      quantity: amount(quantity),
      unit: `${unit}-seconds`,
      cost,
      isPartial: false,
    };
  }
}

function bucketFinder(buckets: readonly Bucket[]): (instant: number) => Bucket {
  const [first] = buckets;
  if (first === undefined) throw new RangeError("a window has at least one bucket");
  return (instant) => buckets.findLast(({ start }) => start <= instant) ?? first;
}

interface External {
  readonly book: Book;
  readonly window: Window;
  readonly buckets: readonly Bucket[];
  readonly by: readonly string[];
  readonly nodeNames: ReadonlySet<string>;
}

/** The bills of namespaces, and those without one (`__shared__`), spread over their charge periods. Bills of nodes are left out. */
function* externalDetails(
  { bills, tenancy }: Collected,
  { book, window, buckets, by, nodeNames }: External,
): Iterable<Detail> {
  const first = Math.max(window.from, book.importFrom ?? Number.NEGATIVE_INFINITY);
  for (const bill of bills) {
    if (nodeNames.has(bill.resource)) continue;
    const namespace = bill.namespace === "" ? "__shared__" : bill.namespace;
    const [from, to] = [Math.max(bill.start, first), Math.min(bill.end, window.to)];
    if (from >= to) continue;
    const piece = { cluster: "", namespace, start: from, end: to };
    const cuts = [...new Set([from, ...tenancy.changes(piece), ...buckets.map(({ start }) => start), to])]
      .filter((at) => at >= from && at <= to)
      .sort((a, b) => a - b);
    const bucketAt = bucketFinder(buckets);
    for (let at = 1; at < cuts.length; at++) {
      const [start = 0, end = 0] = [cuts[at - 1], cuts[at]];
      const tenant = bill.namespace === "" ? "__shared__" : tenancy.tenantAt(piece, start);
      const values: { readonly [name: string]: string } = { tenant, namespace };
      yield {
        bucket: bucketAt(start),
        meter: "bill",
        charge: "external",
        values: by.map((name) => values[name] ?? ""),
        quantity: amount(0n),
        unit: "",
        cost: spread(bill, start, end),
        isPartial: false,
      };
    }
  }
}
