/** Writes the observation and the decision to the status: conditions, members, numbers. */
import type { Action } from "../cluster/action.ts";
import { fullVolume } from "../decide/volumes.ts";
import { isFollowing, isServing, isWitness, viewOf } from "../decide/view.ts";
import type { Member, View } from "../decide/view.ts";
import { selectorOf } from "../observe/observe.ts";
import type { ClusterObservation } from "../observe/observe.ts";
import type { ActionContext } from "./context.ts";

export function report<C extends AsyncDisposable, P>(context: ActionContext<C, P>): void {
  const { status, seen, action, setting } = context;
  const view = viewOf<P>(seen);
  const staying = view.members.filter(({ recorded }) => recorded.state !== "Leaving");
  status.size = staying.length;
  status.ready = view.members.filter((member) => isHealthy(view, member)).length;
  status.selector = selectorOf(setting.naming, seen.name);
  status.members = view.members.map((member) => entryOf(view, member));
  const versions = new Set(view.members.flatMap((member) => member.report?.version ?? []));
  const [version] = versions;
  if (versions.size === 1 && version !== undefined) status.version = version;
  const { primary } = view;
  const isAvailable = primary !== undefined && isLeading(primary);
  status.condition("Available", isAvailable, {
    reason: isAvailable ? "PrimaryServes" : "NoPrimary",
    message: isAvailable ? `${primary.name} accepts writes` : describe(action),
  });
  const isCheck = action.do === "keep-accounts" && action.isCheck;
  const isBusy = action.do !== "rest" && action.do !== "refuse" && !isCheck;
  status.condition("Progressing", isBusy, { reason: reasonOf(action), message: describe(action) });
  reportPending(context, view);
  const problem = problemOf(view, action);
  status.condition("Degraded", problem !== undefined, problem ?? { reason: "AsExpected", message: "" });
  status.condition("Durable", ...durability(view));
  const { isReady, reason, message } = seen.tls.state;
  status.condition("TLSReady", isReady, { reason, message });
  if (setting.application.accounts !== undefined) status.condition("AccountsReady", ...accountsState(seen));
}

/** Restarts that wait for a window are no progress, and nothing is wrong. */
function reportPending<C extends AsyncDisposable, P>(
  { seen, status, action }: ActionContext<C, P>,
  view: View<P>,
): void {
  const { maintenance, templateHash } = seen.desired;
  const old = view.members.filter(({ pod }) => pod !== undefined && pod.templateHash !== templateHash);
  if (maintenance.isOpen || old.length === 0 || action.do !== "rest") return;
  const when =
    maintenance.next === undefined ? "a window" : `the window at ${new Date(maintenance.next).toISOString()}`;
  const message = `${old.length} members wait for ${when} to be restarted`;
  status.condition("Progressing", false, { reason: "MaintenancePending", message });
}

function isLeading<P>({ report: told, pod, isOurs }: Member<P>): boolean {
  return isOurs && told?.acceptsWrites === true && pod?.serves === "primary" && pod.isReady;
}

function isHealthy<P>({ primary }: View<P>, member: Member<P>): boolean {
  if (member.isPrimary) return isLeading(member);
  return (
    primary !== undefined && member.pod?.isReady === true && isServing(member) && isFollowing(member, primary.name)
  );
}

function entryOf<P>(view: View<P>, member: Member<P>) {
  const { recorded, report: told, pod } = member;
  const role = told === undefined ? "None" : told.role === "detached" ? "None" : roleNames[told.role];
  const health = isHealthy(view, member) ? "Healthy" : pod?.isReady === true ? "Unreachable" : "Starting";
  return {
    name: recorded.name,
    state: recorded.state,
    role,
    health: pod?.failure === undefined || health === "Healthy" ? health : "Failed",
    ...(told === undefined ? {} : { version: told.version }),
    ...(recorded.syncedRun === undefined ? {} : { syncedRun: recorded.syncedRun }),
    ...(recorded.settings === undefined ? {} : { settings: recorded.settings }),
    ...(recorded.login === undefined ? {} : { login: recorded.login }),
  } as const;
}

