/** Bounds the connections of one address at a time: a client that opens them without end must not starve the others. */

/** The part of a connection that is needed here. */
export interface Caller {
  readonly remoteAddress?: string | undefined;
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

/** Serves at most `most` connections of each address; further ones are closed. */
export function bounded<T extends Caller>(most: number, serve: (caller: T) => void): (caller: T) => void {
  const counts = new Map<string, number>();
  return (caller) => {
    const from = caller.remoteAddress ?? "";
    const count = counts.get(from) ?? 0;
    if (count >= most) return void caller.destroy();
    counts.set(from, count + 1);
    caller.once("close", () => {
      const left = (counts.get(from) ?? 1) - 1;
      if (left === 0) counts.delete(from);
      else counts.set(from, left);
    });
    serve(caller);
  };
}
