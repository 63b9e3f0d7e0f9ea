/** Network cuts: of a member, of the leader, of the operator. */
import type { Dice } from "../dice.ts";
import type { Scene } from "../scene.ts";
import type { Blow, Harm } from "./harm.ts";
import { healthOf, isReplaced, leaderOf, memberNames, podOf, reasonOf } from "./seen.ts";

/** A follower is cut off for a while. */
export const CUT_MEMBER: Harm = {
  name: "a member is cut off",
  fate: "survives",
  strike: async (scene, dice) => cutOff(scene, dice, await someFollower(scene, dice)),
};

/** The leader is cut off for a while; the others elect another. */
export const CUT_LEADER: Harm = {
  name: "the leader is cut off",
  fate: "survives",
  strike: async (scene, dice) => {
    const leader = await leaderOf(scene);
    const blow = await cutOff(scene, dice, leader);
    return { ...blow, hasShown: async () => (await leaderOf(scene)) !== leader && (await blow.hasShown()) };
  },
};

/** A member is cut off for so long that it is replaced; then its network is restored. */
export const CUT_FOR_GOOD: Harm = {
  name: "a member is cut off for so long that it is replaced",
  fate: "survives",
  only: "at rest",
  strike: async (scene, dice) => {
    const member = dice.one(await memberNames(scene));
    const isCut = knifeFor(scene, member);
    await scene.until(`${member} is cut off`, isCut);
    return {
      detail: member,
      hasShown: async () => {
        await isCut();
        return await isReplaced(scene, [member]);
      },
      returns: () => scene.ground.breakage.heal(),
    };
  },
};

/** The operator cannot reach any member for a while, and members serve without it. */
export const CUT_OPERATOR: Harm = {
  name: "the operator is cut off from the members",
  fate: "survives",
  strike: async (scene, dice) => {
    const how = dice.one(["refused", "silent"] as const);
    scene.gate.shut(how);
    return {
      detail: how,
      hasShown: async () => (await reasonOf(scene, "Available")) === "OperatorCannotConnect",
      mend: async () => {
        await dice.pause(0, 10);
        scene.gate.reopen();
      },
    };
  },
};

async function someFollower(scene: Scene, dice: Dice): Promise<string> {
  const leader = await leaderOf(scene);
  return dice.one((await memberNames(scene)).filter((member) => member !== leader));
}

/** Cuts off a member, and also the pod that the operator creates in place of its pod meanwhile; returns whether it is cut off. */
function knifeFor(scene: Scene, member: string): () => Promise<boolean> {
  let cut: string | undefined;
  return async () => {
    const uid = (await podOf(scene, member))?.metadata.uid;
    if (uid !== undefined && uid !== cut) await scene.ground.breakage.cut([member]);
    cut = uid;
    return uid !== undefined;
  };
}

async function cutOff(scene: Scene, dice: Dice, member: string): Promise<Blow> {
  const isCut = knifeFor(scene, member);
  await scene.until(`${member} is cut off`, isCut);
  return {
    detail: member,
    // The operator may have replaced it, if this machine was slow.
    hasShown: async () => {
      await isCut();
      return (await healthOf(scene, member)) !== "Healthy";
    },
    mend: async () => {
      await dice.pause(0, 10);
      await scene.ground.breakage.heal();
    },
  };
}
