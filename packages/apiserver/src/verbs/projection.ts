/** Projections: another kind that is read from and written into an object. Scale is one. */
import { cloneJson, toGoJson } from "@capstan/model";
import { apiErrors } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { ProjectionRules } from "../builtin/rules.ts";
import { readObject } from "../decode/object.ts";
import { respondJson } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import { findEntry } from "./get.ts";
import { parseWriteOptions } from "./options.ts";
import { write } from "./write.ts";

/** Answers a GET of a projection. */
export async function getProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  return respondJson(200, toGoJson(rules.read(findEntry(exchange).object)), exchange.media);
}

/** Answers a PUT of a projection. */
export async function updateProjection(exchange: ResourceExchange, rules: ProjectionRules): Promise<Answer> {
  const { info, query, context, subresource, resource } = exchange;
  const options = parseWriteOptions(query, "UpdateOptions");
  const codec = subresource?.codec ?? resource.codec;
  const body = await readObject(exchange, { ...rules.kind, codec }, options.fieldValidation);
  const errors = rules.validate?.(body, context) ?? [];
  if (errors.length > 0) throw apiErrors.invalid(rules.kind, info.name, errors);
  const { object } = await write(exchange, {
    name: info.name,
    options,
    createsMissing: false,
    uid: body.metadata.uid ?? "",
    change: (live) => {
      const draft = cloneJson(live ?? body);
      if (body.metadata.resourceVersion !== undefined) draft.metadata.resourceVersion = body.metadata.resourceVersion;
      rules.write(body, draft);
      return draft;
    },
  });
  return respondJson(200, toGoJson(rules.read(object)), exchange.media);
}
