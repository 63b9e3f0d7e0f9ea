/** Random nodes with pods and bills, and what the allocation of their cost must be: by brute force, hour by hour, in exact fractions. */
import { type Fraction, decimal, fixed, fraction, halfEven, over, plain, plus, shareOut, times } from "./fraction.ts";
import type { Dice } from "./world.ts";

/** A level of a node or pod. */
export interface LevelRecord {
  readonly id: string;
  readonly meter: string;
  readonly start: number;
  readonly end: number;
  /** Millionths. */
  readonly amount: bigint;
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
}

/** A row of a bill. */
export interface BillRecord {
  readonly start: number;
  readonly end: number;
  /** Millionths. */
  readonly cost: bigint;
  readonly resource: string;
  readonly namespace: string;
}

/** Nodes, pods and prices. */
export interface NodeWorld {
  readonly weights: { readonly [resource: string]: string };
  readonly memoryUnit: "byte" | "MiB";
  readonly price: readonly { readonly amount: string; readonly match: string; readonly from?: number }[];
  readonly isBilled: boolean;
  readonly idle: "show" | "hide" | "share";
  readonly records: readonly LevelRecord[];
  readonly bills: readonly BillRecord[];
  readonly from: number;
  readonly to: number;
}

const hour = 3_600_000;
const begin = Date.UTC(2026, 2, 28, 20);
const resources = ["cpu", "memory"] as const;

/** A random world of a few hours. */
export function nodeWorldOf(dice: Dice): NodeWorld {
  const instant = (): number => begin + dice.below(9) * hour + dice.pick([0, 0, 1, 900_000, 1_234_567]);
  const stretch = (): { start: number; end: number } => {
    const [a, b] = [instant(), instant()];
    return { start: Math.min(a, b), end: Math.max(a, b) + 1 + dice.below(2) * 777_777 };
  };
  const nodes = ["big-1", "big-2", "small"];
  const record = (id: string, meter: string, amount: bigint, more: Partial<LevelRecord> = {}): LevelRecord => ({
    id,
    meter,
    amount,
    node: dice.pick(nodes),
    namespace: "",
    pod: "",
    ...stretch(),
    ...more,
  });
  const mega = 1024n * 1024n * 1_000_000n;
  const records: LevelRecord[] = [];
  for (const node of nodes) {
    for (let part = 0; part < 1 + dice.below(2); part++) {
      const times = stretch();
      records.push(record(`c${node}${part}`, "cap.cpu", BigInt(1 + dice.below(8)) * 1_000_000n, { node, ...times }));
      if (dice.chance(80))
        records.push(
          record(`m${node}${part}`, "cap.memory", BigInt(1 + dice.below(64)) * 512n * mega, { node, ...times }),
        );
    }
  }
  for (let at = 0; at < 4 + dice.below(14); at++) {
    const [resource, role] = [dice.pick(resources), dice.pick(["req", "use"])];
    const amount =
      resource === "cpu" ? BigInt(dice.below(4_000_001)) : BigInt(dice.below(9000)) * mega + BigInt(dice.below(9));
    const owner = { namespace: dice.pick(["a", "b", "ünï"]), pod: dice.pick(["p", "q"]) };
    records.push(record(`p${at}`, `${role}.${resource}`, amount, owner));
  }
  const bills = Array.from({ length: dice.below(6) }, (): BillRecord => ({
    ...stretch(),
    cost: BigInt(dice.below(9_000_001) - 1_000_000),
    resource: dice.pick([...nodes.map((node) => `i-${node}`), "i-gone"]),
    namespace: dice.pick(["", "", "a"]),
  }));
  const from = instant();
  return {
    weights: { cpu: dice.pick(["0.031611", "1"]), memory: dice.pick(["0.004237", "0", "0.3333333"]) },
    memoryUnit: "byte",
    price: [
      { amount: dice.pick(["0.192", "1.0000001"]), match: "*" },
      { amount: "0.777", match: "big-*", ...(dice.chance(50) && { from: instant() }) },
    ],
    isBilled: dice.chance(40),
    idle: dice.pick(["show", "hide", "share"]),
    records,
    bills,
    from,
    to: from + (1 + dice.below(8)) * hour + dice.pick([0, 1, 1_000_000]),
  };
}

function overlap({ start, end }: { start: number; end: number }, from: number, to: number): number {
  return Math.max(0, Math.min(end, to) - Math.max(start, from));
}

/** What of a cost lies between two instants. */
function spread({ cost, start, end }: BillRecord, from: number, to: number): bigint {
  const before = (at: number): bigint => {
    const over = cost * BigInt(Math.min(Math.max(at, start), end) - start);
    const under = BigInt(end - start);
    return (over - (((over % under) + under) % under)) / under;
  };
  return before(to) - before(from);
}

/** A row as it is compared: meter, charge, namespace, pod, node, quantity, cost. */
export type AllocatedRow = readonly [string, string, string, string, string, string, string];

interface Sum {
  quantity: bigint;
  cost: bigint;
}

/** All rows of the window. */
export function allocate(world: NodeWorld): AllocatedRow[] {
  const sums = new Map<string, Sum>();
  const add = (key: readonly string[], quantity: bigint, cost: bigint): void => {
    const text = JSON.stringify(key);
    const sum = sums.get(text) ?? { quantity: 0n, cost: 0n };
    sums.set(text, { quantity: sum.quantity + quantity, cost: sum.cost + cost });
  };
  const nodes = [...new Set(world.records.map(({ node }) => node))];
  for (const node of nodes)
    for (let at = Math.floor(world.from / hour) * hour; at < world.to; at += hour)
      allocateHour(world, { node, from: Math.max(at, world.from), to: Math.min(at + hour, world.to), add });
  return [...sums]
    .map(([key, { quantity, cost }]): AllocatedRow => {
      const [meter = "", charge = "", namespace = "", pod = "", node = ""] = JSON.parse(key) as string[];
      return [meter, charge, namespace, pod, node, plain(quantity), fixed(cost, 6)];
    })
    .filter(([, , , , , quantity, cost]) => quantity !== "0" || cost !== "0.000000")
    .sort((a, b) =>
      Buffer.compare(Buffer.from(a.slice(0, 5).join("\u0000")), Buffer.from(b.slice(0, 5).join("\u0000"))),
    );
}

