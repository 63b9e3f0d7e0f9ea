/** PodDisruptionBudget: how many pods may be unavailable during voluntary disruptions. */
import type {
  PodDisruptionBudget as PodDisruptionBudgetObject,
  PodDisruptionBudgetSpec,
} from "@capstan/kinds/policy/v1";
import { fieldErrors, type FieldError, type KubeObject } from "@capstan/model";
import { checkMetadata } from "../../metadata/check.ts";
import { checkCounts } from "../apps/workload.ts";
import { checkAtMostWhole, checkIntOrPercent, checkOneOf } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { checkConditions } from "./conditions.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";

type Budget = Whole<PodDisruptionBudgetObject>;

export const podDisruptionBudget: KindRules<Budget> = defineRules<Budget>({
  validatesMetadata: true,
  unconditionalUpdate: false,
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    bumpGeneration(draft, old);
  },
  validateCreate: (object) => checkFirst(checkSpec(object.spec), object),
  validateUpdate: ({ spec }, old) => checkSpec(spec, checkLabelSelector(old.spec.selector, "spec.selector").length > 0),
  subresources: {
    status: statusView<Budget>({
      validate: ({ status }) => [
        ...checkConditions(status.conditions ?? [], "status.conditions"),
        ...checkCounts(status, ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]),
      ],
    }),
  },
  table: {
    row: (object, now) => {
      const { metadata, spec, status } = object;
      const { minAvailable = "N/A", maxUnavailable = "N/A" } = spec;
      return {
        cells: [
          metadata.name,
          String(minAvailable),
          String(maxUnavailable),
          status.disruptionsAllowed ?? 0,
          ageOf(object, now),
        ],
      };
    },
  },
});

/** Metadata is checked only if there are no other errors: the validation of this kind does not include it. */
function checkFirst(errors: readonly FieldError[], { metadata }: KubeObject): readonly FieldError[] {
  return errors.length > 0 ? errors : checkMetadata(metadata, true, "path-segment");
}

function checkSpec(spec: PodDisruptionBudgetSpec, invalidValues = false): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: eviction } = spec;
  const isBoth = minAvailable !== undefined && maxUnavailable !== undefined;
  const amounts = Object.entries({ minAvailable, maxUnavailable }).flatMap(([field, amount]) =>
    amount === undefined
      ? []
      : [...checkIntOrPercent(amount, `spec.${field}`), ...checkAtMostWhole(amount, `spec.${field}`)],
  );
  return [
    ...(isBoth
      ? [fieldErrors.invalid("spec", internalSpec(spec), "minAvailable and maxUnavailable cannot be both set")]
      : []),
    ...amounts,
    ...checkLabelSelector(selector, "spec.selector", { invalidValues }),
    ...(eviction === undefined
      ? []
      : checkOneOf(eviction, "spec.unhealthyPodEvictionPolicy", ["AlwaysAllow", "IfHealthyBudget"])),
  ];
}

function internalSpec(spec: PodDisruptionBudgetSpec): object {
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}
