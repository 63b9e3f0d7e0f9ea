/** Waits for a cluster to get somewhere, and stops waiting when what is needed for it has died. */

import { setTimeout as delay } from "node:timers/promises";

import { KubernetesToolError } from "./errors.ts";
import { assertRunning, logTail } from "./sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

const LIMIT_MS = 120_000;

/** Asks again and again until it is so; a question that fails counts as not yet. */
export async function waitUntil(
  { folder, signal }: Sandbox,
  needed: readonly string[],
  isSo: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (performance.now() < deadline) {
    signal?.throwIfAborted();
    if (await isSo().catch(() => false)) return;
    await delay(100);
    for (const component of needed) assertRunning(folder, component);
  }
  const logs = needed.map((component) => `${component}: ${logTail(folder, component)}`).join("\n");
  throw new KubernetesToolError("not-started", `${needed[0]} was not ready in ${LIMIT_MS / 1000} s\n${logs}`);
}
