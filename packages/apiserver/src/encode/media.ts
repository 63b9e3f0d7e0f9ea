/** Which form of an answer a client accepts: the format, and whether the object is to be turned into a table or its metadata. */
import { StatusError, toFailure } from "@capstan/model";
import { headerOf, type Call } from "../call.ts";
import { parseAccept, type AcceptClause } from "./accept.ts";

/** The formats that bodies come in. */
export type Format = "json" | "yaml" | "protobuf";

/** What an object is turned into before it is sent. */
export interface Transform {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  readonly version: "v1" | "v1beta1";
}

/** How the client wants its answer. */
export interface OutputMedia {
  readonly format: Format;
  readonly transform: Transform | undefined;
  readonly pretty: boolean;
}

/** The media type of each format. */
export const mediaTypes: Readonly<Record<Format, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
};

const allFormats: readonly Format[] = ["json", "yaml", "protobuf"];

/** What an endpoint can answer with. */
export interface Offer {
  readonly formats: readonly Format[];
  /** What objects can be turned into here: tables and metadata, or only one of them, or nothing. */
  readonly transforms: "all" | "metadata" | "none";
  /**
   * Whether the path itself has media types: a client must name one of them, a pattern will not do. What is offered beside the formats is
   * told to those who name none.
   */
  readonly route?: { readonly also: readonly string[] };
}

/** What an endpoint that answers with one fixed kind offers: discovery, versions. */
export const plainOffer: Offer = { formats: allFormats, transforms: "none" };

/** The same where the path has media types. */
export const routedOffer: Offer = { ...plainOffer, route: { also: [] } };

const plainJson: OutputMedia = { format: "json", transform: undefined, pretty: false };

/** Decides on a form or refuses with 406. */
export function negotiate(call: Call, query: URLSearchParams, offer: Offer): OutputMedia {
  const accept = headerOf(call, "accept") ?? "";
  const pretty = isPretty(call, query);
  if (accept === "" || accept === "application/json" || accept === "*/*") {
    return pretty ? { ...plainJson, pretty } : plainJson;
  }
  const clauses = parseAccept(accept);
  checkRouted(call, offer);
  const found = firstAcceptable(clauses, offer);
  if (found === undefined) throw notAcceptableError(allFormats.map((format) => mediaTypes[format]));
  return pretty ? { ...found, pretty } : found;
}

function firstAcceptable(clauses: readonly AcceptClause[], offer: Offer): OutputMedia | undefined {
  for (const clause of clauses) {
    for (const format of offer.formats) {
      if (!matches(clause, mediaTypes[format])) continue;
      const media = withParameters(clause, format, offer);
      if (media !== undefined) return media;
    }
  }
  return undefined;
}

function matches({ type, subtype }: AcceptClause, mediaType: string): boolean {
  if (type === "*") return subtype === "*";
  if (subtype === "*") return mediaType.startsWith(`${type}/`);
  return `${type}/${subtype}` === mediaType;
}

/** The parameters of a clause decide whether it can be served; `undefined` if not. */
function withParameters({ parameters }: AcceptClause, format: Format, offer: Offer): OutputMedia | undefined {
  const stream = parameters.get("stream");
  if (stream !== undefined && stream !== "" && (stream !== "watch" || format === "yaml")) return undefined;
  const pretty = parameters.get("pretty") === "1";
  if (["as", "g", "v"].every((name) => (parameters.get(name) ?? "") === "")) {
    return { format, transform: undefined, pretty };
  }
  const transform = toTransform(parameters);
  if (transform === undefined || offer.transforms === "none") return undefined;
  // Tables hold whatever their kinds show, which no message of protocol buffers does.
  if (transform.kind === "Table" && format === "protobuf") return undefined;
  return transform.kind === "Table" && offer.transforms !== "all" ? undefined : { format, transform, pretty };
}

function toTransform(parameters: ReadonlyMap<string, string>): Transform | undefined {
  const kind = parameters.get("as") ?? "";
  const version = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (kind === "Table" || kind === "PartialObjectMetadata" || kind === "PartialObjectMetadataList") {
    return { kind, version };
  }
  return undefined;
}

function isNamed({ type, subtype }: AcceptClause, types: readonly string[]): boolean {
  return (type === "*" && subtype === "*") || types.includes(`${type}/${subtype}`);
}

/** Refuses a client that accepts nothing of what a path offers in any form. */
export function checkRouted(call: Call, { formats, route }: Offer): void {
  if (route !== undefined) checkRoute(call, [...formats.map((format) => mediaTypes[format]), ...route.also]);
}

/** Refuses a client that accepts none of the media types of a path. */
export function checkRoute(call: Call, types: readonly string[]): void {
  const accept = headerOf(call, "accept") ?? "";
  if (accept !== "" && !parseAccept(accept).some((clause) => isNamed(clause, types))) throw unrouted(types);
}

function unrouted(types: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`;
  return new StatusError(toFailure({ code: 406, reason: "NotAcceptable", message, details: {} }));
}

/** The refusal that lists media types. */
export function notAcceptableError(available: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${available.join(", ")}`;
  return new StatusError(toFailure({ code: 406, reason: "NotAcceptable", message }));
}

/** Asked for in the query, or by a client that people use. */
function isPretty(call: Call, query: URLSearchParams): boolean {
  const asked = query.get("pretty");
  if (asked !== null && asked !== "") return /^(1|t|T|TRUE|true|True)$/.test(asked);
  const agent = headerOf(call, "user-agent") ?? "";
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}
