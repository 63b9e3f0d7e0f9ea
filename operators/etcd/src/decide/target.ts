/** Which version and which form a member's pod shall have now. */
import type { SeenPod } from "../contract.ts";
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
  return pod !== undefined && pod.print !== printFor(seen, version);
}

/** The fingerprint that a pod shall have with a version. */
function printFor(seen: View["seen"], version: string): string {
  return (hasFormFailed(seen) ? (seen.good ?? seen.wanted) : seen.wanted).printOf(version);
}

/** Whether a member did not come back in the form that the spec still has: until that is another one, the last good one is kept to. */
export function hasFormFailed({ known, wanted, good }: View["seen"]): boolean {
  return good !== undefined && known.formFailed?.form === wanted.form;
}

/** Whether the API server has just refused the pods that are wanted with a version: nobody is stopped for them, and who is gone comes back as it was. */
export function isFormRefused({ known, wanted, now }: View["seen"], version: string): boolean {
  const { formRefused } = known;
  return formRefused?.print === wanted.printOf(version) && now - formRefused.at < REFUSAL_PATIENCE;
}

/** After so long somebody may have mended what the API server goes by. */
export const REFUSAL_PATIENCE: number = 5 * 60_000;

/** Whether a pod that does not serve is to be made anew because another form is wanted, which can be had. */
export function isInWrongForm(seen: View["seen"], pod: SeenPod, version: string): boolean {
  return !pod.isReady && pod.print !== printFor(seen, version) && !isFormRefused(seen, version);
}
