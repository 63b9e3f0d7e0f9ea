/** ReplicationController: the predecessor of ReplicaSet. */
import type { ReplicationController, ReplicationControllerStatus } from "@capstan/kinds/v1";
import {
  checkDns1123Label,
  fieldErrors,
  formatLabelSelector,
  fromLabels,
  isDeepEqual,
  matchesLabels,
  type FieldError,
} from "@capstan/model";
import { scaleOf } from "../autoscaling/scale.ts";
import { givenOrNull } from "../given-empty.ts";
import { checkNonNegative } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { finalSubdomain } from "../meta/metadata.ts";
import { keepField, statusView } from "../meta/status.ts";
import { defaultPodTemplate } from "../pod-template/defaults.ts";
import { checkPodTemplate, dropDisabledFields } from "../pod-template/template.ts";
import { podTemplateWarnings } from "../pod-template/warnings.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf, containerCells, labelsCell } from "../table/cells.ts";

export const replicationControllerRules: KindRules<ReplicationController> = defineRules<ReplicationController>({
  defaults(draft) {
    draft.spec ??= {};
    const { spec } = draft;
    spec.replicas ??= 1;
    const labels = spec.template?.metadata?.labels;
    if (labels !== undefined) {
      if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
      if (Object.keys(draft.metadata.labels ?? {}).length === 0) draft.metadata.labels = { ...labels };
    }
    defaultPodTemplate(spec.template);
    draft.status ??= { replicas: 0 };
  },
  prepareForCreate(draft) {
    draft.status = { replicas: 0 };
    startGeneration(draft);
    dropDisabledFields(draft.spec?.template?.spec);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    dropDisabledFields(draft.spec?.template?.spec, old.spec?.template?.spec);
    bumpGeneration(draft, old);
  },
  name: finalSubdomain,
  validateCreate: (controller) => [...checkSpec(controller)],
  validateUpdate: (controller, old) => [...checkSpec(controller, old), ...checkConvertible(controller, old)],
  warnings: warningsFor,
  resetFields: ["status"],
  fields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
  deletion: { propagation: "Orphan" },
  subresources: {
    status: statusView<ReplicationController>({
      validate: (controller) => [...checkStatus(controller.status)],
    }),
    scale: scaleOf<ReplicationController & { spec: object; status: object }>(
      ({ spec }) => formatLabelSelector(fromLabels((spec as ReplicationController["spec"])?.selector ?? {})),
      ["v1"],
    ) as never,
  },
  table: {
    row: (controller, now) => {
      const { metadata, spec, status } = controller;
      return {
        cells: [
          metadata.name ?? "",
          spec?.replicas ?? 0,
          status?.replicas ?? 0,
          status?.readyReplicas ?? 0,
          ageOf(controller, now),
          ...containerCells(spec?.template?.spec?.containers),
          labelsCell(spec?.selector),
        ],
      };
    },
  },
});

function checkSpec({ spec = {} }: ReplicationController, old?: ReplicationController): FieldError[] {
  const { selector = {}, replicas, minReadySeconds, template } = spec;
  return [
    ...checkNonNegative(minReadySeconds, "spec.minReadySeconds"),
    ...(Object.keys(selector).length > 0 ? [] : [fieldErrors.required("spec.selector")]),
    ...checkNonNegative(replicas, "spec.replicas"),
    ...(template === undefined
      ? [fieldErrors.required("spec.template")]
      : checkTemplate(template, selector, old?.spec?.template)),
  ];
}

type Template = NonNullable<NonNullable<ReplicationController["spec"]>["template"]>;

function checkTemplate(
  template: Template,
  selector: { readonly [key: string]: string },
  old: Template | undefined,
): FieldError[] {
  const path = "spec.template";
  const labels = template.metadata?.labels ?? {};
  const restartPolicy = template.spec?.restartPolicy ?? "";
  return [
    ...(matchesLabels(fromLabels(selector), labels)
      ? []
      : [
          fieldErrors.invalid(
            `${path}.metadata.labels`,
            template.metadata === undefined ? null : givenOrNull(template.metadata, "labels"),
            "`selector` does not match template `labels`",
          ),
        ]),
    ...checkPodTemplate(template, path, old),
    ...(restartPolicy === "Always"
      ? []
      : [fieldErrors.notSupportedName(`${path}.spec.restartPolicy`, restartPolicy, ["Always"])]),
    ...(template.spec?.activeDeadlineSeconds === undefined
      ? []
      : [
          fieldErrors.forbidden(
            `${path}.spec.activeDeadlineSeconds`,
            "activeDeadlineSeconds in ReplicationController is not Supported",
          ),
        ]),
  ];
}

const nonConvertible = "non-convertible.kubernetes.io/";

/** A selector that could not be converted from another version must not change. */
function checkConvertible({ spec }: ReplicationController, old: ReplicationController): FieldError[] {
  return Object.entries(old.metadata.annotations ?? {})
    .filter(([key]) => key.startsWith(nonConvertible))
    .flatMap(([key, value]) => {
      const field = key.slice(nonConvertible.length);
      if (!field.includes("selector")) {
        const error = fieldErrors.notFound(field, value);
        return [{ ...error, body: `${error.body}: unknown non-convertible field` }];
      }
      if (isDeepEqual(spec?.selector, old.spec?.selector)) return [];
      return [fieldErrors.invalid("spec.selector", spec?.selector ?? null, "cannot update non-convertible selector")];
    });
}

function checkStatus(status: ReplicationControllerStatus = { replicas: 0 }): FieldError[] {
  const { replicas, readyReplicas = 0, availableReplicas = 0 } = status;
  const counts = [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
  ] as const;
  const atMostAll = (["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const).flatMap((field) => {
    const count = status[field] ?? 0;
    if (count <= replicas) return [];
    return [fieldErrors.invalid(`status.${field}`, count, "cannot be greater than status.replicas")];
  });
  return [
    ...counts.flatMap((field) => checkNonNegative(status[field], `status.${field}`)),
    ...atMostAll,
    ...(availableReplicas > readyReplicas
      ? [fieldErrors.invalid("status.availableReplicas", availableReplicas, "cannot be greater than readyReplicas")]
      : []),
  ];
}

function warningsFor(controller: ReplicationController, old: ReplicationController | undefined): string[] {
  const { metadata, spec } = controller;
  if (old !== undefined) {
    // kube-apiserver checks the stored template here, not the new one.
    return old.metadata.generation === metadata.generation
      ? []
      : podTemplateWarnings(old.spec?.template, "spec.template");
  }
  const complaints = checkDns1123Label(metadata.name ?? "");
  return [
    ...(complaints.length === 0
      ? []
      : [
          `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(" ")}]`,
        ]),
    ...podTemplateWarnings(spec?.template, "spec.template"),
  ];
}
