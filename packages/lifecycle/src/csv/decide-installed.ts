/** The steps of an operator that is installed: it becomes healthy, it fails, it repairs itself. */
import { hasCrdConflict } from "./replacement.ts";
import { isInPhase } from "./phase.ts";
import type { Phase } from "./phase.ts";
import type { CsvAction, Seen } from "./seen.ts";

const WAIT: CsvAction = { do: "wait" };
/** How long an installation may take. */
const INSTALL_TIMEOUT = 5 * 60_000;
/** How long until an APIService without pods is checked again. */
const DISRUPTED = 10_000;
const RETRY = 10_000;

const SUCCEEDED: Phase = {
  phase: "Succeeded",
  reason: "InstallSucceeded",
  message: "install strategy completed with no errors",
};

/** A certificate or what refers to it is missing, so the Deployments that should exist cannot be known. */
const UNCALCULATED: CsvAction = {
  do: "phase",
  phase: { phase: "Pending", reason: "NeedsReinstall", message: "calculated deployment install is bad" },
};

/** The phase that follows from the health of the components; "disrupted": it is not known now. */
type Verdict = Phase | "disrupted";

/** The phase and the reason for components that are not there yet. */
type Otherwise = Pick<Phase, "phase" | "reason">;

function verdictOf(seen: Seen, otherwise: Otherwise): Verdict {
  const problem = seen.installProblem();
  const services = seen.apiServices();
  const webhooks = seen.webhooks();
  if (problem === undefined && services === "available" && webhooks === "present") return SUCCEEDED;
  if (problem?.is === "timeout") {
    return { phase: "Failed", reason: "InstallCheckFailed", message: `install failed: ${problem.message}` };
  }
  if (services === "disrupted") return "disrupted";
  if (services === "unavailable") return { ...otherwise, message: "apiServices not installed" };
  if (webhooks === "missing") return { ...otherwise, message: "webhooks not installed" };
  if (webhooks !== "present") {
    return { ...otherwise, phase: "InstallReady", message: `Webhook install failed: ${webhooks.problem}` };
  }
  const message = `installing: ${problem?.message ?? ""}`;
  return problem?.is === "changed" ? { ...otherwise, phase: "InstallReady", message } : { ...otherwise, message };
}

/** Installing: until everything is healthy, or for five minutes. */
export function decideInstalling(seen: Seen): CsvAction {
  const { status } = seen.csv;
  if (seen.isExpectationUnknown()) return UNCALCULATED;
  const verdict = verdictOf(seen, { phase: "Installing", reason: "InstallWaiting" });
  // Another phase is entered now, so its time starts now.
  if (verdict !== "disrupted" && verdict.phase !== "Installing") return { do: "phase", phase: verdict };
  const remaining = Date.parse(status?.lastTransitionTime ?? "") + INSTALL_TIMEOUT - seen.now;
  if (remaining <= 0) {
    return { do: "phase", phase: { phase: "Failed", reason: "InstallCheckFailed", message: "install timeout" } };
  }
  if (verdict === "disrupted") return { do: "wait", after: DISRUPTED };
  // Without a transition time the timeout never comes, as in the original.
  const after = Number.isNaN(remaining) ? {} : { after: remaining };
  return isInPhase(status, verdict) ? { do: "wait", ...after } : { do: "phase", phase: verdict, ...after };
}

/** Succeeded: requirements, certificates and components are checked again and again. */
export function decideSucceeded(seen: Seen): CsvAction {
  const component = seen.componentProblem();
  if (component?.is === "api-service") {
    const { message } = component;
    return { do: "phase", phase: { phase: "Failed", reason: "APIServiceResourceIssue", message } };
  }
  if (component?.is === "rotation") {
    const message = "CSV owns resources that require a cert refresh";
    return { do: "phase", phase: { phase: "Pending", reason: "NeedsCertRotation", message } };
  }
  const requirements = seen.requirements();
  if ("invalid" in requirements) return invalidStrategy(requirements.invalid);
  if (!requirements.areMet) {
    const phase: Phase = { phase: "Failed", reason: "RequirementsNotMet", message: "requirements no longer met" };
    return { do: "phase", phase, requirements };
  }
  if (seen.isExpectationUnknown()) return UNCALCULATED;
  const verdict = verdictOf(seen, { phase: "Failed", reason: "ComponentUnhealthy" });
  if (verdict === "disrupted") return { do: "wait", after: DISRUPTED };
  return isInPhase(seen.csv.status, verdict) ? { do: "keep-user-roles" } : { do: "phase", phase: verdict };
}

function invalidStrategy(problem: string): CsvAction {
  const message = `install strategy invalid: ${problem}`;
  return { do: "phase", phase: { phase: "Failed", reason: "InvalidInstallStrategy", message } };
}

/** The reasons that the checks before the phases found, and the message when they no longer hold. */
const HEALED: { readonly [reason: string]: string } = {
  NoTargetNamespaces: "InstallModes now support target namespaces",
  NoOperatorGroup: "InstallModes now support target namespaces",
  TooManyOperatorGroups: "InstallModes now support target namespaces",
  UnsupportedOperatorGroup: "InstallModes now support target namespaces",
  InterOperatorGroupOwnerConflict: "OperatorGroup no longer intersecting with conflicting owner",
  CannotModifyStaticOperatorGroupProvidedAPIs: "static OperatorGroup and intersecting groups now support providedAPIs",
};

/** Whether a new installation would fail in the same way, again and again. */
function isLasting(seen: Seen): boolean {
  const { reason } = seen.csv.status ?? {};
  if (reason === "InvalidWebhookDescription") return seen.invalidWebhook() !== undefined;
  return reason === "OwnerConflict" && (hasCrdConflict(seen.csv, seen.siblings) || seen.hasApiServiceConflict());
}

/** Failed: back to Pending when the cause is gone or a new installation may help. */
export function decideFailed(seen: Seen): CsvAction {
  const { status } = seen.csv;
  const healed = HEALED[status?.reason ?? ""];
  if (healed !== undefined) {
    return { do: "phase", phase: { phase: "Pending", reason: "RequirementsUnknown", message: healed } };
  }
  if (isLasting(seen)) return WAIT;
  const requirements = seen.requirements();
  if ("invalid" in requirements) {
    return status?.reason === "InvalidInstallStrategy" ? WAIT : invalidStrategy(requirements.invalid);
  }
  if (!requirements.areMet) {
    const phase: Phase = { phase: "Pending", reason: "RequirementsNotMet", message: "requirements not met" };
    return { do: "phase", phase, requirements };
  }
  return checkComponents(seen) ?? reinstall(seen);
}

function checkComponents(seen: Seen): CsvAction | undefined {
  const component = seen.componentProblem();
  if (component === undefined) return undefined;
  if (component.is === "rotation") {
    const message = "owned APIServices need cert refresh";
    return { do: "phase", phase: { phase: "Pending", reason: "NeedsCertRotation", message } };
  }
  if (!component.isOurs) return WAIT;
  const { message } = component;
  return { do: "phase", phase: { phase: "Pending", reason: "APIServiceResourcesNeedReinstall", message } };
}

function reinstall(seen: Seen): CsvAction {
  if (seen.isExpectationUnknown()) return UNCALCULATED;
  const verdict = verdictOf(seen, { phase: "Pending", reason: "NeedsReinstall" });
  if (verdict === "disrupted") return { do: "wait", after: DISRUPTED };
  return isInPhase(seen.csv.status, verdict) ? { do: "wait", after: RETRY } : { do: "phase", phase: verdict };
}
