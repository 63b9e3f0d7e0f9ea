/** Preparation of a new pod before validation, and its warnings. */
import type { Container, Pod, PodAffinityTerm } from "@capstan/kinds/v1";
import { checkDns1123Label } from "@capstan/model";
import type { RuleContext } from "../context.ts";
import type { Draft } from "../draft.ts";
import { startGeneration } from "../meta/generation.ts";
import { appArmorPrefix } from "../pod-template/annotations.ts";
import { dropDisabledFields } from "../pod-template/template.ts";
import { podWarnings } from "../pod-template/warnings.ts";
import { setPodCondition } from "./pod-condition.ts";
import { qosClassOf } from "@capstan/model";

type DraftPod = Draft<Pod>;

/** A new pod is pending and gets its QoS class from its resources. */
export function preparePod(draft: DraftPod, context: RuleContext): void {
  startGeneration(draft);
  draft.status = { phase: "Pending", qosClass: draft.status?.qosClass ?? qosClassOf(draft.spec) };
  dropDisabledFields(draft.spec);
  markGated(draft, context);
  mergeLabelKeys(draft);
  takeAppArmorAnnotations(draft, context);
}

function markGated(draft: DraftPod, { now }: RuleContext): void {
  if ((draft.spec?.schedulingGates ?? []).length === 0) return;
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  setPodCondition((draft.status ??= {}), condition, now);
}

interface LabelKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  labelSelector?: Draft<NonNullable<PodAffinityTerm["labelSelector"]>>;
}

/** matchLabelKeys and mismatchLabelKeys become expressions of the selector, with values from the labels of the pod. */
function mergeLabelKeys({ spec, metadata }: DraftPod): void {
  const { affinity = {}, topologySpreadConstraints = [] } = spec ?? {};
  const terms = [affinity.podAffinity ?? {}, affinity.podAntiAffinity ?? {}].flatMap(
    ({
      preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
      requiredDuringSchedulingIgnoredDuringExecution: required = [],
    }): LabelKeys[] => [...preferred.map(({ podAffinityTerm }) => podAffinityTerm), ...required],
  );
  for (const keyed of [...terms, ...topologySpreadConstraints]) mergeInto(keyed, metadata.labels ?? {});
}

function mergeInto(
  { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: LabelKeys,
  labels: { readonly [key: string]: string },
): void {
  if (labelSelector === undefined) return;
  const add = (keys: readonly string[], operator: "In" | "NotIn"): void => {
    for (const key of keys) {
      const value = labels[key];
      if (value === undefined) continue;
      labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), { key, operator, values: [value] }];
    }
  };
  add(matchLabelKeys, "In");
  add(mismatchLabelKeys, "NotIn");
}

/** Copies AppArmor profiles from the deprecated annotations to the fields. */
function takeAppArmorAnnotations(draft: DraftPod, context: RuleContext): void {
  const { spec, metadata } = draft;
  if (spec === undefined || spec.os?.name === "windows") return;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const key = appArmorPrefix + container.name;
    const annotation = metadata.annotations?.[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) continue;
    const profile = profileOf(annotation);
    if (profile !== undefined && isSame(profile, spec.securityContext?.appArmorProfile)) continue;
    if (profile !== undefined) setProfile(container, profile);
    context.warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
}

type Profile = NonNullable<NonNullable<Draft<Container>["securityContext"]>["appArmorProfile"]>;

function profileOf(annotation: string): Profile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const localhostProfile = annotation.startsWith("localhost/") ? annotation.slice("localhost/".length) : "";
  const isUsable = localhostProfile !== "" && localhostProfile.trim() === localhostProfile;
  return isUsable ? { type: "Localhost", localhostProfile } : undefined;
}

function isSame(a: Profile, b: Profile | undefined): boolean {
  return a.type === b?.type && a.localhostProfile === b.localhostProfile;
}

function setProfile(container: Draft<Container>, profile: Profile): void {
  container.securityContext = { ...container.securityContext, appArmorProfile: profile };
}

/** Warnings on creation of a pod. */
export function createdPodWarnings({ metadata, spec = { containers: [] } }: Pod): string[] {
  const complaints = checkDns1123Label(metadata.name ?? "");
  return [
    ...(complaints.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(" ")}]`,
        ]),
    ...podWarnings(spec, metadata, ""),
  ];
}
