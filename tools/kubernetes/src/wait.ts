/** Waits for a state of a cluster, and fails when a required process has ended. */

import { setTimeout as delay } from "node:timers/promises";

import { KubernetesToolError } from "./errors.ts";
import { assertRunning, logTail } from "./sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

const LIMIT_MS = 120_000;

/** Polls until the condition is true; a failing check counts as false. */
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
