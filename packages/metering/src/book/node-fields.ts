/** Reads the section `nodes` of a book: how the cost of nodes is allocated. */
import type { Zone } from "../time/zone.ts";
import type { Rational } from "../number/rational.ts";
import type { Meter, NodePrice, Nodes } from "./book.ts";
import type { Field } from "./field.ts";
import { meterOf } from "./price-fields.ts";
import { readTime } from "./time-field.ts";
import { parseUnit } from "./unit.ts";

/** The resources of nodes, in the order in which cost is divided. */
export const resources = ["cpu", "gpu", "memory"] as const;

interface Known {
  readonly meters: ReadonlyMap<string, Meter>;
  readonly zone: Zone;
}

/** Reads the section `nodes`. */
export function readNodes(field: Field, known: Known): Nodes | undefined {
  if (field.isAbsent) return undefined;
  field.only(["capacity", "request", "usage", "weights", "price", "bill"]);
  const bill = field.member("bill").isAbsent ? undefined : field.member("bill").choice(["focus"]);
  const capacity = readMeterNames(field.member("capacity"), known);
  if (Object.keys(capacity).length === 0)
    throw field.member("capacity").refuse("is required: the meters of what a node has, such as { cpu: node.cpu }");
  return {
    capacity,
    request: readMeterNames(field.member("request"), known),
    usage: readMeterNames(field.member("usage"), known),
    weights: readWeights(field.member("weights"), capacity),
    price: field
      .member("price")
      .items()
      .map((item) => readNodePrice(item, known)),
    ...(bill !== undefined && { bill }),
  };
}

function readMeterNames(field: Field, { meters }: Known): { readonly [resource: string]: string } {
  if (field.isAbsent) return {};
  field.only(resources);
  return Object.fromEntries(
    field.entries().map(([resource, name]) => {
      const meter = meterOf(name, meters);
      if (meter.type !== "level") throw name.refuse(`${meter.name} is not a meter of type level`);
      return [resource, meter.name];
    }),
  );
}

function readWeights(
  field: Field,
  capacity: { readonly [resource: string]: string },
): { [resource: string]: Rational } {
  if (!field.isAbsent) field.only(resources);
  return Object.fromEntries(
    Object.keys(capacity).map((resource) => {
      const weight = field.isAbsent ? undefined : field.member(resource);
      if (weight === undefined || weight.isAbsent) {
        if (Object.keys(capacity).length === 1) return [resource, { over: 1n, under: 1n }];
        throw field.refuse(`a weight of ${resource} is required`);
      }
      const value = weight.decimal();
      if (value.over < 0n) throw weight.refuse("must not be negative");
      return [resource, value];
    }),
  );
}

function readNodePrice(item: Field, { zone }: Known): NodePrice {
  item.only(["amount", "per", "match", "from"]);
  const per = item.member("per").optionalText() ?? "node-hour";
  const unit = parseUnit(per, { unit: "node", type: "level" });
  if (typeof unit === "string") throw item.member("per").refuse(unit);
  const from = readTime(item.member("from"), zone);
  return {
    rate: item.member("amount").decimal(),
    unit,
    match: item.member("match").strings(),
    ...(from !== undefined && { from }),
  };
}
