/** Subresources: views of an object, projections of it, actions on it, and doors that lead out of the store. */
import { apiErrors, toGoJson, StatusError, toFailure } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { ActionRules, ConnectRules, ProjectionRules } from "../builtin/rules.ts";
import { readObject } from "../decode/object.ts";
import { respondJson, respondPresented } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { ServedSubresource } from "../resources/resource.ts";
import { findEntry, get } from "./get.ts";
import { parseWriteOptions } from "./options.ts";
import { patch } from "./patch.ts";
import { getProjection, patchProjection, updateProjection } from "./projection.ts";
import { update } from "./update.ts";

/** Answers a request for a subresource. */
export function serveSubresource(exchange: ResourceExchange, subresource: ServedSubresource): Promise<Answer> {
  const { rules } = subresource;
  switch (rules?.type) {
    case undefined:
      throw notImplemented(exchange, subresource);
    case "view":
      return serveView(exchange);
    case "projection":
      return serveProjection(exchange, rules);
    case "action":
      return act(exchange, subresource, rules);
    case "connect":
      return connect(exchange, rules);
  }
}

/** A subresource that is known and not served here says so. */
function notImplemented({ resource }: ResourceExchange, { name }: ServedSubresource): StatusError {
  const message = `${resource.resource}/${name} is not served by this API server`;
  return new StatusError(toFailure({ code: 501, reason: "", message }));
}

function serveView(exchange: ResourceExchange): Promise<Answer> {
  switch (exchange.info.verb) {
    case "get":
      return get(exchange);
    case "update":
      return update(exchange);
    default:
      return patch(exchange);
  }
}

function serveProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  switch (exchange.info.verb) {
    case "get":
      return getProjection(exchange, rules);
    case "update":
      return updateProjection(exchange, rules);
    default:
      return patchProjection(exchange, rules);
  }
}

async function act(exchange: ResourceExchange, subresource: ServedSubresource, rules: ActionRules): Promise<Answer> {
  const { info, context, parts, query } = exchange;
  const options = parseWriteOptions(query, "CreateOptions");
  const { kind, codec } = subresource;
  const body = await readObject(exchange, { ...kind, codec }, options.fieldValidation);
  rules.defaults?.(body);
  const { object } = findEntry(exchange);
  const errors = rules.validate?.(body, object, context) ?? [];
  if (errors.length > 0) throw apiErrors.invalid(kind, body.metadata.name ?? info.name, errors);
  const answered = await rules.run({ name: info.name, object, body, context, writer: parts.writer });
  await parts.store.settled();
  if (answered.kind === "Status") {
    const { code } = answered as unknown as { code?: number };
    return respondJson(code ?? 201, toGoJson(answered), exchange.media);
  }
  return respondPresented(exchange, 201, answered);
}

async function connect(exchange: ResourceExchange, rules: ConnectRules): Promise<Answer> {
  const { parts, call, query, resource } = exchange;
  const { object } = findEntry(exchange);
  const errors = rules.validate?.(object, query) ?? [];
  if (errors.length > 0) throw apiErrors.invalid(resource.qualifiedKind, object.metadata.name ?? "", errors);
  if (parts.nodes === undefined) {
    throw new StatusError(toFailure({ code: 501, reason: "", message: "this API server has no nodes to connect to" }));
  }
  return rules.connect(object, call, parts.nodes);
}
