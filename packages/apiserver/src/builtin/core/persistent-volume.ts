/** PersistentVolume: storage with a lifecycle independent of pods. */
import type { NodeSelectorTerm, PersistentVolume, PersistentVolumeSpec } from "@capstan/kinds/v1";
import { fieldErrors, isDeepEqual, parseQuantity, quantityToInteger, type FieldError } from "@capstan/model";
import type { RuleContext } from "../context.ts";
import type { Draft } from "../draft.ts";
import { givenOrNull } from "../given-empty.ts";
import { onlyCommonFields } from "../meta/field-labels.ts";
import { checkOneOf, checkSamePointer, checkSubdomain, isEmpty } from "../meta/checks.ts";
import { internalDiff, toInternal } from "../meta/internal-form.ts";
import { checkChangedMetadata, checkClusterScoped } from "../meta/metadata.ts";
import { compareTexts, roundQuantities } from "../meta/resource-list.ts";
import { keepField, statusView } from "../meta/status.ts";
import { checkAccessModes, checkVolumeMode } from "../pod-template/claim-spec.ts";
import { defaultAzureDisk, defaultIscsi, defaultRbd } from "../pod-template/volume-defaults.ts";
import { nodeTermWarnings } from "../pod-template/node-label-warnings.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkNodeSelector, hasInvalidNodeValue } from "../selector/node-selector.ts";
import { ageOf, orUnset } from "../table/cells.ts";
import { accessModesCell, classAnnotation } from "./storage-cells.ts";
import { checkVolumeSource, sourceOf, type SourceField } from "./persistent-volume-source.ts";

export const persistentVolumeRules: KindRules<PersistentVolume> = defineRules<PersistentVolume>({
  defaults: defaultVolume,
  prepareForCreate(draft, { now }) {
    draft.status = { phase: "Pending", lastPhaseTransitionTime: now };
  },
  prepareForUpdate: (draft, old) => keepField(draft, old, "status"),
  validateCreate: (volume) => [...checkClusterScoped(volume), ...checkVolume(volume), ...checkMountOptions(volume)],
  validatesMetadata: true,
  validateUpdate: (volume, old) => [
    ...checkClusterScoped(volume),
    ...checkVolume(volume, old),
    ...checkMountOptions(volume),
    ...checkClusterScoped(volume),
    ...checkVolume(volume, old),
    ...checkChange(volume, old),
  ],
  warnings: volumeWarnings,
  resetFields: ["status"],
  deletion: { returnsObject: true },
  unknownField: onlyCommonFields,
  subresources: {
    status: statusView<PersistentVolume>({ prepare: stampPhase, validate: checkChangedMetadata }),
  },
  table: {
    row: (volume, now) => ({ cells: cellsOf(volume, now) }),
  },
});

function defaultVolume(draft: Draft<PersistentVolume>): void {
  draft.status ??= {};
  if (isEmpty(draft.status.phase)) draft.status.phase = "Pending";
  draft.spec ??= {};
  const { spec } = draft;
  if (isEmpty(spec.persistentVolumeReclaimPolicy)) spec.persistentVolumeReclaimPolicy = "Retain";
  spec.volumeMode ??= "Filesystem";
  defaultVolumeSource(spec);
}

/** Defaults of the source, also for inline volumes. */
export function defaultVolumeSource(spec: Draft<PersistentVolumeSpec>): void {
  roundQuantities(spec.capacity);
  if (spec.hostPath !== undefined) spec.hostPath.type ??= "";
  if (spec.iscsi !== undefined) defaultIscsi(spec.iscsi);
  if (spec.rbd !== undefined) defaultRbd(spec.rbd);
  if (spec.azureDisk !== undefined) defaultAzureDisk(spec.azureDisk);
  if (spec.scaleIO !== undefined) {
    if (isEmpty(spec.scaleIO.storageMode)) spec.scaleIO.storageMode = "ThinProvisioned";
    if (isEmpty(spec.scaleIO.fsType)) spec.scaleIO.fsType = "xfs";
  }
}

/** A new phase sets lastPhaseTransitionTime, unless the client sets it. */
function stampPhase(draft: Draft<PersistentVolume>, old: PersistentVolume, { now }: RuleContext): void {
  draft.status ??= {};
  const { status } = draft;
  const isSame = status.phase === old.status?.phase;
  const time = status.lastPhaseTransitionTime;
  if (isSame && time === undefined && old.status?.lastPhaseTransitionTime !== undefined) {
    status.lastPhaseTransitionTime = old.status.lastPhaseTransitionTime;
  }
  if (!isSame && (time === undefined || time === old.status?.lastPhaseTransitionTime)) {
    status.lastPhaseTransitionTime = now;
  }
}

