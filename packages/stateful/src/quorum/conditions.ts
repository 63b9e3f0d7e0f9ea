/** The conditions of a cluster, and the state of its members, as they are reported. */
import type { Action } from "./contract.ts";
import { hasTemplateFailed, isTemplateRejected, targetVersion } from "./target-version.ts";
import { quorumOf } from "./view.ts";
import type { Member, View } from "./view.ts";

/**
 * The state of a condition.
 *
 * @example
 * const state: QuorumConditionState = { isTrue: true, reason: "QuorumHeld", message: "3 of 3 voting members are healthy" };
 */
export interface ConditionState {
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The conditions of every application with a quorum. */
type Conditions = "Available" | "Progressing" | "QuorumLost" | "Upgrading";

/**
 * The conditions after an action was decided.
 *
 * @example
 * const isAvailable = (view: QuorumView) => quorumConditions(view, { do: "rest" }).Available.isTrue;
 */
export function quorumConditions(view: View, action: Action): { readonly [Condition in Conditions]: ConditionState } {
  const { recordedState, desired } = view.seen;
  const isServing = view.hasQuorum || isServingUnobserved(view);
  const isLost = recordedState.clusterId !== undefined && desired.size > 0 && !isServing;
  const { update } = recordedState;
  return {
    Available: { isTrue: isServing, ...availability(view) },
    Progressing: { isTrue: isProgress(action), reason: reasonOf(action), message: describeAction(action) },
    QuorumLost: {
      isTrue: isLost,
      reason: isLost ? "TooFewMembers" : "QuorumHeld",
      message: isLost ? describeAction(action) : "",
    },
    Upgrading: { isTrue: update !== undefined && update.failed === undefined, ...upgradeDetails(update) },
  };
}

/**
 * The role of a member, for the status.
 *
 * @example
 * const roles = (members: readonly QuorumMember[]) => members.map(roleOf).join(", ");
 */
export function roleOf({ isStarted, isVoter, isLeader }: Member): "Joining" | "Learner" | "Leader" | "Follower" {
  if (!isStarted) return "Joining";
  if (!isVoter) return "Learner";
  return isLeader ? "Leader" : "Follower";
}

/**
 * The health of a member, for the status.
 *
 * @example
 * const areHealthy = (members: readonly QuorumMember[]) => members.every((member) => healthOf(member) === "Healthy");
 */
export function healthOf(member: Member): "Corrupt" | "Down" | "Foreign" | "Healthy" | "Starting" | "Unreachable" {
  const { isWell, isCorrupt, ruin, pod, talk, isStarted } = member;
  if (isCorrupt) return "Corrupt";
  if (ruin !== undefined) return talk === undefined ? "Down" : "Foreign";
  if (isWell) return "Healthy";
  if (pod === undefined || pod.isContainerDown) return pod !== undefined && pod.restarts === 0 ? "Starting" : "Down";
  return pod.isReady || !isStarted ? "Starting" : "Unreachable";
}

/** The kubelets report a quorum of ready members: the cluster serves, but the operator cannot reach it. */
function isServingUnobserved({ voters }: View): boolean {
  return voters.length > 0 && voters.filter(({ pod }) => pod?.isReady === true).length >= quorumOf(voters.length);
}

function availability(view: View) {
  const { seen, voters, wellVoters, hasQuorum } = view;
  const isAsleep = seen.desired.size === 0 && seen.pods.length === 0;
  if (isAsleep) return { reason: "Hibernated", message: `spec.size is 0; ${holdReason(view)}` };
  const goes = seen.desired.size === 0 ? "; spec.size is 0, and some members still run" : "";
  const message = `${wellVoters.length} of ${voters.length} voting members are healthy${goes}`;
  if (hasQuorum) return { reason: "QuorumHeld", message };
  const isRefused = Object.values(seen.memberStatuses).some((answer) => answer.is === "silent" && answer.isLockedOut);
  const why = isRefused ? "they refuse the operator" : "the operator cannot reach them";
  return isServingUnobserved(view)
    ? { reason: "OperatorCannotConnect", message: `the members serve, but ${why}` }
    : { reason: voters.length === 0 ? "NotBootstrapped" : "NoQuorum", message };
}

/** Which data is kept while the cluster is hibernated. */
function holdReason({ voters }: View): string {
  const isKept = ({ volume }: Member): boolean => volume?.state === "bound" || volume?.state === "pending";
  const lost = voters.filter((voter) => !isKept(voter)).map(({ name }) => name);
  return lost.length === 0
    ? "the data is kept"
    : `the data is kept but for that of ${lost.join(", ")}, whose volumes are gone`;
}

function isProgress(action: Action): boolean {
  return action.do !== "rest" && action.do !== "refuse";
}

function reasonOf(action: Action): string {
  const words = action.do.split("-").map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return action.do === "refuse" ? action.reason : words.join("");
}

/**
 * An action as a sentence.
 *
 * @example
 * const sentence = describeAction({ do: "rest" });
 */
export function describeAction(action: Action): string {
  switch (action.do) {
    case "rest":
      return "nothing to do";
    case "wait":
      return `waiting for ${action.for}`;
    case "refuse":
      return action.why;
    case "note-update":
      return action.note;
    case "note-form":
      return action.why;
    case "note-recovery":
      return action.recovery.reason;
    case "advance-log":
      return `letting the log grow to ${action.upTo}, past what the next version cannot read`;
    case "take-snapshot":
      return `making a backup ${action.why}`;
    case "wean":
      return `${action.member} has started: its bootstrap settings are removed`;
    case "excuse":
      return `${action.member} may start without comparing its data with that of the others: ${action.why}`;
    case "disarm":
      return `disarming the alarm of ${action.id}`;
    case "move-leader":
      return `${action.to} becomes the leader instead of ${action.from}: ${action.why}`;
    default:
      return `${action.do.replaceAll("-", " ")} of ${action.member}${"why" in action ? `: ${action.why}` : ""}`;
  }
}

/**
 * What is wrong with a cluster, for the condition `Degraded`.
 *
 * @example
 * const sentence = ({ reason, message }: QuorumFailure) => `${reason}: ${message}`;
 */
export interface Failure {
  readonly reason: string;
  readonly message: string;
}

/**
 * What is wrong, the most important first; undefined if nothing is.
 *
 * @example
 * const isDegraded = (view: QuorumView, action: QuorumAction) => failureOf(view, action) !== undefined;
 */
export function failureOf(view: View, action: Action): Failure | undefined {
  const { seen, members } = view;
  if (action.do === "refuse" && action.reason !== "Paused") return { reason: action.reason, message: action.why };
  const { update } = seen.recordedState;
  if (update?.failed !== undefined) return { reason: "UpdateFailed", message: update.failed };
  const { templateRejected: formRefused, templateFailed: formFailed } = seen.recordedState;
  if (formFailed !== undefined && hasTemplateFailed(seen)) return { reason: "TemplateFailed", message: formFailed.why };
  if (formRefused !== undefined && isTemplateRejected(seen, targetVersion(view)))
    return { reason: "Refused", message: formRefused.why };
  const troubled = seen.pods.find(({ startFailure: failure }) => failure !== undefined);
  if (troubled !== undefined)
    return { reason: "MemberStartFailed", message: `${troubled.member}: ${troubled.startFailure}` };
  const { growthRejected: growthRefused } = seen.recordedState;
  if (growthRefused !== undefined && isAnySmall(seen))
    return { reason: "VolumeRejected", message: `volumes cannot grow: ${growthRefused.why}` };
  const ill = members.filter(({ isWell, isStarted }) => isStarted && !isWell).map(({ name }) => name);
  if (ill.length > 0 && seen.desired.size > 0)
    return { reason: "MemberUnhealthy", message: `${ill.join(", ")} not healthy` };
  const full = members.find(({ talk }) => talk?.isFull === true);
  return full && { reason: "QuotaExceeded", message: `the database of ${full.name} is full: writes are refused` };
}

function isAnySmall({ volumes, desired }: View["seen"]): boolean {
  return volumes.some(({ requested }) => requested < desired.volumeBytes);
}

function upgradeDetails(update: View["seen"]["recordedState"]["update"]) {
  if (update === undefined) return { reason: "NoUpdate", message: "" };
  const { from, to, member, failed, snapshot } = update;
  if (failed !== undefined) return { reason: "RolledBack", message: failed };
  const context = member === undefined ? "" : `, now ${member}`;
  const secured = snapshot === undefined ? "no backup was made before" : `the backup before is ${snapshot}`;
  return { reason: "Updating", message: `from ${from} to ${to}${context}; ${secured}` };
}
