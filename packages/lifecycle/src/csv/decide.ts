/** The state machine of a ClusterServiceVersion: the checks before every phase, and one step for each phase. */
import { buildTargets, groupAnnotations } from "../group/annotations.ts";
import { judgeApis, providedApisAnnotation } from "../group/intersection.ts";
import type { OperatorGroup } from "../kinds/operator-group.ts";
import { hasReadableApis, providedApis } from "./apis.ts";
import { decideFailed, decideInstalling, decideSucceeded } from "./decide-installed.ts";
import { duplicateModes, unsupportedTargets } from "./install-modes.ts";
import { isInPhase } from "./phase.ts";
import type { Phase } from "./phase.ts";
import { hasCrdConflict, lastReplacement, replacedBy, replacementOf } from "./replacement.ts";
import type { CsvAction, Seen } from "./seen.ts";

const WAIT: CsvAction = { do: "wait" };
/** How long until unmet requirements are checked again: discovery is not watched. */
const RETRY = 10_000;

/** Decides the next step. */
export function decide(seen: Seen): CsvAction {
  const { csv } = seen;
  if (csv.status?.reason === "InstallComponentFailedNoRetry") return WAIT;
  if (!hasReadableApis(csv)) return WAIT;
  const [group] = seen.groups;
  if (group === undefined) return failed(seen, "NoOperatorGroup", "csv in namespace with no operatorgroups");
  if (seen.groups.length > 1) {
    const message = "csv created in namespace with multiple operatorgroups, can't pick one automatically";
    return failed(seen, "TooManyOperatorGroups", message);
  }
  return checkGroup(seen, group) ?? checkModes(seen) ?? checkApis(seen, group) ?? decidePhase(seen, group);
}

/** Sets a phase unless it is set. */
function phase(seen: Seen, wanted: Phase): CsvAction {
  return isInPhase(seen.csv.status, wanted) ? WAIT : { do: "phase", phase: wanted };
}

function failed(seen: Seen, reason: Phase["reason"], message: string): CsvAction {
  return phase(seen, { phase: "Failed", reason, message });
}

/** The annotations must say the group; an operator of a group without namespaces fails. */
function checkGroup({ csv, hasNoTargets }: Seen, group: OperatorGroup): CsvAction | undefined {
  const wanted = groupAnnotations(group);
  const annotations = csv.metadata.annotations ?? {};
  const differs =
    Object.entries(wanted).some(([key, value]) => annotations[key] !== value) ||
    annotations["olm.targetNamespaces"] !== buildTargets(group);
  if (!differs) return undefined;
  const isSettled = Object.entries(wanted).every(([key, value]) => annotations[key] === value);
  const message = "no targetNamespaces are matched operatorgroups namespace selection";
  const none: Phase = { phase: "Failed", reason: "NoTargetNamespaces", message };
  if (isSettled && (!hasNoTargets || isInPhase(csv.status, none))) return WAIT;
  if (isSettled) return { do: "phase", phase: none };
  return { do: "annotate", annotations: wanted, ...(hasNoTargets ? { phase: none } : {}) };
}

function checkModes(seen: Seen): CsvAction | undefined {
  const { csv } = seen;
  const modes = csv.spec.installModes ?? [];
  const duplicate = duplicateModes(modes);
  if (duplicate !== undefined) return failed(seen, "InvalidInstallModes", duplicate);
  const targets = csv.metadata.annotations?.["olm.targetNamespaces"];
  if (targets === undefined) return failed(seen, "NoTargetNamespaces", "csv missing olm.targetNamespaces annotation");
  const place = { namespace: csv.metadata.namespace ?? "", targets: targets.split(",") };
  const unsupported = unsupportedTargets(modes, place);
  return unsupported === undefined ? undefined : failed(seen, "UnsupportedOperatorGroup", unsupported);
}

function checkApis({ csv, otherGroups }: Seen, group: OperatorGroup): CsvAction | undefined {
  const verdict = judgeApis(providedApis(csv.spec), group, otherGroups);
  if (verdict.is === "settled") return undefined;
  const isSettled = csv.status?.reason === "InterOperatorGroupOwnerConflict";
  if (verdict.is === "conflict") {
    const message = "intersecting operatorgroups provide the same apis";
    const wanted: Phase = { phase: "Failed", reason: "InterOperatorGroupOwnerConflict", message };
    return isSettled ? WAIT : { do: "phase", phase: wanted, deletesDeployments: true };
  }
  if (group.spec?.staticProvidedAPIs === true) {
    const message = "static provided api operatorgroup cannot be modified by these apis";
    const wanted: Phase = { phase: "Failed", reason: "CannotModifyStaticOperatorGroupProvidedAPIs", message };
    return isSettled || isInPhase(csv.status, wanted) ? WAIT : { do: "phase", phase: wanted, deletesDeployments: true };
  }
  // A name of an API that no annotation can hold would be added again and again.
  if (verdict.annotation === group.metadata.annotations?.[providedApisAnnotation]) return undefined;
  return { do: "set-provided-apis", group, annotation: verdict.annotation };
}

