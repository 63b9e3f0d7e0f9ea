/** Decides on settings: live ones are applied to running members, and rejected parts of the spec are reported. */
import type { Action } from "../cluster/action.ts";
import { first } from "./members.ts";
import { isServing } from "./view.ts";
import type { Member, View } from "./view.ts";

/** A restart of the container loses live settings, so they are applied again after each. */
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

/** The last rule, so that a rejected part of the spec does not hold up other steps. */
export function refuseSpec<P>({ seen }: View<P>): Action | undefined {
  const { refused } = seen.desired;
  return refused.length === 0 ? undefined : { do: "refuse", reason: "SpecRejected", why: refused.join("; ") };
}
