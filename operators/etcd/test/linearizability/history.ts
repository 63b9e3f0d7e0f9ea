/** The operations of clients on single keys and their responses, with the times of both. */

/** A value of a key; undefined when the key does not exist. Clients never write the same value twice. */
export type Value = string | undefined;

/** The operation, and its response if one came. */
export type Operation =
  | { readonly do: "read"; readonly saw: Value }
  | { readonly do: "write"; readonly value: string }
  | { readonly do: "delete" }
  /** Writes `to` if the value is `from`; otherwise returns the actual value. The outcome is unknown without a response. */
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
  /** The time of the call, on a monotonic clock that all clients share. */
  readonly began: number;
  /** The time of the response; infinite without one: the operation may take effect at any later time, or never. */
  readonly ended: number;
  /** The store's revision in the response of a write. */
  readonly revision?: number;
}

/** The events of each key. Each key is a separate register that can be checked alone (Herlihy and Wing: linearizability is local). */
export function byKey(history: readonly Event[]): Map<string, Event[]> {
  return Map.groupBy(history, ({ key }) => key);
}
