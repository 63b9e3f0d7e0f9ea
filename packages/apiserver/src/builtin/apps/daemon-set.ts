/** DaemonSet: a pod of one template on every node. */
import type { DaemonSet as DaemonSetObject, DaemonSetSpec, DaemonSetUpdateStrategy } from "@capstan/kinds/apps/v1";
import { fieldErrors, isDeepEqual, parseInt64, quote, type FieldError } from "@capstan/model";
import { TypeMismatchError } from "../../decode/strict.ts";
import type { Draft } from "../draft.ts";
import {
  checkAtMostWhole,
  checkIntOrPercent,
  checkNonNegative,
  checkUnchanged,
  countOrPercentOf,
  isEmpty,
} from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defaultPodTemplate } from "../pod-template/defaults.ts";
import { checkPodTemplate, dropDisabledFields } from "../pod-template/template.ts";
import { podTemplateWarnings } from "../pod-template/warnings.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkLabelSelector, hasInvalidValue, isEmptySelector } from "../selector/label-selector.ts";
import { ageOf, containerCells, labelsCell, selectorCell } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { checkCollisions, checkCounts, checkLasting, checkSelected, isAbsent, parsedSelector } from "./workload.ts";

type DaemonSet = Whole<DaemonSetObject>;

/** The annotation that holds the template generation: apps/v1 does not have the field. */
const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSet: KindRules<DaemonSet> = defineRules<DaemonSet>({
  wholeOnlyAnnotations: [templateGeneration],
  defaults(draft) {
    setDefaults(draft.spec);
    setTemplateGeneration(draft, readTemplateGeneration(draft));
  },
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
    if (templateGenerationOf(draft) < 1) setTemplateGeneration(draft, 1);
    dropDisabledFields(draft.spec.template.spec);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    dropDisabledFields(draft.spec.template.spec, old.spec.template.spec);
    const isSame = isDeepEqual(draft.spec.template, old.spec.template);
    setTemplateGeneration(draft, templateGenerationOf(old) + (isSame ? 0 : 1));
    bumpGeneration(draft, old);
  },
  validateCreate: (object) => checkSpec(object),
  validateUpdate: (object, old) => [
    ...checkUnchanged(object.spec.selector, old.spec.selector, "spec.selector"),
    ...checkSpec(object, old.spec),
  ],
  warnings: (object, old) =>
    old === undefined || templateGenerationOf(old) !== templateGenerationOf(object)
      ? podTemplateWarnings(object.spec.template, "spec.template")
      : [],
  subresources: {
    status: statusView<DaemonSet>({
      prepare: (draft, old) => setTemplateGeneration(draft, templateGenerationOf(old)),
      validate: ({ status }, old) => [...checkStatus(status), ...checkCollisions(status, old.status)],
    }),
  },
  table: {
    row: (object, now) => {
      const { metadata, spec, status } = object;
      return {
        cells: [
          metadata.name,
          status.desiredNumberScheduled,
          status.currentNumberScheduled,
          status.numberReady,
          status.updatedNumberScheduled ?? 0,
          status.numberAvailable ?? 0,
          labelsCell(spec.template.spec?.nodeSelector),
          ageOf(object, now),
          ...containerCells(spec.template.spec?.containers ?? []),
          selectorCell(spec.selector),
        ],
      };
    },
  },
});

function setDefaults(spec: Draft<DaemonSetSpec>): void {
  const strategy = (spec.updateStrategy ??= {});
  if (isEmpty(strategy.type)) strategy.type = "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= 1;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  // The internal type of kube-apiserver has both fields by value, so they cannot be absent.
  if (!isAbsent(strategy.rollingUpdate)) {
    strategy.rollingUpdate.maxUnavailable ??= 0;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
}

function templateGenerationOf({ metadata }: Pick<DaemonSet, "metadata"> | Draft<DaemonSet>): number {
  return Number(metadata.annotations?.[templateGeneration] ?? 0);
}

/** Fails if the annotation is not a number: the internal type of kube-apiserver has it as an int64 field. */
function readTemplateGeneration({ metadata }: Draft<DaemonSet>): number {
  const text = metadata.annotations?.[templateGeneration] ?? "0";
  if (parseInt64(text) !== undefined) return Number(text);
  const why = /^[+-]?[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  throw new TypeMismatchError(`strconv.ParseInt: parsing ${quote(text)}: ${why}`);
}

function setTemplateGeneration({ metadata }: Draft<DaemonSet>, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
}

function checkSpec(object: DaemonSet, old?: DaemonSetSpec): FieldError[] {
  const { spec } = object;
  const { selector, template } = spec;
  return [
    ...checkLabelSelector(selector ?? undefined, "spec.selector", {
      invalidValues: old !== undefined && hasInvalidValue(old.selector),
    }),
    ...checkTemplateSelected(spec),
    ...(!isAbsent<typeof selector>(selector) && isEmptySelector(selector)
      ? [fieldErrors.invalid("spec.selector", selector, "empty selector is invalid for daemonset")]
      : []),
    ...checkPodTemplate(template, "spec.template", old?.template),
    ...checkLasting(template, "spec.template", "DaemonSet"),
    ...checkNonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...checkNonNegative(templateGenerationOf(object), "spec.templateGeneration"),
    ...checkStrategy(spec.updateStrategy ?? {}, "spec.updateStrategy"),
    ...checkNonNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
  ];
}

function checkTemplateSelected({ selector, template }: DaemonSetSpec): FieldError[] {
  const parsed = parsedSelector(selector);
  return parsed === undefined ? [] : checkSelected(parsed, template, "spec.template");
}

function checkStrategy(strategy: DaemonSetUpdateStrategy, path: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  switch (type) {
    case "OnDelete":
      return [];
    case "RollingUpdate":
      return checkRollingUpdate(rollingUpdate ?? {}, `${path}.rollingUpdate`);
    default:
      return [fieldErrors.notSupported(path, internalStrategy(strategy), ["RollingUpdate", "OnDelete"])];
  }
}

function internalStrategy({ type, rollingUpdate }: DaemonSetUpdateStrategy): object {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  return {
    Type: type,
    RollingUpdate: isAbsent(rollingUpdate) ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge },
  };
}

function checkRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: NonNullable<DaemonSetUpdateStrategy["rollingUpdate"]>,
  path: string,
): FieldError[] {
  return [
    ...checkIntOrPercent(maxUnavailable, `${path}.maxUnavailable`),
    ...checkIntOrPercent(maxSurge, `${path}.maxSurge`),
    ...checkAtMostWhole(maxUnavailable, `${path}.maxUnavailable`),
    ...checkAtMostWhole(maxSurge, `${path}.maxSurge`),
    ...checkOneMoves(countOrPercentOf(maxUnavailable), { maxSurge, path }),
  ];
}

/** Exactly one of maxUnavailable and maxSurge must be non-zero. */
function checkOneMoves(
  unavailable: number,
  { maxSurge, path }: { readonly maxSurge: number | string; readonly path: string },
): FieldError[] {
  const surge = countOrPercentOf(maxSurge);
  if (unavailable !== 0 && surge !== 0) {
    return [fieldErrors.invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")];
  }
  if (unavailable === 0 && surge === 0) {
    return [fieldErrors.required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0")];
  }
  return [];
}

function checkStatus(status: DaemonSet["status"]): FieldError[] {
  return checkCounts(status, [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ]);
}
