/** StatefulSet: pods with stable names, an order and their own volumes. */
import type {
  StatefulSet as StatefulSetObject,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from "@capstan/kinds/apps/v1";
import type { PersistentVolumeClaim, PodTemplateSpec, Volume } from "@capstan/kinds/v1";
import { fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkAnnotations, checkLabels } from "../../metadata/check.ts";
import { scaleOf } from "../autoscaling/scale.ts";
import type { Draft } from "../draft.ts";
import {
  checkAtMostWhole,
  checkIntOrPercent,
  checkLabelName,
  checkNonNegative,
  checkOneOf,
  countOrPercentOf,
  isEmpty,
} from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { checkClaimSpec, claimSpecWarnings } from "../pod-template/claim-spec.ts";
import { defaultPodTemplate } from "../pod-template/defaults.ts";
import { checkPodTemplate, dropDisabledFields } from "../pod-template/template.ts";
import { defaultClaimSpec } from "../pod-template/volume-defaults.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf, containerCells } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import {
  checkCollisions,
  checkCounts,
  checkLasting,
  checkNotAbove,
  checkRequiredSelector,
  checkSelected,
  isAbsent,
  parsedSelector,
  selectorText,
  templateWarnings,
} from "./workload.ts";

type StatefulSet = Whole<StatefulSetObject>;

