/** Changes of the record in the status: each is one value computed from the one before. */
import type { MemberEntry } from "../cluster/resource.ts";
import type { RecordedMember } from "../cluster/observation.ts";
import type { ClusterContext } from "../observe/observe.ts";

type Status = ClusterContext["status"];

/** Members after a change of one of them. */
export function changeMember(
  members: readonly RecordedMember[],
  name: string,
  change: Partial<RecordedMember>,
): readonly MemberEntry[] {
  return members.map((member) => toEntry(member.name === name ? { ...member, ...change } : member));
}

/** A member as the status holds it. */
export function toEntry({ name, state, syncedRun, settings, login }: RecordedMember): MemberEntry {
  return {
    name,
    state,
    ...(syncedRun === undefined ? {} : { syncedRun }),
    ...(settings === undefined ? {} : { settings }),
    ...(login === undefined ? {} : { login }),
  };
}

/** Writes the members of the record. */
export function writeMembers(status: Status, members: readonly MemberEntry[]): void {
  status.members = members.map((entry) => ({ ...entry }));
}
