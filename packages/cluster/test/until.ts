/** Waits for a condition on the cluster, looking at it again and again. */

/** Resolves with the first answer that is not undefined or false; fails with the last state when it takes too long. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  patience = 120_000,
): Promise<T> {
  const end = performance.now() + patience;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`waited ${patience} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
