/** HorizontalPodAutoscaler: sets the number of replicas from metrics. */
import type {
  HorizontalPodAutoscaler as AutoscalerObject,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from "@capstan/kinds/autoscaling/v2";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkCounts } from "../apps/workload.ts";
import type { Draft } from "../draft.ts";
import { checkOneOf, checkPositive } from "../meta/checks.ts";
import { isNegative } from "../meta/resource-list.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { metricsCell } from "./metric-cell.ts";
import { checkMetric, checkReference, versionProblem, type ReferenceLeniency } from "./metric-check.ts";
import { asStored, firstNotes, firstVersion } from "./first-version.ts";

type Autoscaler = Whole<AutoscalerObject>;

export const horizontalPodAutoscaler: KindRules<Autoscaler> = defineRules<Autoscaler>({
  hub: "v2",
  versions: { v1: firstVersion },
  wholeOnlyAnnotations: firstNotes,
  defaults({ metadata, spec }) {
    dropFirstNotes(metadata);
    setDefaults(spec);
  },
  prepareForCreate: (draft) => dropField(draft, "status"),
  prepareForUpdate: (draft, old) => keepField(draft, old, "status"),
  validateCreate: ({ spec }) => checkSpec(spec, leniencyOf(spec)),
  validateUpdate: ({ spec }, old) => checkSpec(spec, leniencyOf(spec, old.spec)),
  subresources: {
    status: statusView<Autoscaler>({
      validate: ({ status }) => checkCounts(status, ["currentReplicas", "desiredReplicas"]),
    }),
  },
  table: {
    row: (object, now) => {
      const { metadata, spec, status } = asStored(object);
      return {
        cells: [
          metadata.name,
          `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
          metricsCell(spec.metrics ?? [], status.currentMetrics ?? []),
          spec.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
          spec.maxReplicas,
          status.currentReplicas ?? 0,
          ageOf(object, now),
        ],
      };
    },
  },
});

function dropFirstNotes(metadata: Draft<Autoscaler>["metadata"]): void {
  const { annotations } = metadata;
  if (annotations === undefined) return;
  for (const name of firstNotes) delete annotations[name];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}

/** The target utilization of the CPU for an autoscaler without metrics. */
export const defaultUtilization = 80;
const period = 15;

function setDefaults(spec: Draft<HorizontalPodAutoscalerSpec>): void {
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: "Utilization", averageUtilization: defaultUtilization };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  const { behavior } = spec;
  if (!behavior) return;
  const all = { type: "Percent", value: 100, periodSeconds: period };
  const some = { type: "Pods", value: 4, periodSeconds: period };
  behavior.scaleUp = { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [some, all], ...behavior.scaleUp };
  const { stabilizationWindowSeconds } = behavior.scaleDown ?? {};
  // A window does not have a default. It comes before the fields that have one.
  const first = stabilizationWindowSeconds === undefined ? {} : { stabilizationWindowSeconds };
  behavior.scaleDown = { ...first, selectPolicy: "Max", policies: [all], ...behavior.scaleDown };
}

interface Leniency {
  readonly lowest: number;
  readonly target: ReferenceLeniency;
  readonly objects: ReferenceLeniency;
}

function leniencyOf(spec: HorizontalPodAutoscalerSpec, old?: HorizontalPodAutoscalerSpec): Leniency {
  const { kind, apiVersion } = spec.scaleTargetRef;
  const isSame = old?.scaleTargetRef.kind === kind && old.scaleTargetRef.apiVersion === apiVersion;
  const objects = { emptyGroup: true };
  const hadBadObject = (old?.metrics ?? []).some(
    ({ object }) =>
      object !== undefined && versionProblem(object.describedObject.apiVersion ?? "", objects) !== undefined,
  );
  return {
    lowest: old?.minReplicas === 0 ? 0 : 1,
    target: isSame ? { anyVersion: true } : { emptyGroup: kind === "ReplicationController" },
    objects: { ...objects, anyVersion: hadBadObject },
  };
}

function checkSpec(spec: HorizontalPodAutoscalerSpec, { lowest, target, objects }: Leniency): FieldError[] {
  const { metrics = [], behavior } = spec;
  return [
    ...checkReplicas(spec, lowest),
    ...checkReference(spec.scaleTargetRef, "spec.scaleTargetRef", target),
    ...metrics.flatMap((metric, index) => checkMetric(metric, `spec.metrics[${index}]`, objects)),
    ...checkToZero(spec),
    ...checkRules(behavior?.scaleUp, "spec.behavior.scaleUp"),
    ...checkRules(behavior?.scaleDown, "spec.behavior.scaleDown"),
  ];
}

function checkReplicas({ minReplicas, maxReplicas }: HorizontalPodAutoscalerSpec, lowest: number): FieldError[] {
  const errors: FieldError[] = [];
  const max = "spec.maxReplicas";
  if (minReplicas !== undefined && minReplicas < lowest) {
    const why = `must be greater than or equal to ${lowest}`;
    errors.push(fieldErrors.invalid("spec.minReplicas", minReplicas, why));
  }
  if (maxReplicas === 0) errors.push(fieldErrors.required(max, "must be set and greater than 0"));
  if (maxReplicas < 0) errors.push(fieldErrors.invalid(max, maxReplicas, "must be greater than or equal to 1"));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(fieldErrors.invalid(max, maxReplicas, "must be greater than or equal to `minReplicas`"));
  }
  return errors;
}

function checkToZero({ minReplicas, metrics = [] }: HorizontalPodAutoscalerSpec): FieldError[] {
  if (minReplicas !== 0 || metrics.some(({ type }) => type === "Object" || type === "External")) return [];
  const why = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [fieldErrors.forbidden("spec.metrics", why)];
}

const maxWindow = 3600;
const maxPeriod = 1800;

function checkRules(rules: HPAScalingRules | undefined, path: string): FieldError[] {
  if (rules === undefined) return [];
  const { selectPolicy, policies = [], tolerance } = rules;
  return [
    ...checkWindow(rules.stabilizationWindowSeconds, `${path}.stabilizationWindowSeconds`),
    ...(selectPolicy === undefined ? [] : checkOneOf(selectPolicy, `${path}.selectPolicy`, ["Disabled", "Max", "Min"])),
    ...(policies.length === 0 ? [fieldErrors.required(`${path}.policies`, "must specify at least one Policy")] : []),
    ...policies.flatMap((policy, index) => checkPolicy(policy, `${path}.policies[${index}]`)),
    ...(tolerance !== undefined && isNegative(tolerance)
      ? [fieldErrors.invalid(`${path}.tolerance`, tolerance, "must be greater than or equal to 0")]
      : []),
  ];
}

function checkWindow(seconds = 0, path: string): FieldError[] {
  if (seconds < 0) return [fieldErrors.invalid(path, seconds, "must be greater than or equal to zero")];
  return seconds > maxWindow ? [fieldErrors.invalid(path, seconds, `must be less than or equal to ${maxWindow}`)] : [];
}

function checkPolicy({ type, value, periodSeconds }: HPAScalingPolicy, path: string): FieldError[] {
  const at = `${path}.periodSeconds`;
  return [
    ...checkOneOf(type, `${path}.type`, ["Percent", "Pods"]),
    ...checkPositive(value, `${path}.value`),
    ...checkPositive(periodSeconds, at),
    ...(periodSeconds > maxPeriod
      ? [fieldErrors.invalid(at, periodSeconds, `must be less than or equal to ${maxPeriod}`)]
      : []),
  ];
}
