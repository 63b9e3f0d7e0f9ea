/** Waits for work until the signal aborts. The work itself continues: its owner must cancel it. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    // Always attached, so that a later rejection is not unhandled.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
