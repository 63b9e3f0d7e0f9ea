/** autoscaling/v1: one number for the CPU. All other fields of an autoscaler are stored in annotations, as JSON. */
import type { HorizontalPodAutoscaler as First } from "@capstan/kinds/autoscaling/v1";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior as Behavior,
  HPAScalingRules,
  MetricSpec,
} from "@capstan/kinds/autoscaling/v2";
import { cloneJson, toGoJson } from "@capstan/model";
import type { AnyDraft, Draft } from "../draft.ts";
import type { VersionRules } from "../rules.ts";
import type { Whole } from "../whole.ts";
import { fromFirstMetric, fromFirstStatus, toFirstMetric, toFirstStatus } from "./first-metrics.ts";

type Autoscaler = Whole<HorizontalPodAutoscaler>;

const prefix = "autoscaling.alpha.kubernetes.io";
const notes = {
  metrics: `${prefix}/metrics`,
  behavior: `${prefix}/behavior`,
  current: `${prefix}/current-metrics`,
  conditions: `${prefix}/conditions`,
  up: `${prefix}/scale-up-tolerance`,
  down: `${prefix}/scale-down-tolerance`,
};
/** The annotations that hold other fields in autoscaling/v1. Other versions ignore them. */
export const firstNotes: readonly string[] = Object.values(notes);
const defaultUtilization = 80;

/** Defaults and conversion of autoscaling/v1. */
export const firstVersion: VersionRules<Autoscaler> = {
  defaults(draft) {
    const first = draft as unknown as Draft<Whole<First>>;
    first.spec.minReplicas ??= 1;
    // Field managers own the result of a round trip through the hub version, so the defaults include it.
    Object.assign(draft, fromHub(toHub(first)));
  },
  toHub: (draft) => toHub(draft as unknown as Draft<Whole<First>>),
  fromHub: (draft) => fromHub(draft),
};

/** Converts an autoscaler of either version to the stored version. */
export function asStored(object: Autoscaler): Autoscaler {
  const first = object as unknown as Draft<Whole<First>> | Autoscaler;
  return first.apiVersion === "autoscaling/v1" ? toHub(cloneJson(first)) : object;
}

function cpuMetric(averageUtilization: number): Draft<MetricSpec> {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function isCpuUtilization({ type, resource }: MetricSpec): boolean {
  return type === "Resource" && resource?.name === "cpu" && resource.target.averageUtilization !== undefined;
}

function toHub(first: Draft<Whole<First>>): Draft<Autoscaler> {
  const { targetCPUUtilizationPercentage: target, ...spec } = first.spec;
  const { currentCPUUtilizationPercentage: current, ...status } = first.status;
  const annotations = first.metadata.annotations ?? {};
  const others = parsed<unknown[]>(annotations[notes.metrics])?.map(fromFirstMetric) ?? [];
  const metrics = [...others, ...(target === undefined ? [] : [cpuMetric(target)])];
  const behavior = fromInternalBehavior(inGoNames(parsed<InternalBehavior>(annotations[notes.behavior])));
  const statuses = parsed<unknown[]>(annotations[notes.current])?.map(fromFirstStatus) ?? cpuStatus(current);
  const conditions = parsed<Draft<NonNullable<Autoscaler["status"]["conditions"]>>>(annotations[notes.conditions]);
  const object = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: withoutNotes(first.metadata),
    spec: {
      ...spec,
      metrics: metrics.length === 0 ? [cpuMetric(defaultUtilization)] : metrics,
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: { ...status, currentMetrics: statuses, ...(conditions === undefined ? {} : { conditions }) },
  };
  return object as Draft<Autoscaler>;
}

function cpuStatus(current: number | undefined): unknown {
  if (current === undefined) return null;
  return [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } }];
}

/** Parses the JSON of an annotation; invalid JSON is ignored. */
function parsed<T>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

function withoutNotes(metadata: Draft<First>["metadata"]): Draft<First>["metadata"] {
  if (metadata.annotations === undefined) return metadata;
  const all = new Set<string>(Object.values(notes));
  const entries = Object.entries(metadata.annotations).filter(([key]) => !all.has(key));
  if (entries.length > 0) return { ...metadata, annotations: Object.fromEntries(entries) };
  const { annotations: _, ...rest } = metadata;
  return rest;
}

