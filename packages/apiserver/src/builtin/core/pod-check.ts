/** Validation of a pod that applies on create and update. */
import type { Pod } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkPodAnnotations } from "../pod-template/annotations.ts";
import { checkImageSpace } from "../pod-template/container.ts";
import type { PodLeniency } from "../pod-template/leniency.ts";
import { checkPodSpec } from "../pod-template/pod-spec.ts";

/** The spec; every decoded pod has one. */
export function specOf({ spec }: Pod): NonNullable<Pod["spec"]> {
  return spec ?? { containers: [] };
}

/** Checks annotations, spec and restrictions that apply to pods but not to templates. */
export function checkPod(pod: Pod, leniency: PodLeniency): FieldError[] {
  const spec = specOf(pod);
  const { annotations } = pod.metadata;
  return [
    ...checkPodAnnotations(annotations, spec, "metadata.annotations", leniency.badDeletionCost),
    ...checkPodSpec(spec, "spec", leniency, pod.metadata),
    ...checkTokens(spec),
    ...(spec.containers ?? []).flatMap((container, index) => checkImageSpace(container, `spec.containers[${index}]`)),
    ...(spec.initContainers ?? []).flatMap((container, index) =>
      checkImageSpace(container, `spec.initContainers[${index}]`),
    ),
  ];
}

/** Token volumes need a service account. */
function checkTokens({ serviceAccountName = "", volumes = [] }: NonNullable<Pod["spec"]>): FieldError[] {
  if (serviceAccountName !== "") return [];
  return volumes.flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, source) =>
      serviceAccountToken === undefined
        ? []
        : [
            fieldErrors.forbidden(
              `spec.volumes[${index}].projected.sources[${source}].serviceAccountToken`,
              "must not be specified when serviceAccountName is not set",
            ),
          ],
    ),
  );
}
