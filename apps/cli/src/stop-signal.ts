/** Waits until this process is stopped. */
import { once } from "node:events";

/** Resolves at SIGTERM, SIGINT or SIGHUP (a closed terminal), or when the given signal is aborted. */
export async function stopSignal(quit?: AbortSignal): Promise<void> {
  const stop = new AbortController();
  // A pending promise alone does not keep the process alive. A listening port does, and so does this timer if there is none.
  const alive = setInterval(() => {}, 1 << 30);
  const told = quit === undefined ? [] : [once(quit, "abort", { signal: stop.signal })];
  await Promise.race([
    ...["SIGTERM", "SIGINT", "SIGHUP"].map((name) => once(process, name, { signal: stop.signal })),
    ...told,
  ]);
  stop.abort();
  clearInterval(alive);
}
