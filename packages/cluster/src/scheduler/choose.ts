/** Chooses the node for a pod among those that fit, or says why none does. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { preferenceFor, reluctance } from "@capstan/node";
import { fitOf } from "./fit.ts";
import type { Refusal } from "./fit.ts";
import { sympathy, unevenness } from "./neighbours.ts";
import type { Surroundings } from "./neighbours.ts";
import { requestsOf } from "./resources.ts";
import type { Amounts } from "./resources.ts";
import type { NodeView } from "./view.ts";

/** Where a pod goes, or why it goes nowhere. */
export type Choice =
  | { readonly choice: "node"; readonly name: string }
  | { readonly choice: "none"; readonly message: string; readonly refusals: ReadonlyMap<NodeView, Refusal> };

/** Chooses. Among equals, `random` decides. */
export function choose(pod: Pod, around: Surroundings, random: () => number): Choice {
  const fit = fitOf(pod, around);
  const refusals = new Map<NodeView, Refusal>();
  const fitting: NodeView[] = [];
  for (const view of around.nodes) {
    const refusal = fit(view);
    if (refusal === undefined) fitting.push(view);
    else refusals.set(view, refusal);
  }
  if (fitting.length === 0) return { choice: "none", message: explain(around.nodes.length, refusals), refusals };
  return { choice: "node", name: best(fitting, { pod, around, random }).node.metadata.name };
}

/** `0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.` */
export function explain(total: number, refusals: ReadonlyMap<NodeView, Refusal>): string {
  if (total === 0) return "no nodes available to schedule pods";
  const [first] = refusals.values();
  if (first?.anywhere === true) return `0/${total} nodes are available: ${first.reasons.join(", ")}.`;
  return `0/${total} nodes are available: ${tally([...refusals.values()].flatMap(({ reasons }) => reasons))}.`;
}

/** Each reason once, with how often it was given. */
export function tally(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}

interface Contest {
  readonly pod: Pod;
  readonly around: Surroundings;
  readonly random: () => number;
}

/** How much each consideration counts, as in Kubernetes' default profile. */
const weights = { taints: 3, affinity: 2, spread: 2, neighbours: 2, free: 1, balance: 1 } as const;

function best(views: readonly NodeView[], { pod, around, random }: Contest): NodeView {
  const requests = requestsOf(pod);
  const taints = spanned(views, (view) => -reluctance(view.node, pod));
  const affinity = spanned(views, (view) => preferenceFor(view.node, pod));
  const spread = spanned(views, (view) => -unevenness(view, pod, around));
  const neighbours = spanned(views, (view) => sympathy(view, pod, around));
  let winners: NodeView[] = [];
  let highest = -Infinity;
  for (const [index, view] of views.entries()) {
    const score =
      weights.taints * (taints[index] ?? 0) +
      weights.affinity * (affinity[index] ?? 0) +
      weights.spread * (spread[index] ?? 0) +
      weights.neighbours * (neighbours[index] ?? 0) +
      weights.free * freedom(view, requests) +
      weights.balance * balance(view, requests);
    if (score > highest) [winners, highest] = [[view], score];
    else if (score === highest) winners.push(view);
  }
  const [first] = winners;
  if (first === undefined) throw new RangeError("there is no node to choose from");
  return winners[Math.floor(random() * winners.length)] ?? first;
}

/** Scores between 0 and 100: the least liked gets 0, the best liked 100, and all get 0 when there is no difference. */
function spanned(views: readonly NodeView[], of: (view: NodeView) => number): readonly number[] {
  const raw = views.map(of);
  const least = Math.min(...raw);
  const span = Math.max(...raw) - least;
  return span === 0 ? raw.map(() => 0) : raw.map((value) => (100 * (value - least)) / span);
}

/** What a pod that asks for nothing is taken to need, so that such pods spread too. */
const assumed: { readonly [name: string]: number } = { cpu: 100, memory: 200 * 2 ** 20 };

function fractions(view: NodeView, requests: Amounts): readonly number[] {
  return Object.keys(assumed).flatMap((name) => {
    const all = view.allocatable.get(name) ?? 0;
    if (all === 0) return [];
    let used = requests.get(name) ?? assumed[name] ?? 0;
    for (const { requests: theirs } of view.pods.values()) used += theirs.get(name) ?? assumed[name] ?? 0;
    return [Math.min(1, used / all)];
  });
}

/** How much of the node would stay free, in percent. */
function freedom(view: NodeView, requests: Amounts): number {
  const taken = fractions(view, requests);
  return taken.length === 0 ? 0 : (100 * taken.reduce((sum, part) => sum + 1 - part, 0)) / taken.length;
}

/** How evenly the resources of the node would be used, in percent. */
function balance(view: NodeView, requests: Amounts): number {
  const [cpu, memory] = fractions(view, requests);
  return cpu === undefined || memory === undefined ? 0 : 100 * (1 - Math.abs(cpu - memory) / 2);
}
