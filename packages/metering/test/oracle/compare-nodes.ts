/** Compares the allocation of nodes' cost with the oracle on one random world. */
import assert from "node:assert/strict";
import { billOfRecords, importFocus, importUsage, parseBook, runReport } from "../../src/index.ts";
import { openTemporaryStore } from "./compare.ts";
import { fixed } from "./fraction.ts";
import { type NodeWorld, allocate, nodeWorldOf } from "./node-world.ts";
import { diceOf } from "./world.ts";

function bookOf({ weights, price, isBilled }: NodeWorld): string {
  const level = (name: string, unit: string): object => ({ name, type: "level", unit, dimensions: ["node", "pod"] });
  const prices = price.map(({ amount, match, from }) => ({
    amount,
    per: "node-hour",
    ...(match !== "*" && { match: { node: match } }),
    ...(from !== undefined && { from: new Date(from).toISOString() }),
  }));
  return JSON.stringify({
    meters: ["cap", "req", "use"].flatMap((role) => [level(`${role}.cpu`, "core"), level(`${role}.memory`, "byte")]),
    nodes: {
      capacity: { cpu: "cap.cpu", memory: "cap.memory" },
      request: { cpu: "req.cpu", memory: "req.memory" },
      usage: { cpu: "use.cpu", memory: "use.memory" },
      weights,
      ...(isBilled ? { bill: "focus" } : { price: prices }),
    },
  });
}

const iso = (instant: number): string => new Date(instant).toISOString();

/** What a world says must be what metering says, to the last digit; returns how many rows were compared. */
export async function compareNodes(seed: number): Promise<number> {
  const world = nodeWorldOf(diceOf(seed));
  const book = parseBook(bookOf(world));
  await using store = await openTemporaryStore(seed % 2 === 0 ? 0 : 20_000);
  async function* inputs() {
    for (const [at, { start, end, amount, node, pod, ...rest }] of world.records.entries()) {
      const isCapacity = rest.meter.startsWith("cap.");
      const dimensions = isCapacity ? { node, provider_id: `aws:///zone/i-${node}` } : { node, pod };
      const value = { ...rest, start: iso(start), end: iso(end), amount: fixed(amount, 6), dimensions };
      yield { where: `world:${at + 1}`, value };
    }
  }
  const now = Date.UTC(2026, 6, 1);
  const { stored, problems } = await importUsage(inputs(), { store, book, batch: 50_000, source: "usage", now });
  assert.equal(stored, world.records.length, JSON.stringify(problems));
  const bills = world.bills.map(({ start, end, cost, resource, namespace }) => ({
    BillingAccountId: "1",
    BillingPeriodStart: "2026-03-01T00:00:00Z",
    ChargePeriodStart: iso(start),
    ChargePeriodEnd: iso(end),
    EffectiveCost: fixed(cost, 6),
    ResourceId: resource,
    Tags: namespace === "" ? null : JSON.stringify({ namespace }),
  }));
  if (bills.length > 0) await importFocus([billOfRecords("bill", bills)], { store, book, now });
  const { json } = await runReport(store, book, {
    window: { from: world.from, to: world.to },
    bucket: "total",
    by: ["namespace", "pod", "node"],
    meters: ["node.allocation.cpu", "node.allocation.memory"],
    where: new Map(),
    idle: world.idle,
    shared: "show",
    withCost: true,
  });
  const rows = json.rows.map(({ meter, charge, dimensions: { namespace, pod, node }, quantity, cost }) => [
    meter,
    charge,
    namespace,
    pod,
    node,
    quantity,
    cost,
  ]);
  assert.deepEqual(rows, allocate(world), `seed ${seed}`);
  return rows.length;
}
