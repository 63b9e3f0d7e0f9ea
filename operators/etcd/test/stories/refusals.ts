/**
 * Where an action could destroy data or split the cluster in two, the operator must refuse with a reason, and continue after the repair.
 */
import assert from "node:assert/strict";
import { loseMostNodes } from "./harms/nodes.ts";
import { destroy } from "./harms/pods.ts";
import { memberNames, messageOf, reasonOf } from "./harms/seen.ts";
import type { Scene } from "./scene.ts";

/** A case in which the operator must not act. */
export interface Refusal {
  readonly name: string;
  /** The clusters on which every CI run tries it; a full run tries it on both. */
  readonly always: readonly ("embedded" | "kubernetes")[];
  /** The repair, as the page describes it. */
  readonly mendedBy: string;
  /** Causes the case; returns its repair. The key must be readable afterwards. */
  provoke(scene: Scene, key: string): Promise<() => Promise<void>>;
}

export const REFUSALS: readonly Refusal[] = [
  {
    name: "the nodes of two of three members are lost",
    always: [],
    mendedBy: "the nodes come back",
    provoke: loseMostNodes,
  },
  {
    name: "two of three volumes are deleted, and `recovery.quorumLoss` is `Manual`",
    always: ["embedded"],
    mendedBy: "somebody sets it to `Automatic`",
    provoke: async (scene, key) => {
      await scene.edit({ recovery: { quorumLoss: "Manual" } });
      await scene.settled("the policy is known");
      const [survivor = "", ...others] = await memberNames(scene);
      await scene.until(`${survivor} has ${key}`, () => hasCopy(scene, survivor, key));
      await destroy(scene, others);
      return async () => void (await scene.edit({ recovery: { quorumLoss: "Automatic" } }));
    },
  },
];

/** An acknowledged write reaches the other members a little later. */
async function hasCopy(scene: Scene, member: string, key: string): Promise<boolean> {
  await using client = await scene.member(member);
  return (await client.kv.range({ key, serializable: true })).kvs.length > 0;
}

/** Tries one case; returns the operator's message. */
export async function tryRefusal(scene: Scene, refusal: Refusal): Promise<string> {
  const { name } = refusal;
  const born = await scene.settled(`calm before: ${name}`);
  const key = `refusal/${name}`;
  await scene.put(key, "kept");
  const mend = await refusal.provoke(scene, key);
  await scene.until(`${name}: it is refused`, async () => (await reasonOf(scene, "Degraded")) === "QuorumLost");
  const { status } = await scene.cluster();
  const words = messageOf(status?.conditions, "Degraded");
  assert.deepEqual(status?.recovery, born.status?.recovery, `${name}: no recovery was begun`);
  assert.equal(await reasonOf(scene, "QuorumLost"), "TooFewMembers");
  await mend();
  const after = await scene.settled(`${name}: three members are well again`);
  assert.equal(after.status?.clusterId, born.status?.clusterId);
  assert.equal(await scene.read(key), "kept");
  return words;
}
