/** Responses with objects and lists in the negotiated format. */
import {
  apiErrors,
  parseExactJson,
  StatusError,
  toFailure,
  toGoJson,
  type KubeObject,
  type Status,
} from "@capstan/model";
import type { Answer, AnswerBody, AnswerHeaders } from "../answer.ts";
import { AccessDeniedError } from "../authorize/forbidden.ts";
import type { JsonValue } from "../builtin/draft.ts";
import type { ResourceExchange } from "../exchange.ts";
import { encodeProtobuf } from "../protobuf/protobuf.ts";
import { goPackageOf } from "../decode/object.ts";
import { storageKey } from "../resources/resource.ts";
import type { Entry } from "../store/entry.ts";
import { present } from "../verbs/present.ts";
import { toPrettyJson } from "./body.ts";
import { toYaml } from "./yaml.ts";
import { mediaTypes, type OutputMedia } from "./media.ts";
import { toPartialMetadata } from "./partial-metadata.ts";
import { tableOf } from "./table.ts";

const jsonHeaders: Readonly<AnswerHeaders> = { "content-type": mediaTypes.json };

/** A JSON body with a newline at the end, as Go's encoder writes it. */
export function respondJson(status: number, json: string, media: OutputMedia): Answer {
  if (media.format === "json" && !media.pretty) return { status, headers: { ...jsonHeaders }, body: `${json}\n` };
  return { status, headers: { "content-type": mediaTypes[media.format] }, body: encodeJson(json, media) };
}

/** JSON text in the negotiated format. */
function encodeJson(json: string, media: OutputMedia): AnswerBody {
  switch (media.format) {
    case "json":
      return media.pretty ? toPrettyJson(json) : `${json}\n`;
    case "yaml":
      return toYaml(parseExactJson(json) as JsonValue);
    case "protobuf":
      return encodeProtobuf(parseExactJson(json) as KubeObject);
  }
}

export function respondStatus(status: Status, media: OutputMedia): Answer {
  return { ...respondJson(status.code ?? 200, toGoJson(status), media), told: status };
}

/** Responds with an object of the storage version, after conversion to the version and format of the request. */
export async function respondObject(exchange: ResourceExchange, status: number, stored: KubeObject): Promise<Answer> {
  if (exchange.resource.conversion !== undefined) {
    return respondPresented(exchange, status, await present(exchange.resource, stored));
  }
  const entry = entryOf(exchange, stored);
  return entry === undefined ? respondPresented(exchange, status, stored) : respondEntry(exchange, status, entry);
}

/** The store entry of an object, if it is the current one. */
function entryOf({ resource, parts }: ResourceExchange, object: KubeObject): Entry | undefined {
  const { name = "", namespace = "" } = object.metadata;
  const entry = parts.store.get(resource.storage, storageKey(resource, namespace, name));
  return entry?.holds(object) === true ? entry : undefined;
}

/** Responds with an entry that is stored in the version of the request. Its JSON bytes are sent as they are. */
export function respondEntry(exchange: ResourceExchange, status: number, entry: Entry): Answer {
  const { media } = exchange;
  const isPlain = media.transform === undefined && media.format === "json" && !media.pretty;
  if (isPlain) return { status, headers: { ...jsonHeaders }, body: entry.line };
  return respondPresented(exchange, status, entry.object);
}

/** Responds with an object that already has the version of the request. */
export function respondPresented(exchange: ResourceExchange, status: number, object: KubeObject): Answer {
  const { media, resource } = exchange;
  switch (media.transform?.kind) {
    case undefined:
      return respondWhole(status, object, media);
    case "Table":
      if (hasNoTable(exchange)) return respondWhole(status, object, media);
      return respondJson(status, toGoJson(tableOf(exchange, [object], object.metadata)), media);
    case "PartialObjectMetadata":
      return respondJson(status, toGoJson(toPartialMetadata(resource, object, media.transform.version)), media);
    case "PartialObjectMetadataList":
      if (resource.isCustom)
        throw new StatusError(toFailure({ code: 500, reason: "", message: "content is not a list" }));
      throw notAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${goNameOf(resource, resource.kind)})`,
      );
  }
}

function respondWhole(status: number, object: KubeObject, media: OutputMedia): Answer {
  if (media.format !== "protobuf") return respondJson(status, toGoJson(object), media);
  return { status, headers: { "content-type": mediaTypes.protobuf }, body: encodeProtobuf(object) };
}

function hasNoTable({ subresource }: ResourceExchange): boolean {
  return subresource?.rules?.type === "view" && subresource.rules.hasNoTable === true;
}

/** The Go type name in messages. */
export function goNameOf({ group, isCustom }: { group: string; isCustom: boolean }, kind: string): string {
  if (isCustom) return `*unstructured.Unstructured${kind.endsWith("List") ? "List" : ""}`;
  return `*${goPackageOf(group)}.${kind}`;
}

/** The error for an unsupported format. */
export function notAcceptable(message: string): StatusError {
  return new StatusError(toFailure({ code: 406, reason: "NotAcceptable", message }));
}

/** The response for an error. An error that is not a StatusError is a bug and becomes an InternalError. */
export function respondError(error: unknown, media: OutputMedia): Answer {
  const refusal = error instanceof StatusError ? error : apiErrors.internalError(String(error));
  const answer = respondStatus(refusal.status, media);
  const retry = refusal.status.details?.retryAfterSeconds;
  if (retry !== undefined) answer.headers["retry-after"] = String(retry);
  if (refusal instanceof AccessDeniedError) answer.headers["x-content-type-options"] = "nosniff";
  return answer;
}