export const statefulSet: KindRules<StatefulSet> = defineRules<StatefulSet>({
  name: "dns-label",
  defaults: ({ spec }) => setDefaults(spec),
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
    dropMaxUnavailable(draft.spec);
    dropDisabledFields(draft.spec.template.spec);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    if (isAbsent(old.spec.updateStrategy?.rollingUpdate?.maxUnavailable)) dropMaxUnavailable(draft.spec);
    dropDisabledFields(draft.spec.template.spec, old.spec.template.spec);
    bumpGeneration(draft, old);
  },
  validateCreate: ({ spec }) => checkSpec(spec, { checksNames: true, checksTemplate: true }),
  validateUpdate: ({ spec }, old) => {
    const wasSound = checkSpec(old.spec, { checksNames: false, checksTemplate: true, old: old.spec }).length === 0;
    return [
      ...checkSpec(spec, { checksNames: false, checksTemplate: wasSound, old: old.spec }),
      ...checkFixed(spec, old.spec),
    ];
  },
  warnings: (object, old) => [
    ...templateWarnings(object, old),
    ...specWarnings(object.spec, old === undefined ? "" : ".Spec"),
  ],
  subresources: {
    status: statusView<StatefulSet>({
      validate: ({ status }, old) => [...checkStatus(status), ...checkCollisions(status, old.status)],
    }),
    scale: scaleOf<StatefulSet>(({ spec }) => selectorText(spec.selector)),
  },
  table: {
    row: (object, now) => {
      const { metadata, spec, status } = object;
      return {
        cells: [
          metadata.name,
          `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
          ageOf(object, now),
          ...containerCells(spec.template.spec?.containers ?? []),
        ],
      };
    },
  },
});

/** `place` is appended to the path of a claim: on update kube-apiserver names a path that differs from the JSON field. */
function specWarnings(
  { volumeClaimTemplates = [], revisionHistoryLimit = 0 }: StatefulSetSpec,
  place: string,
): string[] {
  const history =
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";
  return [
    ...volumeClaimTemplates.flatMap(({ spec = {} }, index) =>
      claimSpecWarnings(spec, `spec.volumeClaimTemplates[${index}]${place}`),
    ),
    ...(revisionHistoryLimit < 0 ? [history] : []),
  ];
}

function setDefaults(spec: Draft<StatefulSetSpec>): void {
  if (isEmpty(spec.podManagementPolicy)) spec.podManagementPolicy = "OrderedReady";
  const strategy = (spec.updateStrategy ??= {});
  if (isEmpty(strategy.type)) {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === "RollingUpdate" && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  if (isEmpty(retention.whenDeleted)) retention.whenDeleted = "Retain";
  if (isEmpty(retention.whenScaled)) retention.whenScaled = "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) defaultClaim(claim);
}

function defaultClaim(claim: Draft<PersistentVolumeClaim>): void {
  claim.apiVersion = "v1";
  claim.kind = "PersistentVolumeClaim";
  if (claim.spec !== undefined) defaultClaimSpec(claim.spec);
  claim.status ??= {};
  if (isEmpty(claim.status.phase)) claim.status.phase = "Pending";
}

/** Drops `maxUnavailable`, which belongs to a feature gate that is off by default. */
function dropMaxUnavailable({ updateStrategy }: Draft<StatefulSetSpec>): void {
  if (updateStrategy?.rollingUpdate) delete updateStrategy.rollingUpdate.maxUnavailable;
}

interface Strictness {
  /** Immutable fields are checked on create only. */
  readonly checksNames: boolean;
  /** False if the stored template is already invalid. */
  readonly checksTemplate: boolean;
  readonly old?: StatefulSetSpec;
}

function checkSpec(spec: StatefulSetSpec, strictness: Strictness): FieldError[] {
  const { checksNames } = strictness;
  return [
    ...checkManagement(spec.podManagementPolicy),
    ...checkUpdateStrategy(spec.updateStrategy ?? {}, "spec.updateStrategy"),
    ...checkRetention(spec.persistentVolumeClaimRetentionPolicy, "spec.persistentVolumeClaimRetentionPolicy"),
    ...(checksNames ? checkClaims(spec.volumeClaimTemplates ?? []) : []),
    ...checkNonNegative(spec.replicas, "spec.replicas"),
    ...checkNonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...checkNonNegative(spec.ordinals?.start, "spec.ordinals.start"),
    ...(checksNames && !isEmpty(spec.serviceName) ? checkLabelName(spec.serviceName, "spec.serviceName") : []),
    ...checkRequiredSelector(spec.selector, "spec.selector", "statefulset"),
    ...checkTemplate(spec, strictness),
    ...checkLasting(spec.template, "spec.template", "StatefulSet"),
  ];
}

function checkManagement(policy: string | undefined): FieldError[] {
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  const shown = fieldErrors.named(policy ?? "");
  return [fieldErrors.invalid("spec.podManagementPolicy", shown, "must be 'OrderedReady' or 'Parallel'")];
}

function checkUpdateStrategy(strategy: StatefulSetUpdateStrategy, path: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  switch (type) {
    case "OnDelete":
      if (isAbsent(rollingUpdate)) return [];
      return [
        fieldErrors.invalid(
          `${path}.rollingUpdate`,
          internalRollingUpdate(rollingUpdate),
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      ];
    case "RollingUpdate":
      return isAbsent(rollingUpdate) ? [] : checkRollingUpdate(rollingUpdate, `${path}.rollingUpdate`);
    default: {
      const shown = {
        Type: type,
        RollingUpdate: isAbsent(rollingUpdate) ? null : internalRollingUpdate(rollingUpdate),
      };
      return [fieldErrors.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}

type RollingUpdate = NonNullable<StatefulSetUpdateStrategy["rollingUpdate"]>;

function internalRollingUpdate({ partition = 0, maxUnavailable }: RollingUpdate): object {
  return { Partition: partition, MaxUnavailable: maxUnavailable ?? null };
}

function checkRollingUpdate({ partition, maxUnavailable }: RollingUpdate, path: string): FieldError[] {
  const errors = checkNonNegative(partition, `${path}.partition`);
  if (maxUnavailable === undefined) return errors;
  const at = `${path}.maxUnavailable`;
  return [
    ...errors,
    ...checkIntOrPercent(maxUnavailable, at),
    ...(countOrPercentOf(maxUnavailable) === 0 ? [fieldErrors.invalid(at, maxUnavailable, "cannot be 0")] : []),
    ...checkAtMostWhole(maxUnavailable, at),
  ];
}

function checkRetention(policy: StatefulSetSpec["persistentVolumeClaimRetentionPolicy"], path: string): FieldError[] {
  if (policy === undefined) return [];
  return [
    ...checkOneOf(policy.whenDeleted, `${path}.whenDeleted`, ["Retain", "Delete"]),
    ...checkOneOf(policy.whenScaled, `${path}.whenScaled`, ["Retain", "Delete"]),
  ];
}

function checkClaims(claims: NonNullable<StatefulSetSpec["volumeClaimTemplates"]>): FieldError[] {
  return claims.flatMap(({ spec = {} }, index) => checkClaimSpec(spec, `spec.volumeClaimTemplates[${index}].spec`));
}

function checkTemplate(spec: StatefulSetSpec, { checksTemplate, old }: Strictness): FieldError[] {
  const path = "spec.template";
  const selector = parsedSelector(spec.selector);
  if (selector === undefined) return [fieldErrors.invalid("spec.selector", spec.selector, "")];
  const template = asRun(spec);
  const { labels, annotations } = template.metadata ?? {};
  return [
    ...checkSelected(selector, template, path),
    ...(checksTemplate ? checkPodTemplate(template, path, old?.template) : []),
    ...checkLabels(labels, `${path}.labels`),
    ...checkAnnotations(annotations, `${path}.annotations`),
  ];
}

/** The template as pods get it: without hostname and subdomain, which the controller sets, and with the claims as volumes. */
function asRun({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  if (template.spec === undefined) return template;
  const { subdomain: _, hostname: __, ...spec } = template.spec;
  const claimed = new Map(volumeClaimTemplates.map(({ metadata }) => [metadata?.name ?? "", toVolume(metadata?.name)]));
  const others = (spec.volumes ?? []).filter(({ name }) => !claimed.has(name));
  const volumes = [...claimed.values(), ...others];
  return { ...template, spec: volumes.length === 0 ? spec : { ...spec, volumes } };
}

function toVolume(name = ""): Volume {
  return { name, persistentVolumeClaim: { claimName: name } };
}

const changeable = new Set([
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
]);

function checkFixed(spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] {
  const fixed = (from: StatefulSetSpec): object =>
    Object.fromEntries(Object.entries(from).filter(([field]) => !changeable.has(field)));
  if (isDeepEqual(fixed(spec), fixed(old))) return [];
  const why =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return [fieldErrors.forbidden("spec", why)];
}

function checkStatus(status: StatefulSet["status"]): FieldError[] {
  return [
    ...checkCounts(status, [
      "replicas",
      "readyReplicas",
      "currentReplicas",
      "updatedReplicas",
      "availableReplicas",
      "observedGeneration",
      "collisionCount",
    ]),
    ...checkNotAbove(status, ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"], {
      limit: "replicas",
      named: "status.replicas",
    }),
    ...checkNotAbove(status, ["availableReplicas"], { limit: "readyReplicas", named: "status.readyReplicas" }),
  ];
}
