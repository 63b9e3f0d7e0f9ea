/** The order of the entries of a channel: from the head along the edges that replace. */
import { ResolveError } from "./error.ts";
import type { Entry } from "./entry.ts";

/**
 * The entries from the head down; skipped entries are left out. The order of a channel with several heads or with a
 * cycle is unknown, which is an error. The entries are of one channel.
 */
export function sortChannel(entries: readonly Entry[]): Entry[] {
  const [first] = entries;
  if (first === undefined) return [];
  const edges = edgesOf(entries);
  const heads = entries.filter((entry) => !edges.replaced.has(entry));
  const place = `in channel "${first.channel}" of package "${first.package}"`;
  if (heads.length === 0)
    throw new ResolveError("BadChannel", `no channel heads (entries not replaced by another entry) found ${place}`);
  const chains = heads.map((head) => chainFrom(head, { ...edges, place }));
  const [chain = []] = chains;
  if (chains.length === 1) return chain;
  throw new ResolveError(
    "BadChannel",
    "a unique replacement chain within a channel is required to determine the relative order between channel entries, " +
      `but ${chains.length} replacement chains were found ${place}: ${chains.map(formatChain).join(", ")}`,
  );
}

interface Edges {
  readonly replaced: ReadonlySet<Entry>;
  readonly replaces: ReadonlyMap<Entry, Entry>;
  readonly skipped: ReadonlySet<string>;
}

function edgesOf(entries: readonly Entry[]): Edges {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const [replaced, replaces, skipped] = [new Set<Entry>(), new Map<Entry, Entry>(), new Set<string>()];
  for (const entry of entries) {
    const next = entry.replaces === undefined ? undefined : byName.get(entry.replaces);
    if (next !== undefined) {
      replaced.add(next);
      replaces.set(entry, next);
    }
    for (const skip of entry.skips) {
      const target = byName.get(skip);
      if (target === undefined) continue;
      replaced.add(target);
      skipped.add(skip);
    }
  }
  return { replaced, replaces, skipped };
}

function chainFrom(head: Entry, { replaces, skipped, place }: Edges & { readonly place: string }): Entry[] {
  const visited = new Set<Entry>();
  for (let current: Entry | undefined = head; current !== undefined; current = replaces.get(current)) {
    if (visited.has(current))
      throw new ResolveError(
        "BadChannel",
        `a cycle exists in the chain of replacement beginning with "${head.name}" ${place}`,
      );
    visited.add(current);
  }
  return [...visited].filter(({ name }) => !skipped.has(name));
}

function formatChain(chain: readonly Entry[]): string {
  const [first, last] = [chain[0], chain.at(-1)];
  if (first === undefined || last === undefined) return "[]";
  return first === last ? first.name : `${first.name}...${last.name}`;
}
