/** The invoices of the oracle: lines, minimum, credits, and amounts that add up. */
import { periodsOf } from "./calendar.ts";
import { byBytes, fixed, fraction, halfEven, plain } from "./fraction.ts";
import { type Row, quantityOf, rowsOf, splitRows } from "./oracle.ts";
import type { World } from "./world.ts";

interface Line {
  readonly kind: string;
  readonly meter?: string;
  readonly credit?: string;
  readonly from?: string;
  readonly quantity?: string;
  readonly unit?: string;
  readonly price?: string;
  readonly per?: string;
  readonly cost: bigint;
}

/** The invoices of a period, none closed before. */
export function invoicesOf(world: World, name: string): unknown[] {
  const zones = [...new Set([world.timeZone, ...Object.values(world.tenantZones)])];
  const invoices = zones.flatMap((zone) => {
    const period = periodsOf(zone, world.ratingPeriod).find((each) => each.name === name);
    if (period === undefined) return [];
    const asked = { from: period.start, to: period.end, zone, bucket: "total", by: [], split: true } as const;
    const dims = ["tenant", "namespace"];
    const rows = splitRows(world, rowsOf(world, asked, dims), dims);
    const tenants = [...new Set(rows.map(({ values }) => values[0] ?? ""))];
    const own = tenants.filter((tenant) => (world.tenantZones[tenant] ?? world.timeZone) === zone);
    return own.flatMap((tenant) => {
      const lines = linesOf(world, {
        tenant,
        start: period.start,
        rows: rows.filter(({ values }) => values[0] === tenant),
      });
      if (lines.length === 0) return [];
      const frame = {
        id: `${name}/${tenant}`,
        tenant,
        period: name,
        start: new Date(period.start).toISOString(),
        end: new Date(period.end).toISOString(),
        timeZone: zone,
        currency: world.currency,
        status: "open",
      };
      return [{ ...frame, ...settled(lines, world.digits), previous: null, hash: null, signature: null }];
    });
  });
  return invoices.sort((a, b) => byBytes(a.tenant, b.tenant));
}

function linesOf(
  world: World,
  { tenant, start, rows }: { tenant: string; start: number; rows: readonly Row[] },
): Line[] {
  const used = [...usageLines(world, { start, rows }), ...sharedLines(rows)];
  const sum = (lines: readonly Line[]): bigint => lines.reduce((all, { cost }) => all + cost, 0n);
  const minimum = world.minimums.findLast((entry) => entry.tenant === "*" || entry.tenant === tenant);
  const least = minimum === undefined ? 0n : millionths(minimum.amount);
  const charged: Line[] = [
    ...used,
    ...(used.length > 0 && sum(used) < least ? [{ kind: "minimum", cost: least - sum(used) }] : []),
  ];
  let open = sum(charged);
  const zone = world.tenantZones[tenant] ?? world.timeZone;
  const instant = (day: string): number =>
    periodsOf(zone, "day").find(({ name }) => name === day)?.start ?? Date.parse(day);
  const credits = world.credits
    .filter(
      (credit) =>
        credit.tenant === tenant &&
        (credit.from === undefined || instant(credit.from) <= start) &&
        (credit.to === undefined || start < instant(credit.to)),
    )
    .sort((a, b) => byBytes(a.to ?? "9", b.to ?? "9") || byBytes(a.id, b.id));
  for (const { id, amount } of credits) {
    const paid = millionths(amount) < open ? millionths(amount) : open;
    if (paid <= 0n) continue;
    open -= paid;
    charged.push({ kind: "credit", credit: id, cost: -paid });
  }
  return charged;
}

function millionths(text: string): bigint {
  const [whole = "0", rest = ""] = text.split(".");
  return halfEven(fraction(BigInt(whole + rest) * 1_000_000n, 10n ** BigInt(rest.length)));
}

function usageLines(world: World, { start, rows }: { start: number; rows: readonly Row[] }): Line[] {
  const lines = [
    ...Map.groupBy(
      rows.filter(({ charge }) => charge === "usage"),
      ({ line }) => line,
    ).values(),
  ].flatMap((members) => {
    const parts = members.flatMap((row) => row.parts);
    const [first] = parts;
    const price = world.prices[first?.price ?? -1];
    if (first === undefined || price === undefined) return [];
    const quantity = quantityOf(parts);
    if (quantity === 0n) return [];
    const from = Math.max(start, price.from === undefined ? start : Date.parse(price.from));
    const line: Line = {
      kind: "usage",
      meter: first.meter.name,
      from: new Date(from).toISOString(),
      quantity: plain(quantity),
      unit: first.meter.type === "level" ? `${first.meter.unit}-seconds` : first.meter.unit,
      ...(price.tiers === undefined && { price: price.amount ?? "0" }),
      per: price.per,
      cost: members.reduce((sum, { cost = 0n }) => sum + cost, 0n),
    };
    return [{ line, from, order: first.price }];
  });
  lines.sort((a, b) => byBytes(a.line.meter ?? "", b.line.meter ?? "") || a.from - b.from || a.order - b.order);
  return lines.map(({ line }) => line);
}

function sharedLines(rows: readonly Row[]): Line[] {
  const cost = rows.reduce((sum, row) => (row.charge === "shared" ? sum + (row.cost ?? 0n) : sum), 0n);
  return cost === 0n ? [] : [{ kind: "shared", meter: "shared.system", cost }];
}

function settled(lines: readonly Line[], digits: number): { lines: unknown[]; total: string } {
  const unit = 10n ** BigInt(6 - digits);
  const total = halfEven(
    fraction(
      lines.reduce((sum, { cost }) => sum + cost, 0n),
      unit,
    ),
  );
  const floor = (value: bigint): bigint => (value >= 0n ? value / unit : -((-value + unit - 1n) / unit));
  const amounts = lines.map(({ cost }) => floor(cost));
  const missing = Number(total - amounts.reduce((sum, amount) => sum + amount, 0n));
  const ranked = lines.map(({ cost }, at) => ({ at, rest: cost - floor(cost) * unit }));
  ranked.sort((a, b) => Number(b.rest - a.rest) || a.at - b.at);
  for (const { at } of ranked.slice(0, missing)) amounts[at] = (amounts[at] ?? 0n) + 1n;
  return {
    lines: lines.map((line, at) => ({ ...line, cost: fixed(line.cost, 6), amount: fixed(amounts[at] ?? 0n, digits) })),
    total: fixed(total, digits),
  };
}
