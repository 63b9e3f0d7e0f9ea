/** What was lost when most copies were destroyed: exactly what the operator reports as possibly lost, and nothing else. */
import assert from "node:assert/strict";
import { byKey } from "../linearizability/history.ts";
import type { Event } from "../linearizability/history.ts";
import type { Scene } from "./scene.ts";

/** Records the moment at which a recovery begins: the old members acknowledge no write after it. */
export function followRecovery(scene: Scene): Disposable & { readonly noticed: () => number } {
  let noticed = Number.POSITIVE_INFINITY;
  const timer = setInterval(() => {
    void scene.cluster().then(
      ({ status }) => {
        const isUnderWay = status?.recovery !== undefined && status.recovery.phase !== "Done";
        if (isUnderWay) noticed = Math.min(noticed, performance.now());
      },
      () => undefined,
    );
  }, 250);
  return { noticed: () => noticed, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Counts acknowledged writes that are gone; fails when one is gone that should not be. */
export async function lostWrites(scene: Scene, history: readonly Event[], noticed: number): Promise<number> {
  const { recovery } = (await scene.cluster()).status ?? {};
  const { revision = 0, mayBeLost = "", phase } = recovery ?? {};
  assert.equal(phase, "Done");
  assert.match(mayBeLost, new RegExp(`^writes after revision ${revision}: those that only `, "u"));
  const before = history.filter(({ ended }) => ended < noticed);
  for (const [key, events] of byKey(before)) await compareAt(scene, { key, events, revision });
  return before.filter((event) => (event.revision ?? 0) > revision).length;
}

interface Kept {
  readonly key: string;
  readonly events: readonly Event[];
  readonly revision: number;
}

/** At the saved revision, a key has the newest write up to it: an acknowledged one, or one without a response. */
async function compareAt(scene: Scene, { key, events, revision }: Kept): Promise<void> {
  const found = await scene.until(`${key} is read as it was`, async () => {
    await using client = await scene.leader();
    return (await client.kv.range({ key, revision })).kvs[0] ?? "nothing";
  });
  const writes = events.filter((event) => (event.revision ?? Infinity) <= revision);
  const newest = writes.toSorted((one, other) => (other.revision ?? 0) - (one.revision ?? 0))[0];
  if (newest === undefined) return;
  const at = found === "nothing" ? 0 : found.modRevision;
  if (newest.operation.do === "delete") {
    assert.ok(at === 0 || at > (newest.revision ?? 0), `${key} was deleted and is there again`);
    return;
  }
  assert.ok(found !== "nothing" || hasOpenDelete(events, newest), `${key} is gone, though it was saved`);
  assert.ok(found === "nothing" || at >= (newest.revision ?? 0), `${key} has an older value than was saved`);
  if (at === newest.revision && found !== "nothing") assert.equal(found.value.toString(), valueOf(newest));
}

function hasOpenDelete(events: readonly Event[], since: Event): boolean {
  return events.some(
    ({ operation, ended, began }) => operation.do === "delete" && !Number.isFinite(ended) && began > since.began,
  );
}

function valueOf({ operation }: Event): string | undefined {
  if (operation.do === "write") return operation.value;
  return operation.do === "swap" ? operation.to : undefined;
}
