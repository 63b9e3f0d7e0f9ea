/** What the generator reads from a running kube-apiserver. */

/** A JSON value as it was parsed. */
export type Value = null | boolean | number | string | Value[] | Fields;

/** A JSON object as it was parsed. */
export interface Fields {
  [key: string]: Value;
}

/** Requests a path from the server and parses the response. */
export type Get = (path: string, accept: string) => Promise<Fields>;

/** A resource as the discovery of one group and version lists it. */
export interface ApiResource extends Fields {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  verbs: string[];
}

/** A group and one of its versions with everything it serves. */
export interface GroupVersionDocument {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ApiResource[];
}

/** Everything that the generator reads from the server. */
export interface Documents {
  readonly gitVersion: string;
  /** In the server's order: the core group first, then by priority, preferred versions first. */
  readonly groupVersions: readonly GroupVersionDocument[];
  readonly openApiV2: Fields;
  readonly openApiV3: Readonly<Record<string, Fields>>;
  /** Column definitions by `group/version/resource`. */
  readonly columns: Readonly<Record<string, Value>>;
}

const json = "application/json";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** Reads all documents, without the parts of custom resources. */
export async function readDocuments(get: Get): Promise<Documents> {
  const builtIn = await readBuiltIn(get);
  const groupVersions = await readGroupVersions(get, builtIn);
  return {
    gitVersion: (await get("/version", json))["gitVersion"] as string,
    groupVersions,
    openApiV2: onlyBuiltIn(await get("/openapi/v2", json), builtIn),
    openApiV3: await readOpenApiV3(get, builtIn),
    columns: await readColumns(get, groupVersions),
  };
}

/** The server's own groups: it registers them when it starts, those of custom resources later. */
async function readBuiltIn(get: Get): Promise<ReadonlySet<string>> {
  const selector = encodeURIComponent("kube-aggregator.kubernetes.io/automanaged=onstart");
  const list = await get(`/apis/apiregistration.k8s.io/v1/apiservices?labelSelector=${selector}`, json);
  const services = list["items"] as unknown as { spec: { group?: string } }[];
  // The aggregator does not register itself.
  return new Set(["apiregistration.k8s.io", ...services.map(({ spec }) => spec.group ?? "")]);
}

/** Whether a path is served by the server itself, and not for a custom resource. */
function isBuiltInPath(path: string, builtIn: ReadonlySet<string>): boolean {
  const group = /^\/?apis\/([^/]+)/.exec(path)?.[1];
  return group === undefined || builtIn.has(group);
}

function onlyBuiltIn(document: Fields, builtIn: ReadonlySet<string>): Fields {
  const keep = (part: Value | undefined, test: (key: string) => boolean): Fields =>
    Object.fromEntries(Object.entries(part as Fields).filter(([key]) => test(key)));
  return {
    ...document,
    paths: keep(document["paths"], (path) => isBuiltInPath(path, builtIn)),
    definitions: keep(document["definitions"], (name) => name.startsWith("io.k8s.")),
  };
}

async function readGroupVersions(get: Get, builtIn: ReadonlySet<string>): Promise<GroupVersionDocument[]> {
  const { groups } = (await get("/apis", json)) as unknown as {
    groups: { name: string; versions: { version: string }[] }[];
  };
  const documents = [await readGroupVersion(get, "", "v1")];
  for (const { name, versions } of groups.filter((group) => builtIn.has(group.name))) {
    for (const { version } of versions) documents.push(await readGroupVersion(get, name, version));
  }
  return documents;
}

async function readGroupVersion(get: Get, group: string, version: string): Promise<GroupVersionDocument> {
  const { resources } = await get(rootOf(group, version), json);
  return { group, version, resources: resources as unknown as ApiResource[] };
}

async function readOpenApiV3(get: Get, builtIn: ReadonlySet<string>): Promise<Record<string, Fields>> {
  const { paths } = (await get("/openapi/v3", json)) as unknown as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  const documents: Record<string, Fields> = {};
  for (const [path, { serverRelativeURL }] of Object.entries(paths)) {
    if (isBuiltInPath(path, builtIn)) documents[path] = await get(serverRelativeURL, json);
  }
  return documents;
}

async function readColumns(get: Get, groupVersions: readonly GroupVersionDocument[]): Promise<Record<string, Value>> {
  const columns: Record<string, Value> = {};
  for (const { group, version, resources } of groupVersions) {
    for (const { name, verbs } of resources) {
      if (!verbs.includes("list")) continue;
      const answer = await get(`${rootOf(group, version)}/${name}?limit=1`, table);
      columns[`${group}/${version}/${name}`] = answer["columnDefinitions"] ?? null;
    }
  }
  return columns;
}

function rootOf(group: string, version: string): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}
