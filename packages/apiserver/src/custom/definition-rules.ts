/** The rules of CustomResourceDefinition itself. */
import { isDeepEqual, type Condition, type Json } from "@capstan/model";
import { crdWarnings, validateCustomResourceDefinition } from "@capstan/schema";
import type { Draft } from "../builtin/draft.ts";
import { defineRules, type KindRules } from "../builtin/rules.ts";
import { cleanupFinalizer, type Definition } from "./definition.ts";

/** Defaulting, validation, tables and deletion of definitions. */
export const definitionRules: KindRules = defineRules<Definition>({
  name: "path-segment",
  validatesMetadata: true,
  unconditionalUpdate: false,
  resetFields: ["status"],
  defaults(draft) {
    const { spec } = draft;
    if ((draft.status?.storedVersions ?? []).length === 0) rememberStorage(draft);
    if (spec?.names === undefined) return;
    const { names } = spec;
    if ((names.singular ?? "") === "") names.singular = (names.kind ?? "").toLowerCase();
    if ((names.listKind ?? "") === "" && (names.kind ?? "") !== "") names.listKind = `${names.kind}List`;
    spec.conversion ??= { strategy: "None" };
    defaultWebhook(spec.conversion.webhook as Draft<Json> | undefined);
  },
  prepareForCreate(draft) {
    draft.metadata.generation = 1;
    draft.status = { storedVersions: [] };
    rememberStorage(draft);
  },
  prepareForUpdate(draft, old) {
    draft.status = structuredStatus(old);
    rememberStorage(draft);
    if (!isDeepEqual(draft.spec, old.spec)) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validateCreate: (object) => validateCustomResourceDefinition(object as unknown as Json),
  validateUpdate: (object, old) => validateCustomResourceDefinition(object as unknown as Json, old as unknown as Json),
  warnings: (object, old) => crdWarnings(object as unknown as Json, old as unknown as Json | undefined),
  subresources: {
    status: {
      type: "view",
      resetFields: ["spec"],
      // Metadata can be changed here: kube-apiserver means to reset it, but assigns it to itself.
      prepareForUpdate(draft, old) {
        draft.spec = structuredClone(old.spec) as Draft<Definition>["spec"];
      },
    },
  },
  deletion: {
    returnsObject: true,
    beginsItself: true,
    stays: (object) => object.metadata.deletionTimestamp === undefined,
    begin(draft, { now }) {
      delete draft.metadata.deletionGracePeriodSeconds;
      if (draft.metadata.generation !== undefined) draft.metadata.generation -= 1;
      const finalizers = (draft.metadata.finalizers ??= []);
      if (!finalizers.includes(cleanupFinalizer)) finalizers.push(cleanupFinalizer);
      setTerminating(draft, now);
    },
  },
  table: {
    row: ({ metadata }) => ({ cells: [metadata.name ?? "", metadata.creationTimestamp ?? ""] }),
  },
});

function structuredStatus({ status }: Definition): NonNullable<Draft<Definition>["status"]> {
  return structuredClone(status ?? {}) as NonNullable<Draft<Definition>["status"]>;
}

/** `storedVersions` keeps a version while objects may be stored in it. */
function rememberStorage(draft: Draft<Definition>): void {
  const storage = draft.spec?.versions?.find((version) => version.storage)?.name;
  if (storage === undefined) return;
  const status = (draft.status ??= {});
  const stored = (status.storedVersions ??= []);
  if (!stored.includes(storage)) stored.push(storage);
}

function defaultWebhook(webhook: Draft<Json> | undefined): void {
  if (typeof webhook !== "object" || webhook === null || Array.isArray(webhook)) return;
  const config = (webhook as { clientConfig?: { service?: { port?: number } } }).clientConfig;
  if (config?.service !== undefined) config.service.port ??= 443;
}

function setTerminating(draft: Draft<Definition>, now: string): void {
  const status = (draft.status ??= {});
  const conditions = (status.conditions ??= []);
  if (conditions.some(({ type }) => type === "Terminating")) return;
  const condition: Condition = {
    type: "Terminating",
    status: "True",
    lastTransitionTime: now,
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  conditions.push({ ...condition });
}
