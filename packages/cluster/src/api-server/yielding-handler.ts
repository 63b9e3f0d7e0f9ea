/**
 * Lets others in between. Calls in process never wait for a socket, so controllers with much to do would keep the thread for themselves, and
 * clients at the port would take the server for dead.
 */

/** How many calls begin before sockets are looked at again. */
const BATCH_SIZE = 8;

/** The same function, whose calls take turns with everything else that the process does. */
export function yieldBetweenCalls<I, O>(call: (input: I) => Promise<O>): (input: I) => Promise<O> {
  let waiting: (() => void)[] = [];
  const next = (): void => {
    const now = waiting.slice(0, BATCH_SIZE);
    waiting = waiting.slice(BATCH_SIZE);
    if (waiting.length > 0) setImmediate(next);
    for (const begin of now) begin();
  };
  const waitForBatch = (): Promise<void> =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
  return async (input) => {
    await waitForBatch();
    return call(input);
  };
}
