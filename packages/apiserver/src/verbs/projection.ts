/** Projections: another kind that is read from and written into an object. Scale is one. */
import { apiErrors, cloneJson, formatApiVersion, StatusError, toFailure, type KubeObject } from "@capstan/model";
import { builtInDefinitions, definitionNameOf } from "@capstan/kinds";
import { patchTypeFromOpenApi, toScaleFields, type FieldPath, type JsonObject } from "@capstan/patch";
import type { Answer } from "../answer.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import type { ProjectionRules } from "../builtin/rules.ts";
import { headerOf } from "../call.ts";
import { readObject } from "../decode/object.ts";
import { respondProjection } from "../encode/scale-table.ts";
import type { ResourceExchange } from "../exchange.ts";
import { ensureNamespace } from "../metadata/system-fields.ts";
import { findEntry } from "./get.ts";
import { managerOf, parseWriteOptions, type WriteOptions } from "./options.ts";
import { readApplied } from "./apply-configuration.ts";
import { isApply } from "./patch-kind.ts";
import { patchDocument } from "./patched-document.ts";
import { checkName } from "./update.ts";
import { write } from "./write.ts";

/** Answers a GET of a projection. */
export async function getProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  return respondProjection(exchange, rules.read(findEntry(exchange).object));
}

/** Answers a PUT of a projection. */
export async function updateProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  const { query, subresource, resource } = exchange;
  const options = parseWriteOptions(query, "UpdateOptions");
  const codec = subresource?.codec ?? resource.codec;
  const body = await readObject(exchange, { ...rules.kind, codec }, options.fieldValidation);
  checkName(body.metadata.name ?? "", exchange.info.name);
  ensureNamespace(body, exchange.info.namespace);
  return writeProjection(exchange, rules, { options, projected: () => body, uid: body.metadata.uid ?? "" });
}

/** Answers a PATCH of a projection. */
export async function patchProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  if (isApply(exchange)) return applyProjection(exchange, rules);
  const options = parseWriteOptions(exchange.query, "PatchOptions");
  const codec = exchange.subresource?.codec ?? exchange.resource.codec;
  const type = patchTypeFromOpenApi(builtInDefinitions(), definitionNameOf(rules.kind) ?? "");
  const change = await patchDocument(exchange, options, { type, codec });
  return writeProjection(exchange, rules, { options, projected: (live) => change(withOwners(rules, live)), uid: "" });
}

/** Applies a projection: what it sets is owned through the subresource by who applies it. */
async function applyProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  const { info, context, subresource, resource, query, call } = exchange;
  const options = parseWriteOptions(query, "PatchOptions", true);
  const text = Buffer.from(await call.body()).toString("utf8");
  const codec = subresource?.codec ?? resource.codec;
  const configured = readApplied(text, undefined);
  const origin = { manager: options.fieldManager, time: context.now, force: options.force === true };
  const { object } = await write(exchange, {
    name: info.name,
    options,
    createsMissing: false,
    uid: "",
    change(live) {
      const manager = subresource?.fieldManager;
      if (live === undefined) throw apiErrors.notFound(resource.qualified, info.name);
      if (manager === undefined || (resource.isCustom && !isOwned(rules, live))) throw unmanageable(rules);
      checkAppliedKind(rules, configured);
      const body = codec.decode(configured as never, undefined, "values");
      const { apiVersion, kind, metadata } = live;
      const configuration = {
        apiVersion,
        kind,
        metadata: { name: metadata.name, namespace: metadata.namespace },
        spec: {},
      };
      rules.write(body, configuration as never);
      const errors = rules.validate?.({ ...body, metadata: baseOf(rules, live).metadata }, context) ?? [];
      if (errors.length > 0) throw apiErrors.invalid(rules.kind, info.name, errors);
      const draft = resource.codec.decode(manager.apply(live, configuration as never, origin) as never, undefined);
      resource.codec.defaults(draft);
      return timeless(draft, info.subresource);
    },
  });
  return respondProjection(exchange, rules.read(object));
}

