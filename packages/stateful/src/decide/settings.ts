/** Settings that change while a member runs, and what a spec cannot have. */
import type { Action } from "../cluster/action.ts";
import { first } from "./members.ts";
import { isServing } from "./view.ts";
import type { Member, View } from "./view.ts";

/** Live settings are lost with a restart, so they are applied again in each run. */
export function applySettings<P>(view: View<P>): Action | undefined {
  const { liveSettings } = view.seen.desired;
  if (liveSettings === undefined) return undefined;
  return first(view.members, (member) => {
    const settings = settingsMark(member, liveSettings);
    if (!isServing(member) || settings === undefined || member.recorded.settings === settings) return undefined;
    return { do: "apply-settings", member: member.name, settings };
  });
}

function settingsMark<P>({ pod }: Member<P>, liveSettings: string): string | undefined {
  return pod?.run === undefined ? undefined : `${liveSettings} ${pod.run}`;
}

/** Said after all that keeps the cluster alive, and before updates. */
export function refuseSpec<P>({ seen }: View<P>): Action | undefined {
  const { refused } = seen.desired;
  return refused.length === 0 ? undefined : { do: "refuse", reason: "SpecRefused", why: refused.join("; ") };
}