const roleNames = { primary: "Primary", replica: "Replica" } as const;

/** An acknowledged write is on the primary and on at least one follower that is in sync. */
function durability<P>({ seen, followers, primary }: View<P>): [boolean, { reason: string; message: string }] {
  const synced = followers.filter((member) => isWitness(member) && primary && isFollowing(member, primary.name));
  if (seen.recorded.acknowledgements === 0) {
    return [false, { reason: "NotAcknowledged", message: "writes are acknowledged by the primary alone" }];
  }
  const holds = synced.length > 0;
  const message = holds ? `${synced.length} replicas are in sync` : "no replica is in sync: writes wait";
  return [holds, { reason: holds ? "Acknowledged" : "NoReplica", message }];
}

/** What is refused or missing, else whether all members have what the spec asks for. */
function accountsState({
  accounts,
  object,
}: Pick<ClusterObservation<never, never>, "accounts" | "object">): [boolean, { reason: string; message: string }] {
  const { users = [], databases = [], problem } = object.status?.accounts ?? {};
  const refused = [...databases, ...users].flatMap((one) => (one.problem ? [`${one.name}: ${one.problem}`] : []));
  const problems = [...accounts.problems, ...(problem === undefined ? [] : [problem]), ...refused];
  if (problems.length > 0) return [false, { reason: "Refused", message: problems.join("; ").slice(0, 4_000) }];
  if (accounts.isDue) return [false, { reason: "Changing", message: "accounts are being changed on the primary" }];
  if (accounts.isRotating) return [true, { reason: "Rotating", message: "the passwords before are still accepted" }];
  return [true, { reason: "AsExpected", message: "all members have the accounts that the spec asks for" }];
}

function problemOf<P>(view: View<P>, action: Action): { reason: string; message: string } | undefined {
  if (action.do === "refuse")
    return action.reason === "Paused" ? undefined : { reason: action.reason, message: action.why };
  const { failover, failedSwitchover } = view.seen.recorded;
  if (failover !== undefined) return { reason: "Failover", message: failover.why };
  const failed = view.seen.pods.find(({ failure }) => failure !== undefined);
  if (failed?.failure !== undefined) return { reason: "PodFails", message: `${failed.member}: ${failed.failure}` };
  const broken = view.members.find((member) => member.report?.replicationError !== undefined);
  if (broken?.report?.replicationError !== undefined) {
    return { reason: "ReplicationFails", message: `${broken.name}: ${broken.report.replicationError.message}` };
  }
  const { growthRefused } = view.seen;
  if (growthRefused !== undefined) return { reason: "VolumeRejected", message: growthRefused };
  const full = fullVolume(view);
  if (full !== undefined) return { reason: "VolumeFull", message: full };
  return failedSwitchover && { reason: "SwitchoverFailed", message: failedSwitchover.why };
}

function reasonOf(action: Action): string {
  const words = action.do === "refuse" ? action.reason : action.do;
  return words.replaceAll(/(?:^|-)(\w)/gu, (_whole, letter: string) => letter.toUpperCase());
}

/** An action as a sentence. */
export function describe(action: Action): string {
  switch (action.do) {
    case "rest":
      return "the cluster is as the spec asks";
    case "wait":
      return `waiting for ${action.for}`;
    case "refuse":
      return action.why;
    case "fence":
      return `fencing ${action.members.join(", ")}`;
    case "follow":
      return `${action.member} is to replicate from ${action.primary}`;
    case "begin-failover":
    case "cancel-failover":
    case "cancel-switchover":
      return action.why;
    case "begin-switchover":
      return `${action.to} is to become the primary: ${action.why}`;
    case "freeze":
      return `writes stop on ${action.from}, so that ${action.to} can take over`;
    default:
      return [
        action.do.replaceAll("-", " "),
        "member" in action ? action.member : "",
        "why" in action ? `: ${action.why}` : "",
      ]
        .filter(Boolean)
        .join(" ")
        .replace(" : ", ": ");
  }
}