function checkVolume({ spec = {}, metadata }: PersistentVolume, old?: PersistentVolume): FieldError[] {
  const path = "spec";
  const modes = spec.accessModes ?? [];
  const { nodeAffinity, volumeAttributesClassName: attributes } = spec;
  return [
    ...(modes.length > 0 ? [] : [fieldErrors.required(`${path}.accessModes`)]),
    ...checkAccessModes(modes, `${path}.accessModes`),
    ...checkCapacity(spec, `${path}.capacity`),
    ...(isEmpty(spec.persistentVolumeReclaimPolicy)
      ? []
      : checkOneOf(spec.persistentVolumeReclaimPolicy, `${path}.persistentVolumeReclaimPolicy`, [
          "Delete",
          "Recycle",
          "Retain",
        ])),
    ...(nodeAffinity === undefined ? [] : checkAffinity(nodeAffinity, old)),
    ...checkVolumeSource(spec, path, metadata.name ?? ""),
    ...checkRecycling(spec),
    ...(isEmpty(spec.storageClassName) ? [] : checkSubdomain(spec.storageClassName, `${path}.storageClassName`)),
    ...checkVolumeMode(spec.volumeMode, `${path}.volumeMode`),
    ...(attributes === undefined ? [] : checkAttributesClass(attributes, spec)),
  ];
}

function checkCapacity(spec: PersistentVolumeSpec, path: string): FieldError[] {
  const { capacity = {} } = spec;
  const names = Object.keys(capacity);
  return [
    ...(names.length > 0 ? [] : [fieldErrors.required(path)]),
    ...(names.length === 1 && "storage" in capacity
      ? []
      : [fieldErrors.notSupported(path, names.length === 0 ? givenOrNull(spec, "capacity") : capacity, ["storage"])]),
    ...Object.entries(capacity).flatMap(([name, amount]) => [
      ...checkWholeAmount(amount, `${path}[${name}]`),
      ...(compareTexts(amount, "0") > 0
        ? []
        : [fieldErrors.invalid(`${path}[${name}]`, amount, "must be greater than zero")]),
    ]),
  ];
}

/** Requires an amount that is not negative; the error shows it as a number. */
export function checkWholeAmount(amount: string, path: string): FieldError[] {
  const value = quantityToInteger(parseQuantity(amount));
  return value < 0n ? [fieldErrors.invalid(path, Number(value), "must be a valid resource quantity")] : [];
}

function checkAffinity(
  { required }: NonNullable<PersistentVolumeSpec["nodeAffinity"]>,
  old: PersistentVolume | undefined,
): FieldError[] {
  const path = "spec.nodeAffinity.required";
  if (required === undefined) return [fieldErrors.required(path, "must specify required node constraints")];
  return checkNodeSelector(required, path, hasInvalidNodeValue(old?.spec?.nodeAffinity?.required));
}

/** Whether a path is `/`, also with repeated slashes and dots. */
function isRoot(path: string): boolean {
  return path.startsWith("/") && path.split("/").every((part) => part === "" || part === ".");
}

function checkRecycling({ hostPath, persistentVolumeReclaimPolicy: policy }: PersistentVolumeSpec): FieldError[] {
  if (policy !== "Recycle" || hostPath === undefined || !isRoot(hostPath.path)) return [];
  const why = "may not be 'recycle' for a hostPath mount of '/'";
  return [fieldErrors.forbidden("spec.persistentVolumeReclaimPolicy", why)];
}

function checkAttributesClass(name: string, { csi }: PersistentVolumeSpec): FieldError[] {
  const path = "spec.volumeAttributesClassName";
  return [
    ...(name === "" ? [fieldErrors.required(path, "an empty string is disallowed")] : checkSubdomain(name, path)),
    ...(csi === undefined
      ? [fieldErrors.required("spec.csi", "has to be specified when using volumeAttributesClassName")]
      : []),
  ];
}

const mountable = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const;
const mountOptions = "volume.beta.kubernetes.io/mount-options";

