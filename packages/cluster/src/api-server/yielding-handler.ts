/**
 * Yields to the event loop between calls. In-process calls never wait for a socket, so busy controllers would starve the port and its
 * clients would time out.
 */

/** How many calls start before the event loop runs again. */
const BATCH_SIZE = 8;

/** Wraps a function so that its calls yield to the event loop. */
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
