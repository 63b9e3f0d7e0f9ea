/** The version and template that a member's pod should have now. */
import type { ObservedPod } from "./contract.ts";
import type { Member, View } from "./view.ts";

/**
 * The version that the cluster goes to: the present step of an update, the version after a rollback, or the running one.
 *
 * @example
 * const goal = (seen: QuorumObservation) => targetVersion(viewOf(seen));
 */
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
  const { compare } = seen.application.versions;
  return [...running, ...remembered.map(([, version]) => version)].toSorted(compare)[0];
}

/** The version for a member's pod. It changes only when the update reaches that member. */
export function versionFor(view: View, member: string): string {
  const { update, versions } = view.seen.recordedState;
  const own = view.seen.pods.find((pod) => pod.member === member)?.version ?? versions[member];
  if (own === undefined || update === undefined) return own ?? targetVersion(view);
  if (update.failed !== undefined) return update.from;
  return update.member === member ? update.to : own;
}

/** Whether a member's pod has another template than desired. */
export function isDrifted({ seen }: View, { pod }: Member, version: string): boolean {
  return pod !== undefined && pod.templateHash !== templateHashFor(seen, version);
}

/** The desired template hash for a version. */
function templateHashFor(seen: View["seen"], version: string): string {
  return (hasTemplateFailed(seen) ? (seen.lastGood ?? seen.desired) : seen.desired).templateHashFor(version);
}

/**
 * Whether a member did not become ready with the present template of the spec. Until that changes, the last good template is used.
 *
 * @example
 * const isOld = (seen: QuorumObservation) => hasTemplateFailed(seen);
 */
export function hasTemplateFailed({ recordedState, desired, lastGood }: View["seen"]): boolean {
  return lastGood !== undefined && recordedState.templateFailed?.form === desired.templateDigest;
}

/**
 * Whether the API server has recently rejected the desired pods of a version. No pod is stopped for them, and lost pods are recreated
 * with the last good template.
 *
 * @example
 * const isBlocked = (seen: QuorumObservation) => isTemplateRejected(seen, seen.desired.version);
 */
export function isTemplateRejected({ recordedState, desired, now }: View["seen"], version: string): boolean {
  const { templateRejected: formRefused } = recordedState;
  return formRefused?.print === desired.templateHashFor(version) && now - formRefused.at < rejectionRetryAfter;
}

/** After this time the cause of the rejection may be fixed. */
export const rejectionRetryAfter: number = 5 * 60_000;

/** Whether a pod that does not serve has to be recreated with another, accepted template. */
export function hasOldTemplate(seen: View["seen"], pod: ObservedPod, version: string): boolean {
  return !pod.isReady && pod.templateHash !== templateHashFor(seen, version) && !isTemplateRejected(seen, version);
}
