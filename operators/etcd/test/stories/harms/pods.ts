/** Killed members, with or without their volumes. */
import type { Dice } from "../dice.ts";
import type { Scene } from "../scene.ts";
import type { Harm } from "./harm.ts";
import { killProcess } from "./processes.ts";
import { isReplaced, memberNames, podOf } from "./seen.ts";

/** How a member ends: its pod is deleted without grace, or its process is killed and the kubelet sees it. */
type End = "pod" | "process";

/** Kills this many of three members; their volumes stay. */
export function killMembers(name: string, count: number): Harm {
  return {
    name,
    fate: "survives",
    strike: async (scene, dice) => {
      const victims = dice.some(await memberNames(scene), count);
      const end = dice.one<End>(["pod", "process"]);
      const before = await Promise.all(victims.map((member) => lifeOf(scene, member)));
      await Promise.all(victims.map((member) => endMember(scene, member, end)));
      return {
        detail: `${victims.join(", ")}: ${end} killed`,
        hasShown: async () => {
          const members = await memberNames(scene);
          const now = await Promise.all(victims.map((member) => lifeOf(scene, member)));
          // The kubelet delays a container that restarts often, and the operator may replace the member meanwhile.
          const isOver = (member: string, life: string | undefined, former: string | undefined): boolean =>
            !members.includes(member) || (life !== undefined && life !== former);
          return victims.every((member, at) => isOver(member, now[at], before[at]));
        },
      };
    },
  };
}

/** Identifies a pod and a start of its container; undefined while the member does not serve. */
async function lifeOf(scene: Scene, member: string): Promise<string | undefined> {
  const pod = await podOf(scene, member);
  const isReady = pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  return isReady ? `${pod.metadata.uid} ${pod.status?.containerStatuses?.[0]?.restartCount ?? 0}` : undefined;
}

async function endMember(scene: Scene, member: string, end: End): Promise<void> {
  if (end === "process") await killProcess(scene, member);
  else await scene.kube.remove(scene.path("pods", member), 0);
}

/** Deletes pods and volumes of this many of three members. */
export function destroyMembers(name: string, count: number): Harm {
  return {
    name,
    fate: count * 2 > 3 ? "recovers" : "survives",
    strike: async (scene, dice) => {
      const victims = dice.some(await memberNames(scene), count);
      await destroy(scene, victims);
      return {
        detail: `${victims.join(", ")} with volumes`,
        hasShown: () => isReplaced(scene, victims),
      };
    },
  };
}

/** Claims first: a volume stays as long as its pod runs. */
export async function destroy(scene: Scene, members: readonly string[]): Promise<void> {
  const claims = members.map((member) => scene.path("persistentvolumeclaims", `data-${member}`));
  await Promise.all(claims.map((claim) => scene.kube.remove(claim)));
  await Promise.all(members.map((member) => scene.kube.remove(scene.path("pods", member), 0)));
}

/** The operator is dead during another fault, for a random time. */
export function whileOperatorIsDead(name: string, harm: Harm): Harm {
  return {
    ...harm,
    name,
    strike: async (scene, dice) => {
      await scene.killOperator();
      const blow = await harm.strike(scene, dice);
      await dice.pause(0, 5);
      scene.startOperator();
      return { ...blow, detail: `${blow.detail}; the operator, too` };
    },
  };
}

/** The operator is killed again and again while it repairs a fault. */
export function operatorDiesAgain(name: string, harm: Harm, deaths: number): Harm {
  return {
    ...harm,
    name,
    strike: async (scene, dice) => {
      const blow = await harm.strike(scene, dice);
      await dieAgain(scene, dice, deaths);
      return { ...blow, detail: `${blow.detail}; the operator ${deaths} times` };
    },
  };
}

async function dieAgain(scene: Scene, dice: Dice, deaths: number): Promise<void> {
  for (let death = 0; death < deaths; death++) {
    await dice.pause(0.5, 4);
    await scene.killOperator();
    scene.startOperator();
  }
}
