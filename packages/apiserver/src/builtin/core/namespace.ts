/** Namespace: a scope for objects. It is removed after its content. */
import type { Namespace } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import { isEmpty } from "../meta/checks.ts";
import { checkFinalizerName } from "../meta/finalizers.ts";
import { checkChangedMetadata, checkClusterScoped } from "../meta/metadata.ts";
import { keepField, statusView } from "../meta/status.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";

const nameLabel = "kubernetes.io/metadata.name";
const kubernetesFinalizer = "kubernetes";

export const namespaceRules: KindRules<Namespace> = defineRules<Namespace>({
  name: "dns-label",
  defaults(draft) {
    if (!isEmpty(draft.metadata.name)) labelWithName(draft);
    draft.status ??= {};
    if (isEmpty(draft.status.phase)) draft.status.phase = "Active";
  },
  prepareForCreate(draft) {
    draft.status = { phase: "Active" };
    draft.spec ??= {};
    const finalizers = draft.spec.finalizers ?? [];
    if (!finalizers.includes(kubernetesFinalizer)) draft.spec.finalizers = [...finalizers, kubernetesFinalizer];
  },
  prepareForUpdate(draft, old) {
    keepFinalizers(draft, old);
    keepField(draft, old, "status");
  },
  validateCreate: (namespace) => [...checkClusterScoped(namespace, "dns-label"), ...checkSpecFinalizers(namespace)],
  validatesMetadata: true,
  validateUpdate: (namespace, old) => [
    ...checkClusterScoped(namespace, "dns-label"),
    ...checkSpecFinalizers(namespace),
    ...checkChangedMetadata(namespace, old),
  ],
  canonicalize: labelWithName,
  resetFields: ["status"],
  selectsByNamespace: false,
  fields: { "status.phase": ({ status }) => status?.phase ?? "" },
  deletion: {
    begin(draft) {
      draft.status = { ...draft.status, phase: "Terminating" };
      // Namespaces wait for their content, not for a grace period: kube-apiserver does not set one.
      delete draft.metadata.deletionGracePeriodSeconds;
    },
    beginsItself: true,
    notOrphaned: "Foreground",
    stays: ({ spec }) => (spec?.finalizers ?? []).length > 0,
    returnsObject: true,
  },
  subresources: {
    status: statusView<Namespace>({
      validate: (namespace, old) => [...checkChangedMetadata(namespace, old), ...checkPhase(namespace)],
    }),
    finalize: {
      type: "view",
      resetFields: ["status"],
      prepareForUpdate: (draft, old) => keepField(draft, old, "status"),
      validateUpdate: (namespace, old) => [
        ...checkChangedMetadata(namespace, old),
        ...(namespace.spec?.finalizers ?? []).flatMap((name, index) =>
          checkFinalizerName(name, `spec.finalizers[${index}]`),
        ),
      ],
      removes: ({ spec }) => (spec?.finalizers ?? []).length === 0,
    },
  },
  table: {
    row: (namespace, now) => ({
      cells: [namespace.metadata.name ?? "", namespace.status?.phase ?? "", ageOf(namespace, now)],
    }),
  },
});

/** Adds the label `kubernetes.io/metadata.name`, so that a selector can match one namespace. */
function labelWithName({ metadata }: Draft<Namespace>): void {
  metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name ?? "" };
}

function keepFinalizers(draft: Draft<Namespace>, { spec }: Namespace): void {
  draft.spec ??= {};
  if (spec?.finalizers === undefined) delete draft.spec.finalizers;
  else draft.spec.finalizers = [...spec.finalizers];
}

function checkSpecFinalizers({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((name) => checkFinalizerName(name, "spec.finalizers"));
}

function checkPhase({ metadata, status }: Namespace): FieldError[] {
  const phase = status?.phase ?? "";
  const isDeleting = metadata.deletionTimestamp !== undefined;
  if (phase === (isDeleting ? "Terminating" : "Active")) return [];
  const why = isDeleting
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [fieldErrors.invalid("status.Phase", phase, why)];
}
