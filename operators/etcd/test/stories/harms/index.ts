/** Every fault that is tried. */
import { BIT_ROT, FORGETFUL, FULL, LEADER_ROT, RUBBISH } from "./data.ts";
import type { Harm } from "./harm.ts";
import { CUT_FOR_GOOD, CUT_LEADER, CUT_MEMBER, CUT_OPERATOR } from "./network.ts";
import { apiServerAway, LOST_NODE } from "./nodes.ts";
import { destroyMembers, killMembers, operatorDiesAgain, whileOperatorIsDead } from "./pods.ts";

const DESTROYED = destroyMembers("a pod and its volume are deleted", 1);

/** Where and when a fault is tried. */
export interface Planned {
  readonly harm: Harm;
  /** The clusters on which every CI run tries it; a full run tries it on both. */
  readonly always: readonly ("embedded" | "kubernetes")[];
}

/** In this order. The full database and the unreachable operator have separate stories, which run every time. */
export function plannedHarms(minutesAway: number): readonly Planned[] {
  const both = ["embedded", "kubernetes"] as const;
  return [
    // No member has been replaced yet: the first member is the one that bootstrapped the cluster.
    { harm: FORGETFUL, always: ["embedded"] },
    { harm: killMembers("a member is killed", 1), always: both },
    { harm: killMembers("two of three are killed", 2), always: both },
    { harm: killMembers("all are killed", 3), always: both },
    { harm: whileOperatorIsDead("the operator and a member are killed", killMembers("", 1)), always: both },
    { harm: CUT_MEMBER, always: ["embedded"] },
    { harm: CUT_LEADER, always: both },
    { harm: CUT_OPERATOR, always: [] },
    { harm: apiServerAway("the API server is away", minutesAway * 60), always: both },
    { harm: BIT_ROT, always: ["embedded"] },
    { harm: LEADER_ROT, always: [] },
    { harm: RUBBISH, always: [] },
    { harm: FULL, always: [] },
    { harm: DESTROYED, always: both },
    {
      harm: operatorDiesAgain("the operator dies again and again while it replaces a member", DESTROYED, 6),
      always: [],
    },
    { harm: CUT_FOR_GOOD, always: [] },
    { harm: LOST_NODE, always: ["embedded"] },
    { harm: destroyMembers("all volumes but one are deleted", 2), always: both },
  ];
}
