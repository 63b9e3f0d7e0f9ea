/** Deployment: replicas of a pod that are replaced step by step when the template changes. */
import type { Deployment as DeploymentObject, DeploymentSpec, DeploymentStrategy } from "@capstan/kinds/apps/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { scaleOf } from "../autoscaling/scale.ts";
import type { Draft } from "../draft.ts";
import {
  checkAtMostWhole,
  checkIntOrPercent,
  checkNonNegative,
  checkUnchanged,
  countOrPercentOf,
} from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defaultPodTemplate } from "../pod-template/defaults.ts";
import { dropDisabledFields } from "../pod-template/template.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf, containerCells, selectorCell } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import {
  checkCollisions,
  checkCounts,
  checkLastingTemplate,
  checkNotAbove,
  checkRequiredSelector,
  checkSelected,
  isAbsent,
  nameWarnings,
  parsedSelector,
  selectorText,
  templateWarnings,
} from "./workload.ts";

type Deployment = Whole<DeploymentObject>;

export const deployment: KindRules<Deployment> = defineRules<Deployment>({
  defaults: ({ spec }) => setDefaults(spec),
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
    dropDisabledFields(draft.spec.template.spec);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    dropDisabledFields(draft.spec.template.spec, old.spec.template.spec);
    bumpGeneration(draft, old);
    if (isAnnotatedAnew(draft, old)) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
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
    status: statusView<Deployment>({
      resetFields: ["spec", "metadata.labels"],
      prepare: keepLabels,
      validate: ({ status }, old) => [...checkStatus(status), ...checkCollisions(status, old.status)],
    }),
    scale: scaleOf<Deployment>(({ spec }) => selectorText(spec.selector)),
  },
  table: {
    row: (object, now) => {
      const { metadata, spec, status } = object;
      const ready = `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`;
      return {
        cells: [
          metadata.name,
          ready,
          status.updatedReplicas ?? 0,
          status.availableReplicas ?? 0,
          ageOf(object, now),
          ...containerCells(spec.template.spec?.containers ?? []),
          selectorCell(spec.selector),
        ],
      };
    },
  },
});

function setDefaults(spec: Draft<DeploymentSpec>): void {
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  if ((strategy.type ?? "") === "") strategy.type = "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= "25%";
    strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  defaultPodTemplate(spec.template);
}

/** A change of annotations bumps the generation as a change of the spec does: `kubectl rollout` stores data in annotations. */
function isAnnotatedAnew({ metadata }: Draft<Deployment>, { metadata: old }: Deployment): boolean {
  return checkUnchanged(metadata.annotations ?? {}, old.annotations ?? {}, "").length > 0;
}

function keepLabels({ metadata }: Draft<Deployment>, { metadata: { labels } }: Deployment): void {
  if (labels === undefined) delete metadata.labels;
  else metadata.labels = { ...labels };
}

function checkSpec(spec: DeploymentSpec, old?: DeploymentSpec): FieldError[] {
  const { replicas, minReadySeconds = 0, revisionHistoryLimit, progressDeadlineSeconds } = spec;
  return [
    ...checkNonNegative(replicas, "spec.replicas"),
    ...checkRequiredSelector(spec.selector, "spec.selector", "deployment"),
    ...checkTemplate(spec, old),
    ...checkStrategy(spec.strategy ?? {}, "spec.strategy"),
    ...checkNonNegative(minReadySeconds, "spec.minReadySeconds"),
    ...checkNonNegative(revisionHistoryLimit, "spec.revisionHistoryLimit"),
    ...checkDeadline(progressDeadlineSeconds, minReadySeconds),
  ];
}

/** Checks the selector and the template it must select. Deployments and ReplicaSets share the messages. */
export function checkTemplate(
  spec: Pick<DeploymentSpec, "selector" | "template">,
  old?: Partial<Pick<DeploymentSpec, "template">>,
): FieldError[] {
  const selector = parsedSelector(spec.selector);
  if (selector === undefined) {
    return [fieldErrors.invalid("spec.selector", spec.selector, "invalid label selector")];
  }
  return [
    ...checkSelected(selector, spec.template, "spec.template"),
    ...checkLastingTemplate(spec.template, "spec.template", { kind: "ReplicaSet", old: old?.template }),
  ];
}

function checkStrategy(strategy: DeploymentStrategy, path: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  switch (type) {
    case "Recreate":
      if (isAbsent(rollingUpdate)) return [];
      return [
        fieldErrors.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'"),
      ];
    case "RollingUpdate":
      return checkRollingUpdate(rollingUpdate ?? {}, `${path}.rollingUpdate`);
    default:
      return [fieldErrors.notSupported(path, internalStrategy(strategy), ["Recreate", "RollingUpdate"])];
  }
}

function internalStrategy({ type, rollingUpdate }: DeploymentStrategy): object {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  return {
    Type: type,
    RollingUpdate: isAbsent(rollingUpdate) ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge },
  };
}

function checkRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: NonNullable<DeploymentStrategy["rollingUpdate"]>,
  path: string,
): FieldError[] {
  const isStuck = countOrPercentOf(maxUnavailable) === 0 && countOrPercentOf(maxSurge) === 0;
  return [
    ...checkIntOrPercent(maxUnavailable, `${path}.maxUnavailable`),
    ...checkIntOrPercent(maxSurge, `${path}.maxSurge`),
    ...(isStuck
      ? [fieldErrors.invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...checkAtMostWhole(maxUnavailable, `${path}.maxUnavailable`),
  ];
}

function checkDeadline(deadline: number | undefined, minReadySeconds: number): FieldError[] {
  if (deadline === undefined) return [];
  const path = "spec.progressDeadlineSeconds";
  const tooShort = deadline <= minReadySeconds;
  return [
    ...checkNonNegative(deadline, path),
    ...(tooShort ? [fieldErrors.invalid(path, deadline, "must be greater than minReadySeconds")] : []),
  ];
}

function checkStatus(status: Deployment["status"]): FieldError[] {
  return [
    ...checkCounts(status, [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ]),
    ...checkNotAbove(status, ["updatedReplicas", "readyReplicas", "availableReplicas"], {
      limit: "replicas",
      named: "status.replicas",
    }),
    ...checkNotAbove(status, ["availableReplicas"], { limit: "readyReplicas", named: "readyReplicas" }),
  ];
}
