/** Converts OpenAPI v2 to v3 with the same losses as kube-aggregator, for servers that have only v2. */
import type { Json } from "@capstan/model";
import type { Version2Document } from "./merge.ts";

type Fields = { readonly [key: string]: Json | undefined };

export function toVersion3(document: Version2Document): Json {
  const { info, externalDocs, paths, produces } = document;
  return present({
    openapi: "3.0.0",
    info,
    paths: each(paths, pathItem),
    components: present({
      schemas: each(document.definitions, schema),
      responses: each(document["responses"], (one) => response(one, produces)),
      securitySchemes: each(document["securityDefinitions"], securityScheme),
    }),
    externalDocs: externalDocumentation(externalDocs),
  });
}

function externalDocumentation(value: Json | undefined): Json | undefined {
  if (value === undefined) return undefined;
  const { description, url } = fieldsOf(value);
  return present({ description, url });
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch"];

function pathItem(value: Json): Json {
  const item = fieldsOf(value);
  const operations = methods.map((method) => {
    const found = item[method];
    return [method, found === undefined ? undefined : operation(found)] as const;
  });
  return present({
    ...Object.fromEntries(operations),
    $ref: item["$ref"],
    parameters: list(item["parameters"])?.map(parameter),
    ...extensionsOf(item),
  });
}

function operation(value: Json): Json {
  const before = fieldsOf(value);
  const { tags, summary, description, operationId, deprecated, consumes, produces, responses } = before;
  const all = list(before["parameters"]) ?? [];
  const isBody = (one: Json): boolean => fieldsOf(one)["name"] === "body" && fieldsOf(one)["schema"] !== undefined;
  const body = all.findLast(isBody);
  const others = all.filter((one) => !isBody(one));
  return present({
    tags,
    summary,
    description,
    externalDocs: externalDocumentation(before["externalDocs"]),
    operationId,
    parameters: others.length === 0 ? undefined : others.map(parameter),
    requestBody: body === undefined ? undefined : present({ content: content(fieldsOf(body)["schema"], consumes) }),
    responses: present({ ...fieldsOf(each(responses, (one, name) => named(one, name, produces)) ?? {}) }),
    deprecated: deprecated === true ? true : undefined,
    ...extensionsOf(before),
  });
}

/** Responses may have extensions besides status codes. */
function named(value: Json, name: string, produces: Json | undefined): Json {
  return name.startsWith("x-") ? value : response(value, produces);
}

function response(value: Json, produces: Json | undefined): Json {
  const before = fieldsOf(value);
  return present({
    $ref: redirect(before["$ref"], "#/responses/", "#/components/responses/"),
    description: before["description"],
    content: before["schema"] === undefined ? undefined : content(before["schema"], produces),
    ...extensionsOf(before),
  });
}

function content(of: Json | undefined, types: Json | undefined): Json | undefined {
  const all = (list(types) ?? []).filter((type) => typeof type === "string");
  if (all.length === 0) return undefined;
  return Object.fromEntries(all.map((type) => [type, { schema: schema(of ?? {}) }]));
}

function parameter(value: Json): Json {
  const before = fieldsOf(value);
  const { name, description, required, allowEmptyValue, type, format, uniqueItems } = before;
  return present({
    $ref: redirect(before["$ref"], "#/parameters/", "#/components/parameters/"),
    name,
    in: before["in"],
    description,
    required,
    allowEmptyValue,
    schema:
      before["schema"] === undefined ? present({ type: type ?? "", format, uniqueItems }) : schema(before["schema"]),
    ...extensionsOf(before),
  });
}

/** A reference with siblings is wrapped in `allOf`. */
function schema(value: Json): Json {
  const before = fieldsOf(value);
  const { $ref, properties, items, additionalProperties, ...rest } = before;
  const converted = present({
    ...rest,
    properties: each(properties, schema),
    items: Array.isArray(items) ? list(items)?.map(schema) : part(items),
    additionalProperties: part(additionalProperties),
  });
  if (typeof $ref !== "string") return converted;
  const reference = { $ref: redirect($ref, "#/definitions/", "#/components/schemas/") };
  return Object.keys(converted).length === 0 ? reference : { ...converted, allOf: [reference] };
}

function part(value: Json | undefined): Json | undefined {
  return value === undefined || typeof value === "boolean" ? value : schema(value);
}

function securityScheme(value: Json): Json {
  const before = fieldsOf(value);
  const { description, type, name, flow, authorizationUrl, tokenUrl, scopes } = before;
  const flows = typeof flow === "string" ? { [flow]: present({ authorizationUrl, tokenUrl, scopes }) } : undefined;
  return present({ description, type, name, in: before["in"], flows, ...extensionsOf(before) });
}

function redirect(reference: Json | undefined, from: string, to: string): Json | undefined {
  return typeof reference === "string" ? reference.replace(from, to) : reference;
}

function each(value: Json | undefined, convert: (part: Json, name: string) => Json): Json | undefined {
  if (value === undefined) return undefined;
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, one = null]) => [name, convert(one, name)]));
}

function list(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function extensionsOf(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name.startsWith("x-")));
}

/** Drops undefined fields. */
function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
