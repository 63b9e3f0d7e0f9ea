/** Clients that write and read all the time while an operator crashes, and the check of the responses that they got. */
import assert from "node:assert/strict";
import { startWorkload } from "../linearizability/workload.ts";
import { followRecovery, lostWrites } from "../stories/lost-writes.ts";
import type { Scene } from "../stories/scene.ts";

/** The result for clients. */
export interface Judgement {
  readonly answers: number;
  readonly lost: number;
}

export interface Clients extends AsyncDisposable {
  /**
   * Stops the clients once they are served again. Their history must be linearizable; after a quorum loss only what the operator reports
   * may be lost.
   */
  judge(isQuorumLost: boolean): Promise<Judgement>;
}

export async function startClients(scene: Scene, what: string): Promise<Clients> {
  const ways = await scene.ways();
  const load = startWorkload({ ...ways, prefix: `${what}/`, clients: 3, keys: 3, timeoutMs: 2_000, paceMs: 100 });
  const recovery = followRecovery(scene);
  let ended: ReturnType<typeof load.stop> | undefined;
  const stop = (): ReturnType<typeof load.stop> => (ended ??= load.stop());
  const served = async (when: string): Promise<void> => {
    load.step(when);
    await scene.until(`clients are served ${when} it ${what}`, async () => load.served());
  };
  await served("before");
  return {
    judge: async (isQuorumLost) => {
      await served("after");
      const { history, verdict } = await stop();
      const lost = isQuorumLost ? await lostWrites(scene, history, recovery.noticed()) : 0;
      if (!isQuorumLost) assert.equal(verdict.ok, true, `it ${what}: ${JSON.stringify(verdict)}`);
      return { answers: history.filter((event) => Number.isFinite(event.ended)).length, lost };
    },
    [Symbol.asyncDispose]: async () => {
      recovery[Symbol.dispose]();
      // The earlier failure is the one to report.
      await stop().catch(() => undefined);
    },
  };
}
