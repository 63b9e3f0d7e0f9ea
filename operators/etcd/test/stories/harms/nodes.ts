/** Unreachable nodes, and an unavailable API server. */
import { setTimeout as delay } from "node:timers/promises";
import type { Loss } from "../breakage.ts";
import type { Scene } from "../scene.ts";
import type { Harm } from "./harm.ts";
import { isNodeReady, isReplaced, memberNames, podOf } from "./seen.ts";

/** A node with a member is lost; it returns after the member was replaced. */
export const LOST_NODE: Harm = {
  name: "a node is lost",
  fate: "survives",
  strike: async (scene, dice) => {
    const { node, members } = dice.one((await nodesOf(scene)).filter(({ members: all }) => all.length === 1));
    const how = dice.one<Loss>(["cut off", "killed"]);
    await scene.ground.breakage.loseNode(node, how);
    return {
      detail: `${node} with ${members.join(", ")}: ${how}`,
      hasShown: () => isReplaced(scene, members),
      returns: () => returnNodes(scene, { nodes: [node], how, former: members }),
    };
  },
};

/** The members of each node. */
async function nodesOf(scene: Scene): Promise<readonly Inhabited[]> {
  const members = await memberNames(scene);
  const pods = await Promise.all(members.map(async (member) => ({ member, pod: await podOf(scene, member) })));
  const byNode = Map.groupBy(pods, ({ pod }) => pod?.spec?.nodeName ?? "");
  byNode.delete("");
  return [...byNode].map(([node, found]) => ({ node, members: found.map(({ member }) => member) }));
}

interface Inhabited {
  readonly node: string;
  readonly members: readonly string[];
}

interface LostNodes {
  readonly nodes: readonly string[];
  readonly how: Loss;
  /** Members on these nodes that were replaced meanwhile. */
  readonly former: readonly string[];
}

/** Returns nodes and waits until the pods of replaced members are gone from them. */
async function returnNodes(scene: Scene, { nodes, how, former }: LostNodes): Promise<void> {
  for (const node of nodes) await scene.ground.breakage.returnNode(node, how);
  await scene.until("the nodes are heard of again", async () => {
    const ready = await Promise.all(nodes.map((node) => isNodeReady(scene, node)));
    return ready.every(Boolean);
  });
  await scene.until("nothing is left of the members that were replaced", async () => {
    const pods = await Promise.all(former.map((member) => podOf(scene, member)));
    return pods.every((pod) => pod === undefined);
  });
}

/** The API server is unavailable for this many seconds; members serve without it, and the operator continues when it returns. */
export function apiServerAway(name: string, seconds: number): Harm {
  return {
    name,
    fate: "survives",
    strike: async (scene, dice) => {
      const how = dice.one(["killed", "frozen"] as const);
      const { breakage } = scene.ground;
      await breakage.stopApiServer(how);
      const end = performance.now() + seconds * 1000;
      return {
        detail: `${how}, ${seconds} s`,
        hasShown: async () => (await isAway(scene)) && performance.now() >= end,
        mend: async () => {
          await breakage.startApiServer();
          // The reaction to another spec shows that the operator works again.
          const replaceAfter = `${Math.round(dice.between(30, 60))}s`;
          await scene.until("the spec is changed", () => scene.edit({ recovery: { replaceAfter } }));
        },
      };
    },
  };
}

/** It refuses, or does not respond soon. */
async function isAway({ kube, clusterPath }: Scene): Promise<boolean> {
  const answer = kube.get(clusterPath).then(
    () => false,
    () => true,
  );
  return await Promise.race([answer, delay(2_000, true)]);
}

/**
 * Nodes with two of three members are lost: those may still serve clients, so the third must not continue without them. Returns a
 * function that restores the nodes.
 */
export async function loseMostNodes(scene: Scene): Promise<() => Promise<void>> {
  const crowdedFirst = (await nodesOf(scene)).toSorted((one, other) => other.members.length - one.members.length);
  const isEnough = (count: number): boolean =>
    crowdedFirst.slice(0, count).flatMap(({ members }) => members).length >= 2;
  const nodes = crowdedFirst.slice(0, isEnough(1) ? 1 : 2).map(({ node }) => node);
  for (const node of nodes) await scene.ground.breakage.loseNode(node, "cut off");
  return () => returnNodes(scene, { nodes, how: "cut off", former: [] });
}
