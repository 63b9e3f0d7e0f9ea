/** Which version and which form a member's pod shall have now. */
import type { ObservedPod } from "../contract.ts";
import type { Member, View } from "./view.ts";
import { lowest } from "./version.ts";

/** The version that the cluster is being brought to: one step of an update, or where it was put back to, or where it is. */
export function targetVersion({ seen }: View): string {
  const { update } = seen.recordedState;
  if (update === undefined) return runningVersion(seen) ?? seen.desired.version;
  return update.failed === undefined ? update.to : update.from;
}

/** The oldest version among the members. */
export function runningVersion(seen: View["seen"]): string | undefined {
  const listed = new Set(seen.membership.members.map(({ member }) => member));
  const running = seen.pods.filter(({ member }) => listed.has(member)).map(({ version }) => version);
  const remembered = Object.entries(seen.recordedState.versions).filter(([member]) => listed.has(member));
  return lowest([...running, ...remembered.map(([, version]) => version)]);
}

/** The version that a member's pod is made with: another one only when it is its turn. */
export function versionFor(view: View, member: string): string {
  const { update, versions } = view.seen.recordedState;
  const own = view.seen.pods.find((pod) => pod.member === member)?.version ?? versions[member];
  if (own === undefined || update === undefined) return own ?? targetVersion(view);
  if (update.failed !== undefined) return update.from;
  return update.member === member ? update.to : own;
}

/** Whether a member's pod is not as it should be. */
export function isDrifted({ seen }: View, { pod }: Member, version: string): boolean {
  return pod !== undefined && pod.templateHash !== templateHashFor(seen, version);
}

/** The fingerprint that a pod shall have with a version. */
function templateHashFor(seen: View["seen"], version: string): string {
  return (hasTemplateFailed(seen) ? (seen.lastGood ?? seen.desired) : seen.desired).templateHashFor(version);
}

/** Whether a member did not come back in the form that the spec still has: until that is another one, the last good one is kept to. */
export function hasTemplateFailed({ recordedState, desired, lastGood }: View["seen"]): boolean {
  return lastGood !== undefined && recordedState.templateFailed?.form === desired.templateDigest;
}

/** Whether the API server has just refused the pods that are wanted with a version: nobody is stopped for them, and who is gone comes back as it was. */
export function isTemplateRejected({ recordedState, desired, now }: View["seen"], version: string): boolean {
  const { templateRejected: formRefused } = recordedState;
  return formRefused?.print === desired.templateHashFor(version) && now - formRefused.at < rejectionRetryAfter;
}

/** After so long somebody may have mended what the API server goes by. */
export const rejectionRetryAfter: number = 5 * 60_000;

/** Whether a pod that does not serve is to be made anew because another form is wanted, which can be had. */
export function hasOldTemplate(seen: View["seen"], pod: ObservedPod, version: string): boolean {
  return !pod.isReady && pod.templateHash !== templateHashFor(seen, version) && !isTemplateRejected(seen, version);
}
