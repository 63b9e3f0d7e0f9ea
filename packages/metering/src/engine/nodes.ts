/** Allocates the cost of nodes to pods, hour by hour; what no pod holds is idle, and nothing is lost. */
import type { Book, NodePrice, Nodes } from "../book/book.ts";
import { resources } from "../book/node-fields.ts";
import { bytesIn } from "../book/unit.ts";
import { type Rational, add, multiply, rational, roundTo, zero } from "../number/rational.ts";
import { share, spread, type Spread } from "../number/share.ts";
import { boundsOf } from "../time/bucket.ts";
import { zoneOf } from "../time/zone.ts";
import type { KnownNode } from "./collect.ts";
import type { Piece, Tenancy } from "./piece.ts";
import type { Window } from "./rate.ts";
import { type Stretch, join } from "./stretch.ts";

const hour = 3_600_000;

/** Allocated cost of one hour. */
export interface Allocation {
  readonly start: number;
  readonly resource: string;
  readonly charge: "allocation" | "idle";
  readonly tenant: string;
  readonly namespace: string;
  readonly cluster: string;
  readonly node: string;
  readonly pod: string;
  /** 9 fractional digits. */
  readonly quantity: bigint;
  /** Millionths. */
  readonly cost: bigint;
}

interface Held {
  readonly tenant: string;
  readonly namespace: string;
  readonly pod: string;
  request: bigint;
  usage: bigint;
}

interface NodeHour {
  readonly node: string;
  readonly cluster: string;
  readonly start: number;
  readonly presence: Stretch[];
  readonly capacity: Map<string, bigint>;
  readonly pods: Map<string, Map<string, Held>>;
}

/** What the allocation of nodes needs. */
export interface NodesOptions {
  readonly book: Book;
  readonly window: Window;
  readonly tenancy: Tenancy;
  readonly idle: "show" | "hide" | "share";
  /** Cost of a node by its bill: the last part of its provider id, else its name. */
  readonly bills?: ReadonlyMap<string, readonly Spread[]>;
  /** Nodes that had capacity at any time: a bill may cover hours without it. */
  readonly known?: readonly KnownNode[];
}

/** Collects capacity, requests and usage, then allocates. */
export class NodeRater {
  readonly #hours = new Map<string, NodeHour>();
  readonly #nodes: Nodes;
  readonly #options: NodesOptions;
  readonly #dimensions = new Map<string, ReadonlyMap<string, string>>();
  readonly #roles = new Map<string, { readonly role: "capacity" | "request" | "usage"; readonly resource: string }[]>();

  constructor(nodes: Nodes, options: NodesOptions) {
    this.#nodes = nodes;
    this.#options = options;
    for (const { cluster, node, dimensions } of options.known ?? [])
      this.#dimensions.set(`${cluster}\u0000${node}`, dimensions);
    for (const role of ["capacity", "request", "usage"] as const)
      for (const [resource, meter] of Object.entries(nodes[role]))
        this.#roles.set(meter, [...(this.#roles.get(meter) ?? []), { role, resource }]);
  }

  /** Adds a piece of any meter. */
  add(piece: Piece): void {
    const roles = this.#roles.get(piece.meter);
    if (roles === undefined || piece.kind !== "level") return;
    const { window, tenancy, book } = this.#options;
    const from = Math.max(piece.start, window.from, book.importFrom ?? Number.NEGATIVE_INFINITY);
    const to = Math.min(piece.end, window.to);
    if (from >= to) return;
    const changes = piece.tenant === "" ? tenancy.changes({ ...piece, start: from, end: to }) : [];
    const cuts = [from, ...changes, to];
    for (let at = 1; at < cuts.length; at++) {
      const [start = 0, end = 0] = [cuts[at - 1], cuts[at]];
      const tenant = piece.tenant === "" ? tenancy.tenantAt(piece, start) : piece.tenant;
      for (let begin = start; begin < end; begin = (Math.floor(begin / hour) + 1) * hour) {
        const stretch = { start: begin, end: Math.min(end, (Math.floor(begin / hour) + 1) * hour) };
        for (const { role, resource } of roles) this.#addHour(piece, { role, resource, tenant, stretch });
      }
    }
  }

