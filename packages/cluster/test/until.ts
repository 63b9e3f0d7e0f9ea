/** Polls for a condition on the cluster. */

/** Resolves with the first result that is not undefined or false; fails with the last state after the timeout. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  timeoutMs = 120_000,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`timed out after ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
