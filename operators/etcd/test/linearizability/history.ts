/** What clients did to single keys and what they were told, with the times at which they asked and knew. */

/** A value of a key; undefined when the key is not there. Whoever writes never writes the same value twice. */
export type Value = string | undefined;

/** What was asked, and the answer if one came. */
export type Operation =
  | { readonly do: "read"; readonly saw: Value }
  | { readonly do: "write"; readonly value: string }
  | { readonly do: "delete" }
  /** Writes `to` if the value is `from`; otherwise tells what it saw instead. Whether it did is unknown when no answer came. */
  | { readonly do: "swap"; readonly from: Value; readonly to: string; readonly outcome: SwapOutcome };

/** How a conditional write ended. */
export type SwapOutcome =
  | { readonly is: "done" }
  | { readonly is: "refused"; readonly saw: Value }
  | { readonly is: "unknown" };

/** One operation of one client. */
export interface Event {
  readonly key: string;
  readonly client: number;
  readonly operation: Operation;
  /** When it was asked; any clock that never goes back and that all clients share. */
  readonly began: number;
  /** When the answer came; infinite when none did: it may have happened at any later time, or never. */
  readonly ended: number;
  /** The store's revision that came with the answer to a write. */
  readonly revision?: number;
}

/** The events of each key: a register of its own, so that each can be judged alone (Herlihy and Wing: linearizability is local). */
export function byKey(history: readonly Event[]): Map<string, Event[]> {
  return Map.groupBy(history, ({ key }) => key);
}
