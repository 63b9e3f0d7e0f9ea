/** Waits until this process is told to stop. */
import { once } from "node:events";

/** Resolves at SIGTERM or SIGINT. */
export async function stopSignal(): Promise<void> {
  const stop = new AbortController();
  // A pending promise alone does not keep the process alive; a listening port does, and so does this timer when there is none.
  const alive = setInterval(() => {}, 1 << 30);
  await Promise.race(["SIGTERM", "SIGINT"].map((name) => once(process, name, { signal: stop.signal })));
  stop.abort();
  clearInterval(alive);
}