/** Only the projection itself can be applied to it. */
function checkAppliedKind({ kind: { group, version, kind } }: ProjectionRules, configured: JsonObject): void {
  if (configured["apiVersion"] === formatApiVersion({ group, version }) && configured["kind"] === kind) return;
  const [apiVersion, given] = [textOf(configured["apiVersion"]), textOf(configured["kind"])];
  const [head, tail] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  throw apiErrors.badRequest(`invalid object type: ${head}/${tail}, Kind=${given}`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The projection with the owners of what it writes, as patches see it. */
function withOwners(rules: ProjectionRules, live: KubeObject): KubeObject {
  const base = baseOf(rules, live);
  const path = (rules.field ?? ["spec", "replicas"]).map((part) => `f:${part}`) as FieldPath;
  const managedFields = toScaleFields(live.metadata.managedFields ?? [], { [live.apiVersion]: path });
  return managedFields.length === 0 ? base : { ...base, metadata: { ...base.metadata, managedFields } };
}

function baseOf(rules: ProjectionRules, live: KubeObject): KubeObject {
  return rules.base?.(live) ?? rules.read(live);
}

interface ProjectionWrite {
  readonly options: WriteOptions;
  /** The projection as it should be, given the object. */
  readonly projected: (live: KubeObject) => AnyDraft;
  /** A uid that the object must have; empty for any. */
  readonly uid: string;
}

async function writeProjection(
  exchange: ResourceExchange,
  rules: ProjectionRules,
  { options, projected, uid }: ProjectionWrite,
): Promise<Answer> {
  const { info, context, subresource, call, resource } = exchange;
  const origin = { manager: managerOf(options.fieldManager, headerOf(call, "user-agent") ?? ""), time: context.now };
  const { object } = await write(exchange, {
    name: info.name,
    options,
    createsMissing: false,
    uid,
    change(live) {
      if (live === undefined) throw apiErrors.notFound(resource.qualified, info.name);
      const body = projected(live);
      const errors = rules.validate?.(body, context) ?? [];
      if (errors.length > 0) throw apiErrors.invalid(rules.kind, info.name, errors);
      const draft = cloneJson(live);
      const asked = body.metadata.resourceVersion ?? "";
      // The scale of a custom object may be replaced without a version, though the object may not.
      if (asked !== "" || !resource.isCustom) draft.metadata.resourceVersion = asked;
      rules.write(body, draft);
      const manager = isOwned(rules, live) ? subresource?.fieldManager : undefined;
      return timeless(manager?.update(live, draft, origin) ?? draft, info.subresource);
    },
  });
  return respondProjection(exchange, rules.read(object));
}

/** Whether anybody owns what the projection writes: owners are told apart only from then on. */
function isOwned({ field = ["spec", "replicas"] }: ProjectionRules, { metadata }: KubeObject): boolean {
  return (metadata.managedFields ?? []).some(({ fieldsV1 }) => {
    let at: unknown = fieldsV1;
    for (const part of field) at = (at as { readonly [key: string]: unknown } | undefined)?.[`f:${part}`];
    return at !== undefined;
  });
}

/** The real server tries to see a custom object as a scale, and takes it for its own fault that it cannot. */
function unmanageable({ kind: { group, version, kind } }: ProjectionRules): StatusError {
  const scale = `${group}/${version}`;
  const why = `request to convert CR to an invalid group/version: ${scale}`;
  const message = `failed to create manager for existing fields: failed to convert live object (/; ${scale}, Kind=${kind}) to proper version: ${why}`;
  return new StatusError(toFailure({ code: 500, reason: "", message }));
}

/** Owners through a projection carry no time in the real server, and so come first. */
function timeless(draft: AnyDraft, subresource: string): AnyDraft {
  const { managedFields = [] } = draft.metadata;
  const owners = managedFields.filter((entry) => entry.subresource === subresource);
  if (owners.length === 0) return draft;
  const others = managedFields.filter((entry) => entry.subresource !== subresource);
  const stripped = owners.map(({ time: _time, ...entry }) => entry);
  return { ...draft, metadata: { ...draft.metadata, managedFields: [...stripped, ...others] } };
}
