/** Which version and which form a member's pod shall have now. */
import type { Member, View } from "./view.ts";
import { lowest } from "./version.ts";

/** The version that the cluster is being brought to: one step of an update, or where it was put back to, or where it is. */
export function targetVersion({ seen }: View): string {
  const { update } = seen.known;
  if (update === undefined) return runningVersion(seen) ?? seen.wanted.version;
  return update.failed === undefined ? update.to : update.from;
}

/** The oldest version among the members. */
export function runningVersion(seen: View["seen"]): string | undefined {
  const listed = new Set(seen.membership.members.map(({ member }) => member));
  const running = seen.pods.filter(({ member }) => listed.has(member)).map(({ version }) => version);
  const remembered = Object.entries(seen.known.versions).filter(([member]) => listed.has(member));
  return lowest([...running, ...remembered.map(([, version]) => version)]);
}

/** The version that a member's pod is made with: another one only when it is its turn. */
export function versionFor(view: View, member: string): string {
  const { update, versions } = view.seen.known;
  const own = view.seen.pods.find((pod) => pod.member === member)?.version ?? versions[member];
  if (own === undefined || update === undefined) return own ?? targetVersion(view);
  if (update.failed !== undefined) return update.from;
  return update.member === member ? update.to : own;
}

/** Whether a member's pod is not as it should be. */
export function isDrifted({ seen }: View, { pod }: Member, version: string): boolean {
  return pod !== undefined && pod.print !== seen.wanted.printOf(version);
}