function decidePhase(seen: Seen, group: OperatorGroup): CsvAction {
  const current = seen.csv.status?.phase ?? "";
  switch (current) {
    case "": {
      const message = "requirements not yet checked";
      return { do: "phase", phase: { phase: "Pending", reason: "RequirementsUnknown", message } };
    }
    case "Pending":
      return decidePending(seen);
    case "Replacing":
      return decideReplacing(seen, isFailForward(group));
    case "Deleting":
      return { do: "delete" };
    case "Unknown":
      return WAIT;
    case "InstallReady":
    case "Installing":
    case "Succeeded":
    case "Failed":
      return checkBefore(seen, group) ?? checkStrategy(seen) ?? checkAccount(seen) ?? STEPS[current](seen);
    default:
      return current satisfies never;
  }
}

/** The steps of the phases that need a known install strategy. */
const STEPS = {
  InstallReady: (): CsvAction => ({ do: "install" }),
  Installing: decideInstalling,
  Succeeded: decideSucceeded,
  Failed: decideFailed,
} as const;

function isFailForward({ spec }: OperatorGroup): boolean {
  return spec?.upgradeStrategy === "TechPreviewUnsafeFailForward";
}

/** A running operator, or with fail-forward a failed one, makes room for its replacement. */
function checkBefore(seen: Seen, group: OperatorGroup): CsvAction | undefined {
  const { phase: current } = seen.csv.status ?? {};
  if (current === "Succeeded") return checkReplaced(seen);
  return current === "Failed" && isFailForward(group) ? failForward(seen) : undefined;
}

function checkStrategy(seen: Seen): CsvAction | undefined {
  const { strategy } = seen.csv.spec.install;
  if (strategy === "deployment") return undefined;
  const message = `install strategy invalid: unrecognized install strategy`;
  return failed(seen, "InvalidInstallStrategy", message);
}

/** Without its service account nothing can be said about what the group may do: everything stays as it is. */
function checkAccount({ accountProblem }: Seen): CsvAction | undefined {
  return accountProblem === undefined ? undefined : WAIT;
}

function decidePending(seen: Seen): CsvAction {
  const { csv, siblings } = seen;
  const replaced = replacedBy(csv, siblings);
  const veto = replaced === undefined ? undefined : seen.veto(replaced);
  if (veto !== undefined) {
    const message = `operator is not upgradeable: ${veto}`;
    return phase(seen, { phase: "Pending", reason: "OperatorConditionNotUpgradeable", message });
  }
  const invalid = checkStrategy(seen);
  if (invalid !== undefined) return invalid;
  const requirements = seen.requirements();
  if ("invalid" in requirements) {
    return failed(seen, "InvalidInstallStrategy", `install strategy invalid: ${requirements.invalid}`);
  }
  if (!requirements.areMet) {
    const message = "one or more requirements couldn't be found";
    const wanted: Phase = { phase: "Pending", reason: "RequirementsNotMet", message };
    return isInPhase(csv.status, wanted)
      ? { do: "wait", after: RETRY }
      : { do: "phase", phase: wanted, requirements, after: RETRY };
  }
  return decideReady(seen, requirements);
}

function decideReady(seen: Seen, requirements: ReturnType<Seen["requirements"]>): CsvAction {
  const { csv, siblings } = seen;
  const webhook = seen.invalidWebhook();
  const refused = (reason: Phase["reason"], problem: string): CsvAction => ({
    do: "phase",
    phase: { phase: "Failed", reason, message: problem },
    requirements,
  });
  if (webhook !== undefined) return refused("InvalidWebhookDescription", webhook);
  if (hasCrdConflict(csv, siblings)) return refused("OwnerConflict", "conflicting CRD owner in namespace");
  if (seen.hasApiServiceConflict()) return refused("OwnerConflict", "unable to adopt APIService");
  const replaced = replacedBy(csv, siblings);
  if (replaced !== undefined && replaced.status?.phase !== "Replacing") return WAIT;
  const message = "all requirements found, attempting install";
  return { do: "phase", phase: { phase: "InstallReady", reason: "AllRequirementsMet", message }, requirements };
}

function checkReplaced({ csv, siblings }: Seen): CsvAction | undefined {
  const next = replacementOf(csv, siblings);
  if (next === undefined) return undefined;
  const message = `being replaced by csv: ${next.metadata.name}`;
  return { do: "phase", phase: { phase: "Replacing", reason: "BeingReplaced", message } };
}

function failForward({ csv, siblings }: Seen): CsvAction | undefined {
  const next = replacementOf(csv, siblings);
  if (next === undefined) return undefined;
  const message = `Fail Forward is enabled, allowing Failed csv to be replaced by csv: ${next.metadata.name}`;
  return { do: "phase", phase: { phase: "Replacing", reason: "BeingReplaced", message } };
}

/** The first one of a chain is deleted when its replacement runs; with fail-forward, when the last one runs. */
function decideReplacing({ csv, siblings }: Seen, toLast: boolean): CsvAction {
  if (replacedBy(csv, siblings) !== undefined) return WAIT;
  const next = replacementOf(csv, siblings);
  const decisive = next !== undefined && toLast ? lastReplacement(next, siblings) : next;
  if (decisive?.status?.phase !== "Succeeded") return WAIT;
  const message = "has been replaced by a newer ClusterServiceVersion that has successfully installed.";
  return { do: "phase", phase: { phase: "Deleting", reason: "Replaced", message } };
}