function checkMountOptions({ metadata, spec }: PersistentVolume): FieldError[] {
  if (metadata.annotations?.[mountOptions] === undefined) return [];
  if (mountable.some((field) => spec?.[field] !== undefined)) return [];
  const why = "may not specify mount options for this volume type";
  return [fieldErrors.forbidden(`metadata.annotations.${mountOptions}`, why)];
}

function checkChange(volume: PersistentVolume, old: PersistentVolume): FieldError[] {
  const before = sourceOf(old.spec ?? {});
  const after = withoutNewExpandSecret(sourceOf(volume.spec ?? {}), old);
  const attributes = volume.spec?.volumeAttributesClassName;
  return [
    ...(isDeepEqual(before, after)
      ? []
      : [
          fieldErrors.forbidden(
            "spec.persistentvolumesource",
            `spec.persistentvolumesource is immutable after creation\n${internalDiff("PersistentVolumeSource", before, after)}`,
          ),
        ]),
    ...checkSamePointer(volume.spec?.volumeMode, old.spec?.volumeMode, "volumeMode"),
    ...checkKeptAffinity(volume.spec ?? {}, old.spec ?? {}),
    ...(old.spec?.volumeAttributesClassName !== undefined && attributes === undefined
      ? [fieldErrors.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden")]
      : []),
  ];
}

/** controllerExpandSecretRef may be added to a source later; everything else is immutable. */
function withoutNewExpandSecret(source: PersistentVolumeSpec, { spec: old }: PersistentVolume): PersistentVolumeSpec {
  if (source.csi === undefined || old?.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) {
    return source;
  }
  const { controllerExpandSecretRef: _added, ...csi } = source.csi;
  return { ...source, csi };
}

const newLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

function checkKeptAffinity(
  { nodeAffinity: now }: PersistentVolumeSpec,
  { nodeAffinity: old }: PersistentVolumeSpec,
): FieldError[] {
  if (old === undefined) return [];
  const terms = now?.required?.nodeSelectorTerms ?? [];
  const oldTerms = (old.required?.nodeSelectorTerms ?? []).map((term, index) => renewLabels(term, terms[index]));
  const renewed = old.required === undefined ? old : { required: { nodeSelectorTerms: oldTerms } };
  if (isDeepEqual(now, renewed)) return [];
  const shown = now === undefined ? null : toInternal("VolumeNodeAffinity", now);
  return [fieldErrors.invalid("nodeAffinity", shown, "field is immutable, except for updating from beta label to GA")];
}

function renewLabels(term: NodeSelectorTerm, wanted: NodeSelectorTerm | undefined): NodeSelectorTerm {
  if (term.matchExpressions === undefined) return term;
  const matchExpressions = term.matchExpressions.map((expression, index) => {
    const key = Object.hasOwn(newLabels, expression.key) ? newLabels[expression.key] : undefined;
    return key !== undefined && wanted?.matchExpressions?.[index]?.key === key ? { ...expression, key } : expression;
  });
  return { ...term, matchExpressions };
}

const deprecatedAnnotations: readonly (readonly [string, string])[] = [
  [classAnnotation, 'deprecated since v1.8; use "storageClassName" attribute instead'],
  [mountOptions, 'deprecated since v1.31; use "mountOptions" attribute instead'],
];
const deprecatedSources: readonly (readonly [SourceField, string, string])[] = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function volumeWarnings({ metadata, spec = {} }: PersistentVolume): string[] {
  return [
    ...deprecatedAnnotations
      .filter(([key]) => metadata.annotations?.[key] !== undefined)
      .map(([key, why]) => `metadata.annotations[${key}]: ${why}`),
    ...(spec.persistentVolumeReclaimPolicy === "Recycle"
      ? [
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
        ]
      : []),
    ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      nodeTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, false),
    ),
    ...deprecatedSources
      .filter(([field]) => spec[field] !== undefined)
      .map(([, shown, why]) => `spec.${shown}: ${why}`),
  ];
}

function cellsOf(volume: PersistentVolume, now: number): string[] {
  const { metadata, spec = {}, status = {} } = volume;
  return [
    metadata.name ?? "",
    spec.capacity?.["storage"] ?? "0",
    accessModesCell(spec.accessModes ?? []),
    spec.persistentVolumeReclaimPolicy ?? "",
    metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
    claimCell(spec),
    metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "",
    orUnset(spec.volumeAttributesClassName),
    status.reason ?? "",
    ageOf(volume, now),
    orUnset(spec.volumeMode),
  ];
}

function claimCell({ claimRef }: PersistentVolumeSpec): string {
  return claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`;
}
