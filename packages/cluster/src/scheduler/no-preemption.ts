/** Why nobody makes room for a pod, in the scheduler's own words. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { tally } from "./choose.ts";
import type { Refusal } from "./fit.ts";
import { priorityOf } from "./preempt.ts";
import type { NodeView } from "./view.ts";

/** The scheduler also asks whether devices could be given back; there are none here. */
const DEVICES = "no new claims to deallocate";

/** Before any node was looked at, whoever is asked about devices finds nothing of its own, says so, and nobody else is asked. */
const NOBODY_ASKED = "not found";

/** What is said after the reasons of the nodes when displacing others does not help. */
export function explainNoPreemption(
  pod: Pod,
  { refusals, isClearing }: { readonly refusals: ReadonlyMap<NodeView, Refusal>; readonly isClearing: boolean },
): string {
  const [first] = refusals.values();
  if (first?.anywhere === true) return NOBODY_ASKED;
  return `${DEVICES}, preemption: ${whyNone(pod, refusals, isClearing)}`;
}

function whyNone(pod: Pod, refusals: ReadonlyMap<NodeView, Refusal>, isClearing: boolean): string {
  if (pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  if (isClearing) return "not eligible due to a terminating pod on the nominated node.";
  const reasons = [...refusals].flatMap(([view, refusal]) => whyNot(pod, view, refusal));
  return `0/${refusals.size} nodes are available: ${tally(reasons)}.`;
}

function whyNot(pod: Pod, { pods }: NodeView, { reasons, curable }: Refusal): readonly string[] {
  if (!curable) return ["Preemption is not helpful for scheduling"];
  const hasLesser = [...pods.values()].some((placed) => priorityOf(placed.pod) < priorityOf(pod));
  return hasLesser ? reasons : ["No preemption victims found for incoming pod"];
}
