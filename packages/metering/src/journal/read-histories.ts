/** Reads the journals of a store and replays them: journal after journal, in the order of lines. */
import type { Store } from "../store/store.ts";
import { parseInstant } from "../time/instant.ts";
import { parseJournalLine } from "./line.ts";
import { type KindHistory, Replay } from "./replay.ts";

interface Stored {
  readonly n: number;
  readonly at: number;
  readonly text: string;
}

/** What the journals of a store say. */
export async function readHistories(store: Store): Promise<readonly KindHistory[]> {
  const journals = new Map<string, Stored[]>();
  for await (const rows of store.read("journal")) {
    for (const [journal, , n, at, text] of rows) {
      const lines = journals.get(String(journal)) ?? [];
      journals.set(String(journal), lines);
      lines.push({ n: Number(n), at: Number(at), text: String(text) });
    }
  }
  const ordered = [...journals.values()].map((lines) => lines.sort((a, b) => a.n - b.n));
  ordered.sort((a, b) => (a[0]?.at ?? 0) - (b[0]?.at ?? 0));
  const replay = new Replay();
  for (const { text } of ordered.flat()) {
    const line = parseJournalLine(JSON.parse(text), parseInstant);
    if (typeof line !== "string") replay.take(line);
  }
  return replay.histories();
}
