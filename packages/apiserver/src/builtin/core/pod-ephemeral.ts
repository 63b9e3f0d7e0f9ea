/** The subresource `ephemeralcontainers`: containers can be added to a running pod but not removed. */
import type { Pod } from "@capstan/kinds/v1";
import { cloneJson, fieldErrors, isDeepEqual, quote, type FieldError } from "@capstan/model";
import { internalDiff } from "../meta/internal-form.ts";
import { checkNamespaced } from "../meta/metadata.ts";
import { keepField } from "../meta/status.ts";
import { mirrorAnnotation } from "../pod-template/annotations.ts";
import type { ViewRules } from "../rules.ts";
import { keepPodMetadata } from "./pod-metadata.ts";
import { checkPod } from "./pod-check.ts";
import { bumpPodGeneration, checkAnnotationChange, podLeniency } from "./pod-update.ts";

export const ephemeralContainersView: ViewRules<Pod> = {
  type: "view",
  resetFields: [],
  prepareForUpdate(draft, old) {
    const added = draft.spec?.ephemeralContainers;
    draft.spec = cloneJson(old.spec ?? { containers: [] });
    if (added === undefined) delete draft.spec.ephemeralContainers;
    else draft.spec.ephemeralContainers = added;
    keepField(draft, old, "status");
    keepPodMetadata(draft, old);
    bumpPodGeneration(draft, old);
  },
  validateUpdate(pod, old) {
    if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
      return [fieldErrors.forbidden("[]", "static pods do not support ephemeral containers")];
    }
    return [
      ...checkNamespaced(pod),
      ...checkPod(pod, podLeniency(old)),
      ...checkAnnotationChange(pod, old),
      ...checkKept(pod, old),
    ];
  },
};

function checkKept({ spec }: Pod, old: Pod): FieldError[] {
  const path = "spec.ephemeralContainers";
  return (old.spec?.ephemeralContainers ?? []).flatMap((before) => {
    const now = spec?.ephemeralContainers?.findLast(({ name }) => name === before.name);
    const who = `existing ephemeral containers ${quote(before.name)}`;
    if (now === undefined) return [fieldErrors.forbidden(path, `${who} may not be removed\n`)];
    if (isDeepEqual(now, before)) return [];
    const diff = internalDiff("EphemeralContainer", before, now);
    return [fieldErrors.forbidden(path, `${who} may not be changed\n${diff}`)];
  });
}
