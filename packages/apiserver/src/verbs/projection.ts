/** Projections: another kind that is read from and written into an object, such as Scale. */
import { apiErrors, cloneJson, StatusError, type KubeObject } from "@capstan/model";
import { fromScaleFields, toScaleFields } from "@capstan/patch";
import type { Answer } from "../answer.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import { cloneDraft } from "../builtin/given-empty.ts";
import type { ProjectionRules } from "../builtin/rules.ts";
import { headerOf } from "../call.ts";
import { readObject } from "../decode/object.ts";
import { respondProjection } from "../encode/scale-table.ts";
import type { ResourceExchange } from "../exchange.ts";
import { ensureNamespace } from "../metadata/system-fields.ts";
import type { ServedSubresource } from "../resources/resource.ts";
import { findEntry } from "./get.ts";
import { managerOf, parseWriteOptions, type WriteOptions } from "./options.ts";
import { readChange } from "./patch.ts";
import { patchedProjection } from "./patched-kind.ts";
import { checkName } from "./update.ts";
import { write, type Change } from "./write.ts";

export interface ServedProjection extends ServedSubresource {
  readonly rules: ProjectionRules;
}

/** Serves a GET of a projection. */
export async function getProjection(exchange: ResourceExchange, { rules }: ServedProjection): Promise<Answer> {
  return respondProjection(exchange, rules.read(findEntry(exchange).object));
}

/** Serves a PUT of a projection. */
export async function updateProjection(exchange: ResourceExchange, projection: ServedProjection): Promise<Answer> {
  const { query, info, call, context } = exchange;
  const options = parseWriteOptions(query, "UpdateOptions");
  const body = await readProjection(exchange, projection, options);
  checkName(body.metadata.name ?? "", info.name);
  ensureNamespace(body, info.namespace);
  const origin = { manager: managerOf(options.fieldManager, headerOf(call, "user-agent") ?? ""), time: context.now };
  return writeProjection(exchange, projection, {
    options,
    change: (live) => projection.fieldManager?.update(live, cloneDraft(body), origin) ?? cloneDraft(body),
    uid: body.metadata.uid ?? "",
  });
}

async function readProjection(
  exchange: ResourceExchange,
  { kind, codec }: ServedProjection,
  { fieldValidation }: WriteOptions,
): Promise<AnyDraft> {
  try {
    return await readObject(exchange, { ...kind, codec }, fieldValidation);
  } catch (error) {
    // For custom kinds kube-apiserver cannot name the expected type, and reports that instead of the real error.
    if (!exchange.resource.isCustom || !(error instanceof StatusError) || error.status.code !== 400) throw error;
    const { version, kind: name } = kind;
    const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
    throw apiErrors.badRequest(`no kind is registered for the type ${version}.${name} ${scheme}`);
  }
}

/** Serves a PATCH of a projection. */
export async function patchProjection(exchange: ResourceExchange, projection: ServedProjection): Promise<Answer> {
  const { options, change } = await readChange(exchange, patchedProjection(exchange, projection));
  return writeProjection(exchange, projection, { options, change, uid: "" });
}

interface ProjectionWrite {
  readonly options: WriteOptions;
  /** Changes the projection; the change is then written into the object. */
  readonly change: Change;
  /** The required uid of the object; empty for any. */
  readonly uid: string;
}

async function writeProjection(
  exchange: ResourceExchange,
  { rules }: ServedProjection,
  { options, change, uid }: ProjectionWrite,
): Promise<Answer> {
  const { info, resource } = exchange;
  const { object } = await write(exchange, {
    name: info.name,
    options,
    createsMissing: false,
    uid,
    async change(live) {
      if (live === undefined) throw apiErrors.notFound(resource.qualified, info.name);
      return writeInto(exchange, rules, { live, projection: await change(withOwners(rules, live)) });
    },
  });
  // The response shows what was written, even if the object did not keep it.
  return respondProjection(exchange, rules.written?.(object) ?? rules.read(object));
}

/** The projection with the managed fields that it shows. */
function withOwners(rules: ProjectionRules, live: KubeObject): KubeObject {
  const base = rules.base?.(live) ?? rules.read(live);
  const managedFields = toScaleFields(live.metadata.managedFields ?? [], rules.fields);
  return managedFields.length === 0 ? base : { ...base, metadata: { ...base.metadata, managedFields } };
}

/** Writes the changed projection and its managed fields into the object. */
function writeInto(
  exchange: ResourceExchange,
  rules: ProjectionRules,
  { live, projection }: { readonly live: KubeObject; readonly projection: AnyDraft },
): AnyDraft {
  const { info, resource, context } = exchange;
  const errors = rules.validate?.(projection, context) ?? [];
  if (errors.length > 0) throw apiErrors.invalid(rules.kind, info.name, errors);
  checkUid(exchange, projection, live);
  const draft = cloneJson(live);
  const { resourceVersion = "", managedFields = [] } = projection.metadata;
  // The scale of a custom object may be replaced without a resourceVersion, although the object itself may not.
  if (resourceVersion !== "" || !resource.isCustom) draft.metadata.resourceVersion = resourceVersion;
  rules.write(projection, draft);
  const owners = { parent: live.metadata.managedFields ?? [], scale: managedFields };
  const owned = fromScaleFields({ ...owners, apiVersion: live.apiVersion, paths: rules.fields });
  const { managedFields: _, ...metadata } = draft.metadata;
  return { ...draft, metadata: owned.length === 0 ? metadata : { ...metadata, managedFields: owned } } as AnyDraft;
}

/** Only projections of built-in kinds check the uid here; the store checks those of custom kinds. */
function checkUid({ resource, info }: ResourceExchange, projection: AnyDraft, { metadata }: KubeObject): void {
  const { uid = "" } = projection.metadata;
  if (resource.isCustom || uid === "" || uid === metadata.uid) return;
  const qualified = { ...resource.qualified, resource: `${resource.resource}/${info.subresource}` };
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
  throw apiErrors.conflict(qualified, info.name, why);
}