function fromHub({ metadata, spec, status: known }: Draft<Autoscaler>): AnyDraft {
  // An object that was decoded but never stored may not have a status.
  const status = (known ?? {}) as Draft<Autoscaler>["status"];
  const { metrics = [], behavior: _b, ...kept } = spec;
  const { currentMetrics, conditions: _c, ...shown } = status;
  const wanted = metrics.find(isCpuUtilization)?.resource?.target.averageUtilization;
  const used = (currentMetrics ?? []).findLast(({ resource }) => resource?.name === "cpu")?.resource?.current
    .averageUtilization;
  const object = {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: annotated(withoutNotes(metadata), notesOf(spec, status)),
    spec: { ...kept, ...(wanted === undefined ? {} : { targetCPUUtilizationPercentage: wanted }) },
    status: {
      currentReplicas: 0,
      ...shown,
      ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }),
    },
  };
  return object as AnyDraft;
}

function notesOf(
  { metrics = [], behavior }: Draft<Autoscaler>["spec"],
  { currentMetrics, conditions }: Draft<Autoscaler>["status"],
): Record<string, string> {
  const others = metrics.filter((metric) => !isCpuUtilization(metric)).map(toFirstMetric);
  const current = (currentMetrics ?? []).map(toFirstStatus);
  const known = (conditions ?? []).map(inOrder);
  return {
    ...(others.length > 0 ? { [notes.metrics]: toGoJson(others) } : {}),
    ...(current.length > 0 ? { [notes.current]: toGoJson(current) } : {}),
    ...(behavior === undefined ? {} : { [notes.behavior]: toGoJson(toInternalBehavior(behavior)) }),
    ...(known.length > 0 ? { [notes.conditions]: toGoJson(known) } : {}),
  };
}

function annotated(metadata: Draft<First>["metadata"], added: Record<string, string>): Draft<First>["metadata"] {
  if (Object.keys(added).length === 0) return metadata;
  const all = Object.entries({ ...metadata.annotations, ...added }).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...metadata, annotations: Object.fromEntries(all) };
}

type Conditions = NonNullable<Autoscaler["status"]["conditions"]>;

function inOrder({ type, status, lastTransitionTime, reason, message }: Draft<Conditions[number]>): object {
  return {
    type,
    status,
    lastTransitionTime: lastTransitionTime ?? null,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

interface InternalRules {
  readonly StabilizationWindowSeconds?: number | null;
  readonly SelectPolicy?: string | null;
  readonly Policies?: readonly { Type: string; Value: number; PeriodSeconds: number }[] | null;
  readonly Tolerance?: string | null;
}

interface InternalBehavior {
  readonly ScaleUp?: InternalRules | null;
  readonly ScaleDown?: InternalRules | null;
}

const fieldNames =
  "ScaleUp ScaleDown StabilizationWindowSeconds SelectPolicy Policies Tolerance Type Value PeriodSeconds".split(" ");
const goNames = new Map(fieldNames.map((name) => [name.toLowerCase(), name]));

/** Go's decoder matches field names case-insensitively, so annotations with the field names of v2 work as well. */
function inGoNames<Value>(value: Value): Value {
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [goNames.get(key.toLowerCase()) ?? key, one]));
  });
  return value === undefined ? value : (JSON.parse(text) as Value);
}

function toInternalBehavior({ scaleUp, scaleDown }: Behavior): InternalBehavior {
  return { ScaleUp: toInternalRules(scaleUp), ScaleDown: toInternalRules(scaleDown) };
}

function toInternalRules(rules: HPAScalingRules | undefined): InternalRules | null {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies:
      rules.policies?.map(({ type, value, periodSeconds }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
    Tolerance: rules.tolerance ?? null,
  };
}

function fromInternalBehavior(behavior: InternalBehavior | undefined): Behavior | undefined {
  const scaleUp = fromInternalRules(behavior?.ScaleUp);
  const scaleDown = fromInternalRules(behavior?.ScaleDown);
  if (scaleUp === undefined && scaleDown === undefined) return undefined;
  return { ...(scaleUp === undefined ? {} : { scaleUp }), ...(scaleDown === undefined ? {} : { scaleDown }) };
}

function fromInternalRules(rules: InternalRules | null | undefined): HPAScalingRules | undefined {
  if (rules === undefined || rules === null) return undefined;
  const { StabilizationWindowSeconds: window, SelectPolicy: select, Policies: policies, Tolerance: tolerance } = rules;
  return {
    ...(typeof window === "number" ? { stabilizationWindowSeconds: window } : {}),
    ...(typeof select === "string" ? { selectPolicy: select } : {}),
    ...(policies
      ? {
          policies: policies.map(({ Type, Value, PeriodSeconds }) => ({
            type: Type,
            value: Value,
            periodSeconds: PeriodSeconds,
          })),
        }
      : {}),
    ...(typeof tolerance === "string" ? { tolerance } : {}),
  };
}