  #addHour(
    piece: Piece,
    {
      role,
      resource,
      tenant,
      stretch,
    }: { role: "capacity" | "request" | "usage"; resource: string; tenant: string; stretch: Stretch },
  ): void {
    const node = piece.dimensions.get("node") ?? "";
    const integral = piece.amount * BigInt(stretch.end - stretch.start);
    const nodeHour = this.#hourOf({ node, cluster: piece.cluster, start: Math.floor(stretch.start / hour) * hour });
    if (role === "capacity") {
      if (piece.amount > 0n) nodeHour.presence.push(stretch);
      this.#dimensions.set(`${piece.cluster}\u0000${node}`, piece.dimensions);
      nodeHour.capacity.set(resource, (nodeHour.capacity.get(resource) ?? 0n) + integral);
      return;
    }
    const pod = piece.dimensions.get("pod") ?? "";
    const pods = nodeHour.pods.get(resource) ?? new Map<string, Held>();
    nodeHour.pods.set(resource, pods);
    const key = `${piece.namespace}\u0000${pod}\u0000${tenant}`;
    const held = pods.get(key) ?? { tenant, namespace: piece.namespace, pod, request: 0n, usage: 0n };
    pods.set(key, held);
    held[role] += integral;
  }

  #hourOf({ node, cluster, start }: { node: string; cluster: string; start: number }): NodeHour {
    const key = `${cluster}\u0000${node}\u0000${start}`;
    let found = this.#hours.get(key);
    if (found === undefined) {
      found = { node, cluster, start, presence: [], capacity: new Map(), pods: new Map() };
      this.#hours.set(key, found);
    }
    return found;
  }

  /** All allocations; their sum is the cost of the nodes. */
  *allocations(): Iterable<Allocation> {
    this.#addBilledHours();
    for (const nodeHour of this.#hours.values()) yield* this.#allocate(nodeHour);
  }

  /** Hours that a bill covers without capacity. */
  #addBilledHours(): void {
    const { bills, window, book } = this.#options;
    if (bills === undefined) return;
    const first = Math.max(window.from, book.importFrom ?? Number.NEGATIVE_INFINITY);
    for (const [key, dimensions] of this.#dimensions) {
      const [cluster = "", node = ""] = key.split("\u0000");
      for (const { start, end } of bills.get(billedName(dimensions, node)) ?? [])
        for (let at = Math.floor(Math.max(start, first) / hour) * hour; at < Math.min(end, window.to); at += hour)
          this.#hourOf({ node, cluster, start: at });
    }
  }

  *#allocate(nodeHour: NodeHour): Iterable<Allocation> {
    const total = this.#costOf(nodeHour);
    const names = resources.filter((resource) => this.#nodes.capacity[resource] !== undefined);
    const weights = names.map((resource) => this.#weightOf(nodeHour, resource));
    const common = weights.reduce((product, { under }) => product * under, 1n);
    const receivers = names.map((name, at) => {
      const { over, under } = weights[at] ?? zero;
      return { key: [name], weight: over * (common / under) };
    });
    const parts = share(total, receivers);
    const isDivided = receivers.some(({ weight }) => weight > 0n);
    for (const [at, resource] of names.entries()) {
      const part = isDivided ? (parts[at] ?? 0n) : at === 0 ? total : 0n;
      yield* this.#allocateResource(nodeHour, { resource, total: part });
    }
  }

  #weightOf({ capacity }: NodeHour, resource: string): Rational {
    const integral = capacity.get(resource) ?? 0n;
    const weight = multiply(this.#nodes.weights[resource] ?? zero, rational(integral));
    if (resource !== "memory") return weight;
    const unit = this.#options.book.meters.get(this.#nodes.capacity[resource] ?? "")?.unit ?? "byte";
    return multiply(weight, rational(bytesIn(unit) ?? 1n, 1024n ** 3n));
  }

  *#allocateResource(
    { capacity, pods, start, node, cluster }: NodeHour,
    { resource, total }: { readonly resource: string; readonly total: bigint },
  ): Iterable<Allocation> {
    const held = [...(pods.get(resource)?.values() ?? [])].map((pod) => ({
      ...pod,
      amount: pod.request > pod.usage ? pod.request : pod.usage,
    }));
    const sum = held.reduce((all, { amount }) => all + amount, 0n);
    const there = capacity.get(resource) ?? 0n;
    const isShared = this.#options.idle === "share" && sum > 0n;
    const whole = isShared || sum > there ? sum : there;
    const idle = whole - sum;
    const parts = share(total, [
      ...held.map(({ namespace, pod, tenant, amount }) => ({ key: ["0", namespace, pod, tenant], weight: amount })),
      { key: ["1"], weight: idle },
    ]);
    const frame = { start, resource, cluster, node };
    for (const [at, { tenant, namespace, pod, amount }] of held.entries())
      yield { ...frame, charge: "allocation", tenant, namespace, pod, quantity: amount, cost: parts[at] ?? 0n };
    const rest = whole === 0n ? total : (parts.at(-1) ?? 0n);
    if (this.#options.idle !== "hide")
      yield {
        ...frame,
        charge: "idle",
        tenant: "__idle__",
        namespace: "__idle__",
        pod: "",
        quantity: idle,
        cost: rest,
      };
  }

  #costOf({ node, cluster, start, presence }: NodeHour): bigint {
    const dimensions = this.#dimensions.get(`${cluster}\u0000${node}`) ?? new Map<string, string>();
    const { window, bills, book } = this.#options;
    if (this.#nodes.bill === "focus") {
      const first = Math.max(window.from, book.importFrom ?? Number.NEGATIVE_INFINITY);
      const [from, to] = [Math.max(start, first), Math.min(start + hour, window.to)];
      return (bills?.get(billedName(dimensions, node)) ?? []).reduce((sum, row) => sum + spread(row, from, to), 0n);
    }
    const value = (name: string): string =>
      name === "cluster" ? cluster : name === "node" ? node : (dimensions.get(name) ?? "");
    let sum = zero;
    for (const stretch of join(presence)) sum = add(sum, priceOf(stretch, { book, prices: this.#nodes.price, value }));
    return roundTo(sum, 6);
  }
}

/** The name of a node in bills. */
export function billedName(dimensions: ReadonlyMap<string, string>, node: string): string {
  const id = dimensions.get("provider_id") ?? "";
  return id === "" ? node : id.slice(id.lastIndexOf("/") + 1);
}

interface Pricing {
  readonly book: Book;
  readonly prices: readonly NodePrice[];
  readonly value: (dimension: string) => string;
}

function priceOf({ start, end }: Stretch, { book, prices, value }: Pricing): Rational {
  const matching = prices.filter(({ match }) =>
    Object.entries(match).every(([name, pattern]) => isMatch(pattern, value(name))),
  );
  const zone = zoneOf(book.timeZone);
  const inside = matching.flatMap(({ from }) => (from !== undefined && from > start && from < end ? [from] : []));
  const cuts = [...new Set([start, ...inside, boundsOf("month", zone, start)[1], end])]
    .filter((at) => at <= end)
    .sort((a, b) => a - b);
  let sum = zero;
  for (let at = 1; at < cuts.length; at++) {
    const [begin = 0, finish = 0] = [cuts[at - 1], cuts[at]];
    const price = matching.findLast(({ from }) => from === undefined || from <= begin);
    if (price === undefined) continue;
    const [monthStart, monthEnd] = boundsOf("month", zone, begin);
    const seconds = rational(
      BigInt(finish - begin),
      price.unit.time === "month" ? BigInt(monthEnd - monthStart) : 1000n,
    );
    const { size } = price.unit;
    sum = add(sum, multiply(multiply(seconds, rational(size.under, size.over)), price.rate));
  }
  return sum;
}

/** A pattern in which `*` stands for any text. */
function isMatch(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(head)) return false;
  let at = head.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) return text.length - part.length >= at && text.endsWith(part);
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
