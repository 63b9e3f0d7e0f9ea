/** The API packages.operators.coreos.com/v1, as an aggregated server answers it: discovery, lists, single packages, icons, tables. */
import { matchesLabels, ParseError, parseFieldSelector, parseLabelSelector } from "@capstan/model";
import { findPackages, type PackageSources } from "./find.ts";
import { iconOf } from "./icon.ts";
import type { PackageManifest } from "./manifest.ts";
import { columns, type IncludedObject, toRow } from "./table.ts";

/** A request that has been authenticated and authorized. */
export interface PackageRequest {
  readonly method: string;
  /** The path with the query. */
  readonly url: string;
  readonly accept: string;
  /** The header If-None-Match. */
  readonly known?: string | undefined;
}

/** A response; a list is sent piece by piece. */
export interface PackageResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

/** What answers need beside the packages. */
export interface PackageApi extends PackageSources {
  /** The present in milliseconds since 1970. */
  readonly now: () => number;
}

const GROUP = "packages.operators.coreos.com";
const TYPE = { kind: "PackageManifest", apiVersion: `${GROUP}/v1` };
const PATH = new RegExp(
  `^/apis/${GROUP.replaceAll(".", "\\.")}/v1(?:/namespaces/([^/]+))?/packagemanifests(?:/([^/]+)(/icon)?)?$`,
  "u",
);

/** Answers a request. */
export async function answerPackageRequest(request: PackageRequest, api: PackageApi): Promise<PackageResponse> {
  const { pathname, searchParams } = new URL(request.url, "https://packages.invalid");
  const document = documents[pathname.replace(/\/$/u, "")];
  const match = PATH.exec(pathname);
  if (document !== undefined && request.method === "GET") return json(200, document);
  if (match === null && document === undefined) return text(404, "404 page not found\n");
  if (request.method !== "GET" && request.method !== "HEAD") {
    return failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
  }
  const [namespace, name, icon] = [match?.[1], match?.[2], match?.[3]].map((part) =>
    part === undefined ? undefined : decodeURIComponent(part),
  );
  const asked: Asked = { request, api, searchParams, ...(namespace === undefined ? {} : { namespace }) };
  if (name === undefined) return list(asked);
  if (namespace === undefined) return text(404, "404 page not found\n");
  return icon === undefined ? one(asked, name) : iconAnswer(asked, name);
}

interface Asked {
  readonly request: PackageRequest;
  readonly api: PackageApi;
  readonly searchParams: URLSearchParams;
  readonly namespace?: string;
}

async function first({ api, namespace }: Asked, name: string): Promise<PackageManifest | undefined> {
  for await (const found of findPackages(api, { name, ...(namespace === undefined ? {} : { namespace }) }))
    return found;
  return undefined;
}

async function one(asked: Asked, name: string): Promise<PackageResponse> {
  const found = await first(asked, name);
  if (found === undefined) {
    const details = { name, group: GROUP, kind: "packagemanifests" };
    return failure(404, "NotFound", `packagemanifests.${GROUP} "${name}" not found`, details);
  }
  const manifest = withoutIcons(found);
  const form = formOf(asked);
  switch (form.as) {
    case "Table":
      return json(200, { ...TABLE, metadata: {}, columnDefinitions: columns, rows: [row(manifest, form, asked)] });
    case "PartialObjectMetadata":
      return json(200, { ...PARTIAL, metadata: manifest.metadata });
    case "Object":
      return json(200, { ...TYPE, ...manifest });
    default:
      return form.as satisfies never;
  }
}

async function iconAnswer(asked: Asked, name: string): Promise<PackageResponse> {
  const { request, searchParams } = asked;
  // The resource version in the address changes with the icon.
  const isKnown = (request.known ?? "") !== "" && (searchParams.get("resourceVersion") ?? "") !== "";
  if (isKnown) return { status: 304, headers: {}, body: "" };
  const found = await first(asked, name);
  if (found === undefined) return { status: 404, headers: {}, body: "" };
  const { data, type, tag } = iconOf(found);
  return { status: 200, headers: { "content-type": type, ...(tag === "" ? {} : { etag: tag }) }, body: data };
}

async function list(asked: Asked): Promise<PackageResponse> {
  const { searchParams } = asked;
  if (["true", "1"].includes(searchParams.get("watch") ?? "")) {
    const message = `watch is not supported on resources of kind "packagemanifests.${GROUP}"`;
    return failure(405, "MethodNotAllowed", message, { group: GROUP, kind: "packagemanifests" });
  }
  const selection = selectionOf(searchParams);
  if ("problem" in selection) return failure(400, "BadRequest", selection.problem);
  const form = formOf(asked);
  return { status: 200, headers: JSON_TYPE, body: pieces(asked, { selection, form }) };
}

interface Selected {
  readonly name?: string;
  readonly matches: (labels: { readonly [label: string]: string }) => boolean;
}

