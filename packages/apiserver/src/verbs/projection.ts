/** Projections: another kind that is read from and written into an object. Scale is one. */
import { apiErrors, cloneJson, toGoJson, type KubeObject } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import type { ProjectionRules } from "../builtin/rules.ts";
import { headerOf } from "../call.ts";
import { readObject } from "../decode/object.ts";
import { respondJson } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import { findEntry } from "./get.ts";
import { managerOf, parseWriteOptions, type WriteOptions } from "./options.ts";
import { isApply, patchDocument, readApplied } from "./patch.ts";
import { checkName } from "./update.ts";
import { write } from "./write.ts";

/** Answers a GET of a projection. */
export async function getProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  return respondJson(200, toGoJson(rules.read(findEntry(exchange).object)), exchange.media);
}

/** Answers a PUT of a projection. */
export async function updateProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  const { query, subresource, resource } = exchange;
  const options = parseWriteOptions(query, "UpdateOptions");
  const codec = subresource?.codec ?? resource.codec;
  const body = await readObject(exchange, { ...rules.kind, codec }, options.fieldValidation);
  checkName(body.metadata.name ?? "", exchange.info.name);
  return writeProjection(exchange, rules, { options, projected: () => body });
}

/** Answers a PATCH of a projection. */
export async function patchProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  if (isApply(exchange)) return applyProjection(exchange, rules);
  const options = parseWriteOptions(exchange.query, "PatchOptions");
  const codec = exchange.subresource?.codec ?? exchange.resource.codec;
  const change = await patchDocument(exchange, options);
  return writeProjection(exchange, rules, {
    options,
    projected: (live) => codec.decode(cloneJson(change(rules.read(live))), undefined),
  });
}

/** Applies a projection: what it sets is owned through the subresource by who applies it. */
async function applyProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  const { info, context, subresource, resource, query, call } = exchange;
  const options = parseWriteOptions(query, "PatchOptions", true);
  const text = Buffer.from(await call.body()).toString("utf8");
  const codec = subresource?.codec ?? resource.codec;
  const body = codec.decode(readApplied(text, undefined) as never, undefined);
  const origin = { manager: options.fieldManager, time: context.now, force: options.force === true };
  const { object } = await write(exchange, {
    name: info.name,
    options,
    createsMissing: false,
    uid: "",
    change(live) {
      const manager = subresource?.fieldManager;
      if (live === undefined || manager === undefined) throw apiErrors.notFound(resource.qualified, info.name);
      const { apiVersion, kind, metadata } = live;
      const configuration = {
        apiVersion,
        kind,
        metadata: { name: metadata.name, namespace: metadata.namespace },
        spec: {},
      };
      rules.write(body, configuration as never);
      const errors = rules.validate?.({ ...body, metadata: rules.read(live).metadata }, context) ?? [];
      if (errors.length > 0) throw apiErrors.invalid(rules.kind, info.name, errors);
      const draft = resource.codec.decode(manager.apply(live, configuration as never, origin) as never, undefined);
      resource.codec.defaults(draft);
      return timeless(draft, info.subresource);
    },
  });
  return respondJson(200, toGoJson(rules.read(object)), exchange.media);
}

interface ProjectionWrite {
  readonly options: WriteOptions;
  /** The projection as it should be, given the object. */
  readonly projected: (live: KubeObject) => AnyDraft;
}

async function writeProjection(
  exchange: ResourceExchange,
  rules: ProjectionRules,
  { options, projected }: ProjectionWrite,
): Promise<Answer> {
  const { info, context, subresource, call, resource } = exchange;
  const origin = { manager: managerOf(options.fieldManager, headerOf(call, "user-agent") ?? ""), time: context.now };
  const { object } = await write(exchange, {
    name: info.name,
    options,
    createsMissing: false,
    uid: "",
    change(live) {
      if (live === undefined) throw apiErrors.notFound(resource.qualified, info.name);
      const body = projected(live);
      const errors = rules.validate?.(body, context) ?? [];
      if (errors.length > 0) throw apiErrors.invalid(rules.kind, info.name, errors);
      const draft = cloneJson(live);
      draft.metadata.resourceVersion = body.metadata.resourceVersion ?? "";
      rules.write(body, draft);
      return timeless(subresource?.fieldManager?.update(live, draft, origin) ?? draft, info.subresource);
    },
  });
  return respondJson(200, toGoJson(rules.read(object)), exchange.media);
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
