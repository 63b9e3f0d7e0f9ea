/** What is checked of a pod in every state. */
import type { Pod } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkPodAnnotations } from "../pod-template/annotations.ts";
import { checkImageSpace } from "../pod-template/container.ts";
import type { PodLeniency } from "../pod-template/leniency.ts";
import { checkPodSpec } from "../pod-template/pod-spec.ts";

/** The spec, which every decoded pod has. */
export function specOf({ spec }: Pod): NonNullable<Pod["spec"]> {
  return spec ?? { containers: [] };
}

/** Annotations, spec, and what only pods must not have. */
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

/** Tokens are for a service account; a pod without one can have none. */
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
