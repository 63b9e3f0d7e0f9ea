/** The paths of a custom resource in the OpenAPI v2 document, converted from v3. */
import type { Json } from "@capstan/model";

type Fields = { readonly [key: string]: Json };

/** OpenAPI v2 has names for shared parameters; the paths of a kind with all operations show which. */
const modelPath = "/api/v1/namespaces/{namespace}/configmaps";
const modelPaths = [modelPath, `${modelPath}/{name}`];

/** Converts the paths to v2. `builtin` is the document that they are merged into. */
export function toVersion2Paths(paths: Fields, builtin: Json): Fields {
  const named = namedParameters(builtin as Fields);
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item as Fields).map(([key, value]) => [
          key,
          key === "parameters" ? parametersOf(value, named(key)) : operationOf(key, value as Fields, named(key)),
        ]),
      ) as Json,
    ]),
  );
}

/** A parameter, as a reference if it has a name. */
type Naming = (name: string) => Json | undefined;

/** Parameter names depend on the operation: an optional fieldManager has a different name than a required one. */
function namedParameters({ parameters, paths }: Fields): (key: string) => Naming {
  const items = modelPaths.map((path) => (paths as Fields)[path] as Fields);
  const references = (key: string): readonly Fields[] =>
    items
      .flatMap((item) => (key === "parameters" ? item[key] : (item[key] as Fields | undefined)?.["parameters"]) ?? [])
      .filter((one): one is Fields & Json => "$ref" in (one as Fields));
  const others = ["parameters", "get", "post", "delete", "patch"];
  return (key) => {
    const found = [key, ...others].flatMap(references);
    return (name) => found.find(({ $ref }) => nameAt(parameters as Fields, $ref) === name) as Json | undefined;
  };
}

function nameAt(parameters: Fields, reference: Json | undefined): Json | undefined {
  return (parameters[textOf(reference).replace("#/parameters/", "")] as Fields | undefined)?.["name"];
}

function parametersOf(parameters: Json | undefined, naming: Naming): Json {
  return ((parameters ?? []) as unknown as readonly Fields[]).map((one) => {
    const { schema, ...rest } = one;
    return naming(textOf(one["name"])) ?? { ...(schema as Fields), ...rest };
  });
}

const objectTypes = ["application/json", "application/yaml"];
const patchTypes = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

function operationOf(method: string, operation: Fields, naming: Naming): Json {
  const {
    tags = [],
    description = "",
    operationId = "",
    parameters,
    requestBody,
    responses,
    ...extensions
  } = operation;
  const all = [...bodyOf(method, requestBody, naming), ...(parametersOf(parameters, naming) as readonly Json[])];
  return {
    description,
    consumes: method === "patch" ? patchTypes : objectTypes,
    produces: objectTypes,
    schemes: ["https"],
    tags,
    operationId,
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: responsesOf(responses as Fields),
    ...extensions,
  };
}

/** Request bodies: patches and delete options are the same for all kinds. */
function bodyOf(method: string, body: Json | undefined, naming: Naming): readonly Json[] {
  if (body === undefined) return [];
  const { content, required } = body as Fields;
  const shared = method === "patch" || method === "delete" ? naming("body") : undefined;
  return [
    shared ?? { name: "body", in: "body", ...(required === true ? { required } : {}), schema: schemaOf(content) },
  ];
}

function responsesOf(responses: Fields): Json {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { description = "", content } = response as Fields;
      return [status, content === undefined ? { description } : { description, schema: schemaOf(content) }];
    }),
  );
}

function schemaOf(content: Json | undefined): Json {
  const [first] = Object.values((content ?? {}) as Fields) as readonly Fields[];
  const { $ref = "" } = (first?.["schema"] ?? {}) as Fields;
  return { $ref: textOf($ref).replace("#/components/schemas/", "#/definitions/") };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
