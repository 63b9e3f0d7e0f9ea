/** VolumeAttachment: a request to attach a volume to a node. */
import type {
  VolumeAttachment as VolumeAttachmentObject,
  VolumeAttachmentSource,
  VolumeAttachmentStatus,
  VolumeError,
} from "@capstan/kinds/storage.k8s.io/v1";
import { byteLength, fieldErrors, isDeepEqual, rangeMessage, type FieldError } from "@capstan/model";
import { checkObjectMetadata } from "../../metadata/check.ts";
import { checkSubdomain } from "../meta/checks.ts";
import { toInternal } from "../meta/internal-form.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { checkDriverName } from "../pod-template/volume-sources.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { checkInlineVolume } from "./inline-volume.ts";
import { keepMetadata } from "./keep-metadata.ts";
import { defaultVolumeSource } from "../core/persistent-volume.ts";

type VolumeAttachment = Whole<VolumeAttachmentObject>;

const maxMetadataBytes = 256 * 1024;
const maxMessageBytes = 1024;
const maxCode = 2_147_483_647;

export const volumeAttachment: KindRules<VolumeAttachment> = defineRules<VolumeAttachment>({
  validatesMetadata: true,
  unconditionalUpdate: false,
  deletion: { returnsObject: true },
  defaults({ spec }) {
    const inline = spec?.source?.inlineVolumeSpec;
    if (inline !== undefined) defaultVolumeSource(inline);
  },
  prepareForCreate: (draft) => dropField(draft, "status"),
  prepareForUpdate: (draft, old) => keepField(draft, old, "status"),
  validateCreate: checkAttachment,
  validateUpdate: checkAttachmentUpdate,
  subresources: {
    status: statusView<VolumeAttachment>({
      resetFields: ["metadata", "spec"],
      prepare: keepMetadata,
      validate: checkAttachmentUpdate,
    }),
  },
  table: {
    row: (object, now) => {
      const { metadata, spec, status } = object;
      const volume = spec.source.persistentVolumeName ?? "";
      return { cells: [metadata.name, spec.attacher, volume, spec.nodeName, status.attached, ageOf(object, now)] };
    },
  },
});

function checkAttachmentUpdate(object: VolumeAttachment, old: VolumeAttachment): FieldError[] {
  return [
    ...checkAttachment(object),
    ...(isDeepEqual(object.spec, old.spec)
      ? []
      : [fieldErrors.invalid("spec", internalSpec(object), "field is immutable")]),
  ];
}

function internalSpec({ spec: { attacher, source, nodeName } }: VolumeAttachment): object {
  return {
    Attacher: attacher,
    Source: {
      PersistentVolumeName: source.persistentVolumeName ?? null,
      InlineVolumeSpec:
        source.inlineVolumeSpec === undefined ? null : toInternal("PersistentVolumeSpec", source.inlineVolumeSpec),
    },
    NodeName: nodeName,
  };
}

function checkAttachment(object: VolumeAttachment): FieldError[] {
  const { spec, status } = object;
  const { persistentVolumeName: volume } = spec.source;
  return [
    ...checkObjectMetadata(object, false, "dns-subdomain"),
    ...checkDriverName(spec.attacher, "spec.attacher"),
    ...checkSource(spec.source, "spec.source"),
    ...checkSubdomain(spec.nodeName, "spec.nodeName"),
    ...checkStatus(status ?? { attached: false }),
    ...(volume === undefined ? [] : checkSubdomain(volume, "spec.source.persistentVolumeName")),
  ];
}

function checkSource({ inlineVolumeSpec, persistentVolumeName }: VolumeAttachmentSource, path: string): FieldError[] {
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) return [fieldErrors.forbidden(path, one)];
  if (inlineVolumeSpec !== undefined) return checkInlineVolume(inlineVolumeSpec, `${path}.inlineVolumeSpec`);
  if (persistentVolumeName === undefined) return [fieldErrors.required(path, one)];
  if (persistentVolumeName !== "") return [];
  return [fieldErrors.required(`${path}.persistentVolumeName`, "must specify non empty persistentVolumeName")];
}

function checkStatus({ attachmentMetadata = {}, attachError, detachError }: VolumeAttachmentStatus): FieldError[] {
  const bytes = Object.entries(attachmentMetadata).reduce((sum, pair) => sum + byteLength(pair.join("")), 0);
  return [
    ...(bytes > maxMetadataBytes ? [fieldErrors.tooLong("status.attachmentMetadata", maxMetadataBytes)] : []),
    ...(attachError === undefined ? [] : checkError(attachError, "status.attachError")),
    ...(detachError === undefined ? [] : checkError(detachError, "status.detachError")),
  ];
}

function checkError({ message = "", errorCode = 0 }: VolumeError, path: string): FieldError[] {
  return [
    // kube-apiserver shows a limit that differs from the one it checks.
    ...(byteLength(message) > maxMessageBytes ? [fieldErrors.tooLong(`${path}.message`, maxMetadataBytes)] : []),
    ...(errorCode < 0 ? [fieldErrors.invalid(`${path}.errorCode`, errorCode, rangeMessage(0, maxCode))] : []),
  ];
}
