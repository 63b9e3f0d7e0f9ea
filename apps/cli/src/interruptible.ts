/** Work that is told when somebody interrupts this process, and may tidy up before it ends. */

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Does something with a signal that is aborted by Ctrl-C and its like. */
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
