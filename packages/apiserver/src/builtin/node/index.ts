/** The rules of the group node.k8s.io: runtime classes. */
import type { RuntimeClass, Scheduling } from "@capstan/kinds/node.k8s.io/v1";
import type { Toleration } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkLabels, checkMetadataUpdate, checkMetadata } from "../../metadata/check.ts";
import type { ResourceName } from "../context.ts";
import { checkLabelName, checkUnchanged, isEmpty } from "../meta/checks.ts";
import { toInternal } from "../meta/internal-form.ts";
import { nodeLabelWarning } from "../pod-template/node-label-warnings.ts";
import { checkContainerResources } from "../pod-template/resources.ts";
import { checkTolerations } from "../pod-template/scheduling.ts";
import { defineRules, type ResourceRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import { occursBefore } from "../occurs-before.ts";

const runtimeClass = defineRules<RuntimeClass>({
  validatesMetadata: true,
  createOnUpdate: true,
  unconditionalUpdate: false,
  validateCreate: checkClass,
  validateUpdate: (object, old) => [
    ...checkClass(object),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkUnchanged(object.handler, old.handler, "handler"),
  ],
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {})
      .map(nodeLabelWarning)
      .filter((warning) => warning !== undefined)
      .map((warning) => `scheduling.nodeSelector: ${warning}`),
  table: { row: (object, now) => ({ cells: [object.metadata.name, object.handler, ageOf(object, now)] }) },
});

function checkClass(object: RuntimeClass): FieldError[] {
  const { handler, overhead, scheduling } = object;
  return [
    ...checkMetadata(object.metadata, false, "dns-subdomain"),
    ...(isEmpty(handler) ? [fieldErrors.required("handler")] : checkLabelName(handler, "handler")),
    ...(overhead === undefined
      ? []
      : checkContainerResources(overhead.podFixed === undefined ? {} : { limits: overhead.podFixed }, "overhead")),
    ...(scheduling === undefined ? [] : checkScheduling(scheduling, "scheduling")),
  ];
}

function checkScheduling({ nodeSelector, tolerations = [] }: Scheduling, path: string): FieldError[] {
  const keys = tolerations.map(keyOf);
  const at = `${path}.tolerations`;
  return [
    ...checkLabels(nodeSelector, `${path}.nodeSelector`),
    ...checkTolerations(tolerations, at),
    ...tolerations.flatMap((toleration, index) =>
      occursBefore(keys, index) ? [fieldErrors.duplicate(`${at}[${index}]`, toInternal("Toleration", toleration))] : [],
    ),
  ];
}

/** Tolerations that differ only in tolerationSeconds are duplicates. */
function keyOf({ key, operator, value, effect }: Toleration): string {
  return JSON.stringify([key, operator, value, effect]);
}

export const nodeRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["runtimeclasses.node.k8s.io", runtimeClass],
]);