/** The packages that the selectors of a list mean. Only the name is a field to select by. */
function selectionOf(searchParams: URLSearchParams): Selected | { readonly problem: string } {
  try {
    const labels = parseLabelSelector(searchParams.get("labelSelector") ?? "");
    const fields = parseFieldSelector(searchParams.get("fieldSelector") ?? "");
    const other = fields.find(({ field, operator }) => field !== "metadata.name" || operator !== "=");
    if (other !== undefined) return { problem: `field label not supported: ${other.field}` };
    const [name] = fields;
    return { matches: (own) => matchesLabels(labels, own), ...(name === undefined ? {} : { name: name.value }) };
  } catch (error) {
    if (error instanceof ParseError) return { problem: error.message };
    throw error;
  }
}

interface Form {
  readonly as: "Object" | "Table" | "PartialObjectMetadata";
  readonly include: IncludedObject;
}

/** The form of the answer: the first one of the header Accept that is known. */
function formOf({ request, searchParams }: Asked): Form {
  const wanted = searchParams.get("includeObject");
  const include = wanted === "None" || wanted === "Object" ? wanted : "Metadata";
  const accepted = request.accept.split(",").map((each) => each.trim());
  const as = accepted.map(asOf).find((each) => each !== undefined) ?? "Object";
  return { as, include };
}

function asOf(accepted: string): Form["as"] | undefined {
  if (!/^(?:application\/json|application\/\*|\*\/\*)(?:;|$)/u.test(accepted)) return undefined;
  const as = /;\s*as=([A-Za-z]+)/u.exec(accepted)?.[1];
  if (as === undefined) return "Object";
  if (as === "Table") return "Table";
  return as === "PartialObjectMetadata" || as === "PartialObjectMetadataList" ? "PartialObjectMetadata" : undefined;
}

const TABLE = { kind: "Table", apiVersion: "meta.k8s.io/v1" };
const PARTIAL = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" };

function row(manifest: PackageManifest, { include }: Form, { api }: Asked): object {
  return toRow(manifest, { now: api.now(), include, type: TYPE });
}

/** The list, piece by piece. */
async function* pieces(
  asked: Asked,
  { selection, form }: { readonly selection: Selected; readonly form: Form },
): AsyncGenerator<string> {
  const isTable = form.as === "Table";
  const kind = form.as === "Object" ? "PackageManifestList" : "PartialObjectMetadataList";
  const apiVersion = form.as === "Object" ? TYPE.apiVersion : PARTIAL.apiVersion;
  const head = isTable ? { ...TABLE, metadata: {}, columnDefinitions: columns } : { kind, apiVersion, metadata: {} };
  yield `${JSON.stringify(head).slice(0, -1)},"${isTable ? "rows" : "items"}":[`;
  const { namespace } = asked;
  const query = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(selection.name === undefined ? {} : { name: selection.name }),
  };
  let separator = "";
  for await (const found of findPackages(asked.api, query)) {
    if (!selection.matches(found.metadata.labels)) continue;
    const manifest = withoutIcons(found);
    const item = isTable
      ? row(manifest, form, asked)
      : form.as === "Object"
        ? manifest
        : { ...PARTIAL, metadata: manifest.metadata };
    yield `${separator}${JSON.stringify(item)}`;
    separator = ",";
  }
  yield "]}\n";
}

/** Icons are large, and have an address of their own. */
function withoutIcons(manifest: PackageManifest): PackageManifest {
  const channels = manifest.status.channels.map(
    ({ currentCSVDesc: { icon: _icon, ...currentCSVDesc }, ...channel }) => ({
      name: channel.name,
      currentCSV: channel.currentCSV,
      currentCSVDesc,
      ...(channel.deprecation === undefined ? {} : { deprecation: channel.deprecation }),
      entries: channel.entries,
    }),
  );
  return { ...manifest, status: { ...manifest.status, channels } };
}

const GROUP_VERSION = { groupVersion: `${GROUP}/v1`, version: "v1" };
const API_GROUP = { name: GROUP, versions: [GROUP_VERSION], preferredVersion: GROUP_VERSION };

/** The discovery documents, and what says that the server runs. */
const documents: { readonly [path: string]: object } = {
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [API_GROUP] },
  [`/apis/${GROUP}`]: { kind: "APIGroup", apiVersion: "v1", ...API_GROUP },
  [`/apis/${GROUP}/v1`]: {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: `${GROUP}/v1`,
    resources: [
      {
        name: "packagemanifests",
        singularName: "packagemanifest",
        namespaced: true,
        kind: "PackageManifest",
        verbs: ["get", "list"],
      },
      { name: "packagemanifests/icon", singularName: "", namespaced: true, kind: "PackageManifest", verbs: ["get"] },
    ],
  },
};

const JSON_TYPE = { "content-type": "application/json" };

function json(status: number, value: object): PackageResponse {
  return { status, headers: JSON_TYPE, body: `${JSON.stringify(value)}\n` };
}

function text(status: number, body: string): PackageResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

function failure(code: number, reason: string, message: string, details?: object): PackageResponse {
  const about = details === undefined ? {} : { details };
  return json(code, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...about,
    code,
  });
}
