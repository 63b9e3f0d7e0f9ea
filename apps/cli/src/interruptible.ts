/** Runs work that can clean up when this process is interrupted. */

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs work with a signal that SIGINT (Ctrl-C), SIGTERM and SIGHUP abort. */
export async function interruptible<T>(work: (interrupt: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const onSignal = (): void => interrupted.abort();
  for (const name of signals) process.once(name, onSignal);
  try {
    return await work(interrupted.signal);
  } finally {
    for (const name of signals) process.off(name, onSignal);
  }
}
