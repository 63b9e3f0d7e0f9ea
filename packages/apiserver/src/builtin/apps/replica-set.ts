/** ReplicaSet: a number of pods of one template. */
import type { ReplicaSet as ReplicaSetObject, ReplicaSetSpec } from "@capstan/kinds/apps/v1";
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import type { FieldError } from "@capstan/model";
import { scaleOf } from "../autoscaling/scale.ts";
import { checkNonNegative, checkUnchanged } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defaultPodTemplate } from "../pod-template/defaults.ts";
import { dropDisabledFields } from "../pod-template/template.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf, containerCells, selectorCell } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { checkTemplate } from "./deployment.ts";
import {
  checkCounts,
  checkNotAbove,
  checkRequiredSelector,
  nameWarnings,
  selectorText,
  templateWarnings,
} from "./workload.ts";

/** The server stores a template even if the client did not send one. */
type Spec = ReplicaSetSpec & { readonly template: PodTemplateSpec };
type ReplicaSet = Whole<ReplicaSetObject> & { readonly spec: Spec };

export const replicaSet: KindRules<ReplicaSet> = defineRules<ReplicaSet>({
  defaults({ spec }) {
    spec.replicas ??= 1;
    defaultPodTemplate(spec.template);
  },
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
    dropDisabledFields(draft.spec.template.spec);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    dropDisabledFields(draft.spec.template.spec, old.spec.template.spec);
    bumpGeneration(draft, old);
  },
  validateCreate: ({ spec }) => checkSpec(spec),
  validateUpdate: ({ spec }, old) => [
    ...checkSpec(spec, old.spec),
    ...checkUnchanged(spec.selector, old.spec.selector, "spec.selector"),
  ],
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object.metadata.name) : []),
    ...templateWarnings(object, old),
  ],
  subresources: {
    status: statusView<ReplicaSet>({ validate: ({ status }) => checkStatus(status) }),
    scale: scaleOf<ReplicaSet>(({ spec }) => selectorText(spec.selector)),
  },
  table: {
    row: (object, now) => {
      const { metadata, spec, status } = object;
      return {
        cells: [
          metadata.name,
          spec.replicas ?? 0,
          status.replicas,
          status.readyReplicas ?? 0,
          ageOf(object, now),
          ...containerCells(spec.template.spec?.containers ?? []),
          selectorCell(spec.selector),
        ],
      };
    },
  },
});

function checkSpec(spec: Spec, old?: Spec): FieldError[] {
  return [
    ...checkNonNegative(spec.replicas, "spec.replicas"),
    ...checkNonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    // kube-apiserver uses the message for deployments here as well.
    ...checkRequiredSelector(spec.selector, "spec.selector", "deployment"),
    ...checkTemplate(spec, old),
  ];
}

function checkStatus(status: ReplicaSet["status"]): FieldError[] {
  return [
    ...checkCounts(status, [
      "replicas",
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "observedGeneration",
      "terminatingReplicas",
    ]),
    ...checkNotAbove(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], {
      limit: "replicas",
      named: "status.replicas",
    }),
    ...checkNotAbove(status, ["availableReplicas"], { limit: "readyReplicas", named: "readyReplicas" }),
  ];
}
