/** Waits for work, and no longer than a signal allows. The work itself goes on: whoever began it must end it. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    // Listened to in any case: a failure that comes later has nobody else to hear it.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
