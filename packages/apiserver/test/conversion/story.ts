/** Requests for a kind with two versions and a conversion webhook, and the responses of a server. */

/** Sends a request to the server under test. */
export type Send = (method: string, path: string, options?: { body: unknown; type: string }) => Promise<Heard>;

/** A response. */
export interface Heard {
  readonly status: number;
  readonly body: string;
}

/** A request and its response, without values that differ between runs. */
export interface Told extends Heard {
  readonly asked: string;
}

const json = "application/json";
const merge = "application/merge-patch+json";
const apply = "application/apply-patch+yaml";
const modes = [
  "rename",
  "version",
  "kind",
  "bare",
  "label",
  "relabel",
  "fail",
  "mute",
  "uid",
  "few",
  "silence",
  "http",
  "garbage",
  "gvk",
  "more",
  "null",
  "no-result",
  "texts",
  "reason",
  "move",
  "identity",
  "nameless",
  "age",
  "deletion",
  "annotate",
  "number",
  "large",
];

/** The CRD. */
export function definitionOf(
  group: string,
  clientConfig: { readonly url: string; readonly caBundle?: string },
): object {
  const version = (name: string, field: string): object => ({
    name,
    served: true,
    storage: name === "v2",
    selectableFields: [{ jsonPath: `.spec.${field}` }],
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: { [field]: { type: "integer", maximum: 10 }, c: { type: "string", default: "d" } },
          },
        },
      },
    },
  });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `cogs.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "cogs", kind: "Cog" },
      versions: [version("v1", "a"), version("v2", "b")],
      conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } },
    },
  };
}

/** Plays the scenario after the kind is served. */
export async function* tell(send: Send, group: string): AsyncGenerator<Told> {
  let revision = "";
  for (const [method, path, body, type = json] of requests(group)) {
    const asked = path.replace("<revision>", revision);
    const heard = await send(method, asked, body === undefined ? undefined : { body, type });
    revision ||= /"kind":"CogList","metadata":\{"continue":"","resourceVersion":"([0-9]+)"/.exec(heard.body)?.[1] ?? "";
    yield {
      asked: `${method} ${path}`.replaceAll(group, "<group>"),
      status: heard.status,
      body: stable(heard.body, group),
    };
  }
}

function stable(body: string, group: string): string {
  return inOrder(body)
    .replaceAll(group, "<group>")
    .replaceAll(/"(uid|resourceVersion|creationTimestamp|time)":"[^"]*"/g, '"$1":"~"')
    .replaceAll(/uid=\\"[^"]*\\"/g, "uid=~")
    .replaceAll(/UID: [-0-9a-f]{36}/g, "UID: ~")
    .trim();
}

/** Managers are ordered by the second of their write, which differs between runs. */
function inOrder(body: string): string {
  if (!body.includes('"managedFields":[{')) return body;
  return body.trim().split("\n").map(sortOwners).join("\n");
}

function sortOwners(line: string): string {
  return JSON.stringify(
    JSON.parse(line, (key: string, value: unknown) =>
      key === "managedFields" && Array.isArray(value)
        ? value.toSorted((a, b) => (ownerOf(a) < ownerOf(b) ? -1 : 1))
        : value,
    ),
  );
}

function ownerOf(owner: unknown): string {
  const { operation, manager, subresource } = owner as { readonly [field: string]: string | undefined };
  return `${operation} ${manager} ${subresource}`;
}

type Request = readonly [method: string, path: string, body?: unknown, type?: string];

function* requests(group: string): Iterable<Request> {
  const cogs = (version: string, rest = ""): string => `/apis/${group}/${version}/namespaces/default/cogs${rest}`;
  const cog = (version: string, name: string, spec: object, mode?: string): object => ({
    apiVersion: `${group}/${version}`,
    kind: "Cog",
    metadata: { name, ...(mode === undefined ? {} : { annotations: { mode } }) },
    spec,
  });
  yield ["POST", cogs("v1"), cog("v1", "x", { a: 1 })];
  yield ["POST", cogs("v1"), cog("v1", "large", { a: 11 })];
  yield ["POST", cogs("v1"), cog("v1", "unknown", { b: 1 })];
  yield ["GET", cogs("v1", "/x")];
  yield ["GET", cogs("v2", "/x")];
  yield ["POST", cogs("v2"), cog("v2", "y", { b: 2 })];
  yield ["GET", cogs("v1")];
  yield ["GET", cogs("v2")];
  yield* selections(cogs);
  yield ["PATCH", cogs("v1", "/x?fieldManager=one"), { spec: { a: 3 } }, merge];
  yield ["PATCH", cogs("v1", "/x?fieldManager=one"), { spec: { a: 30 } }, merge];
  yield ["PATCH", cogs("v1", "/x?fieldManager=two"), cog("v1", "x", { a: 4 }), apply];
  yield ["PATCH", cogs("v1", "/x?fieldManager=two&force=true"), cog("v1", "x", { a: 4 }), apply];
  yield ["PATCH", cogs("v2", "/x?fieldManager=two&force=true"), cog("v2", "x", { b: 5 }), apply];
  for (const mode of modes) {
    yield ["POST", cogs("v1"), cog("v1", `written-${mode}`, { a: 1 }, mode)];
    yield ["POST", cogs("v2"), cog("v2", `read-${mode}`, { b: 1 }, mode)];
    yield ["GET", cogs("v1", `/read-${mode}`)];
    yield ["PATCH", cogs("v1", `/read-${mode}?fieldManager=one`), { metadata: { labels: { q: "1" } } }, merge];
    yield ["PUT", cogs("v1", `/read-${mode}`), cog("v1", `read-${mode}`, { a: 2 }, mode)];
    yield [
      "PATCH",
      cogs("v1", `/read-${mode}?fieldManager=two&force=true`),
      cog("v1", `read-${mode}`, { a: 3 }, mode),
      apply,
    ];
    yield ["DELETE", cogs("v2", `/read-${mode}`)];
  }
  yield ["DELETE", cogs("v1", "/x")];
}

/** Field selectors use the field names of the requested version. */
function* selections(cogs: (version: string, rest?: string) => string): Iterable<Request> {
  const watched = "watch=true&timeoutSeconds=1&resourceVersion=<revision>";
  yield ["GET", cogs("v1", "?fieldSelector=spec.a%3D1")];
  yield ["GET", cogs("v1", "?fieldSelector=spec.a!%3D1")];
  yield ["GET", cogs("v2", "?fieldSelector=spec.b%3D2")];
  yield ["GET", cogs("v2", "?fieldSelector=spec.a%3D1")];
  yield ["GET", cogs("v1", "?limit=1&fieldSelector=spec.a%3D2")];
  yield ["PATCH", cogs("v2", "/x"), { spec: { b: 2 } }, merge];
  yield ["PATCH", cogs("v2", "/y"), { spec: { b: 1 } }, merge];
  yield ["GET", cogs("v1", `?fieldSelector=spec.a%3D1&${watched}`)];
  yield ["GET", cogs("v2", `?fieldSelector=spec.b%3D1&${watched}`)];
  yield ["GET", cogs("v1", "?fieldSelector=spec.a%3D2&watch=true&timeoutSeconds=1")];
  yield ["DELETE", cogs("v1", "?fieldSelector=spec.a%3D7")];
  yield ["DELETE", cogs("v1", "?fieldSelector=spec.a%3D1")];
  yield ["GET", cogs("v1")];
}
