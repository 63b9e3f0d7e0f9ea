/** Pod: containers that run together. Validation of the spec is in `pod-template`; this file assembles the other rules. */
import type { Pod } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkNamespaced } from "../meta/metadata.ts";
import { keepField } from "../meta/status.ts";
import { checkProfilesMatch } from "../pod-template/annotations.ts";
import { dropDisabledFields } from "../pod-template/template.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { graceOf } from "./pod-grace.ts";
import { bindingRules } from "./pod-binding.ts";
import { checkPod, specOf } from "./pod-check.ts";
import { defaultPod } from "./pod-defaults.ts";
import { podConnections } from "./pod-connections.ts";
import { ephemeralContainersView } from "./pod-ephemeral.ts";
import { evictionRules } from "./pod-eviction.ts";
import { createdPodWarnings, preparePod } from "./pod-prepare.ts";
import { resizeView } from "./pod-resize.ts";
import { podStatusView } from "./pod-status.ts";
import { podRow } from "./pod-table.ts";
import { bumpPodGeneration, checkPodUpdate, podLeniency } from "./pod-update.ts";

export const podRules: KindRules<Pod> = defineRules<Pod>({
  defaults: defaultPod,
  prepareForCreate: preparePod,
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    dropDisabledFields(draft.spec, old.spec);
    bumpPodGeneration(draft, old);
  },
  validateCreate: (pod) => [
    ...checkPod(pod, { isPod: true }),
    ...checkNewPod(pod),
    ...checkProfilesMatch(pod.metadata.annotations, specOf(pod), "spec"),
  ],
  validateUpdate: (pod, old) => [
    ...checkNamespaced(pod),
    ...checkPod(pod, podLeniency(old)),
    ...checkPodUpdate(pod, old),
  ],
  warnings: (pod, old) => (old === undefined ? createdPodWarnings(pod) : []),
  resetFields: ["status"],
  fields: {
    "spec.nodeName": ({ spec }) => spec?.nodeName ?? "",
    // The former name of `spec.nodeName`.
    "spec.host": ({ spec }) => spec?.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec?.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec?.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec?.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec?.hostNetwork ?? false),
    "status.phase": ({ status }) => status?.phase ?? "",
    "status.podIP": ({ status }) => status?.podIPs?.[0]?.ip ?? "",
    "status.podIPs": ({ status }) => status?.podIPs?.[0]?.ip ?? "",
    "status.nominatedNodeName": ({ status }) => status?.nominatedNodeName ?? "",
  },
  deletion: { grace: graceOf, returnsObject: true },
  subresources: {
    status: podStatusView,
    ephemeralcontainers: ephemeralContainersView,
    resize: resizeView,
    binding: bindingRules,
    eviction: evictionRules,
    ...podConnections,
  },
  table: { row: podRow },
});

function checkNewPod(pod: Pod): FieldError[] {
  const { ephemeralContainers = [], nodeName = "", schedulingGates = [] } = specOf(pod);
  return [
    ...(ephemeralContainers.length > 0
      ? [fieldErrors.forbidden("spec.ephemeralContainers", "cannot be set on create")]
      : []),
    ...(nodeName !== "" && schedulingGates.length > 0
      ? [fieldErrors.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
      : []),
  ];
}