interface NodeHour {
  readonly node: string;
  readonly from: number;
  readonly to: number;
  readonly add: (key: readonly string[], quantity: bigint, cost: bigint) => void;
}

function allocateHour(world: NodeWorld, { node, from, to, add }: NodeHour): void {
  const own = world.records.filter((record) => record.node === node);
  const integral = (records: readonly LevelRecord[]): bigint =>
    records.reduce((sum, record) => sum + record.amount * BigInt(overlap(record, from, to)), 0n);
  const capacity = resources.map((resource) => integral(own.filter(({ meter }) => meter === `cap.${resource}`)));
  const total = world.isBilled ? billed(world, { node, from, to }) : priced(world, own, { node, from, to });
  // Weights in whole numbers: memory counts in GiB.
  const scale = 10_000_000n;
  const weights = resources.map((resource, at) => {
    const weight = times(decimal(world.weights[resource] ?? "0"), fraction(scale));
    const size = resource === "memory" ? 1n : 1024n ** 3n;
    return { key: [resource], w: (capacity[at] ?? 0n) * (weight.n / weight.d) * size };
  });
  const isDivided = weights.some(({ w }) => w > 0n);
  const parts = isDivided ? shareOut(total, weights) : [total, 0n];
  for (const [at, resource] of resources.entries())
    allocateResource(world, { own, resource, there: capacity[at] ?? 0n, total: parts[at] ?? 0n, integral, node, add });
}

interface Divided extends Pick<NodeHour, "node" | "add"> {
  readonly own: readonly LevelRecord[];
  readonly resource: string;
  readonly there: bigint;
  readonly total: bigint;
  readonly integral: (records: readonly LevelRecord[]) => bigint;
}

function allocateResource(world: NodeWorld, { own, resource, there, total, integral, node, add }: Divided): void {
  const meter = `node.allocation.${resource}`;
  const pods = podsOf(own, resource, integral);
  const held = pods.reduce((sum, pod) => sum + pod.held, 0n);
  const whole = (world.idle === "share" && held > 0n) || held > there ? held : there;
  const receivers = [
    ...pods.map(({ namespace, pod, held: w }) => ({ key: ["a", namespace, pod], w })),
    { key: ["b"], w: whole - held },
  ];
  const shares = whole === 0n ? [...pods.map(() => 0n), total] : shareOut(total, receivers);
  for (const [place, { namespace, pod, held: quantity }] of pods.entries())
    add([meter, "allocation", namespace, pod, node], quantity, shares[place] ?? 0n);
  if (world.idle !== "hide") add([meter, "idle", "__idle__", "", node], whole - held, shares.at(-1) ?? 0n);
}

interface Pod {
  readonly namespace: string;
  readonly pod: string;
  readonly held: bigint;
}

function podsOf(own: readonly LevelRecord[], resource: string, integral: Divided["integral"]): readonly Pod[] {
  const pods = new Map<string, Pod>();
  for (const { namespace, pod } of own.filter((record) => record.pod !== "")) {
    const mine = own.filter((record) => record.namespace === namespace && record.pod === pod);
    const [request = 0n, usage = 0n] = ["req", "use"].map((role) =>
      integral(mine.filter(({ meter }) => meter === `${role}.${resource}`)),
    );
    pods.set(JSON.stringify([namespace, pod]), { namespace, pod, held: request > usage ? request : usage });
  }
  return [...pods.values()];
}

interface Place {
  readonly node: string;
  readonly from: number;
  readonly to: number;
}

function billed({ bills, records }: NodeWorld, { node, from, to }: Place): bigint {
  const isNode = records.some((record) => record.node === node && record.meter.startsWith("cap."));
  if (!isNode) return 0n;
  return bills
    .filter(({ resource }) => resource === `i-${node}`)
    .reduce((sum, bill) => sum + spread(bill, from, to), 0n);
}

/** The price of each millisecond in which the node is there. */
function priced({ price }: NodeWorld, own: readonly LevelRecord[], { node, from, to }: Place): bigint {
  const capacity = own.filter(({ meter, amount }) => meter.startsWith("cap.") && amount > 0n);
  const cuts = [
    from,
    to,
    ...capacity.flatMap(({ start, end }) => [start, end]),
    ...price.flatMap(({ from: at }) => at ?? []),
  ];
  const inside = [...new Set(cuts)].filter((at) => at >= from && at <= to).sort((a, b) => a - b);
  let sum: Fraction = fraction(0);
  for (const [index, at] of inside.slice(0, -1).entries()) {
    if (!capacity.some(({ start, end }) => start <= at && at < end)) continue;
    const holds = price.filter(
      ({ match, from: since }) => (match === "*" || node.startsWith(match.slice(0, -1))) && (since ?? at) <= at,
    );
    const length = fraction((inside[index + 1] ?? at) - at, hour);
    sum = plus(sum, times(length, decimal(holds.at(-1)?.amount ?? "0")));
  }
  return halfEven(over(times(sum, fraction(1_000_000)), fraction(1)));
}
