/** The upgrade graph of a channel: its head, and the defects that `opm validate` names. */
import { compareText } from "../decode/json.ts";
import type { Channel, ChannelEntry } from "./model.ts";

/** The head of a channel, or the reason why it has none. */
export type Head = { readonly entry: ChannelEntry } | { readonly problem: string };

/** The one entry that no other entry replaces or skips. A skipRange makes no edge. */
export function headOf({ entries }: Pick<Channel, "entries">): Head {
  const reached = new Set<string>();
  for (const { replaces, skips } of entries.values()) {
    if (replaces !== undefined) reached.add(replaces);
    for (const skip of skips) reached.add(skip);
  }
  const heads = [...entries.values()].filter(({ name }) => !reached.has(name));
  const [entry] = heads;
  if (entry === undefined) return { problem: "no channel head found in graph" };
  if (heads.length === 1) return { entry };
  const names = heads.map(({ name }) => name).sort(compareText);
  return { problem: `multiple channel heads found in graph: ${names.join(", ")}` };
}

/**
 * The defect of the graph: not exactly one head, a cycle, or entries that the `replaces` chain from the head does not reach and that no entry
 * skips. The last entry of the chain may replace an entry that is not in the channel.
 */
export function graphProblem(channel: Pick<Channel, "entries">): string | undefined {
  const head = headOf(channel);
  if ("problem" in head) return head.problem;
  const { entries } = channel;
  const skipped = new Set([...entries.values()].flatMap(({ skips }) => skips));
  const chain = [head.entry.name];
  const reached = new Set(chain);
  for (let entry: ChannelEntry | undefined = head.entry; entry !== undefined;) {
    const next: string = entry.replaces ?? "";
    if (skipped.has(next)) break;
    if (reached.has(next)) return formatCycle(chain, next);
    chain.push(next);
    reached.add(next);
    entry = entries.get(next);
  }
  const stranded = [...entries.keys()].filter((name) => !reached.has(name) && !skipped.has(name)).sort(compareText);
  return stranded.length === 0 ? undefined : `channel contains one or more stranded bundles: ${stranded.join(", ")}`;
}

function formatCycle(chain: readonly string[], again: string): string {
  return `detected cycle in replaces chain of upgrade graph: ${[...chain.slice(chain.indexOf(again)), again].join(" -> ")}`;
}
