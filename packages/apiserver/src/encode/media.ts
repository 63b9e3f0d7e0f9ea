/** Negotiates the media type of a response: the format, and the transform to a table or to metadata. */
import { StatusError, toFailure } from "@capstan/model";
import { headerOf, type Call } from "../call.ts";
import { parseAccept, type AcceptClause } from "./accept.ts";

/** The formats of bodies. */
export type Format = "json" | "yaml" | "protobuf";

/** The transform of an object before it is sent. */
export interface Transform {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  readonly version: "v1" | "v1beta1";
}

/** The negotiated response format. */
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

/** The media types that an endpoint supports. */
export interface Offer {
  readonly formats: readonly Format[];
  /** The supported transforms: tables and metadata, only metadata, or none. */
  readonly transforms: "all" | "metadata" | "none";
  /**
   * Set if the route itself declares media types: a client must name one of them or accept all. `also` contains further types for the 406
   * error.
   */
  readonly route?: { readonly also: readonly string[] };
}

/** The offer of endpoints with one fixed kind, such as discovery. */
export const plainOffer: Offer = { formats: allFormats, transforms: "none" };

/** The same for routes that declare media types. */
export const routedOffer: Offer = { ...plainOffer, route: { also: [] } };

const plainJson: OutputMedia = { format: "json", transform: undefined, pretty: false };

/** Selects a media type, or throws 406. */
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

/** Applies the parameters of a clause; `undefined` if they are not supported. */
function withParameters({ parameters }: AcceptClause, format: Format, offer: Offer): OutputMedia | undefined {
  const stream = parameters.get("stream");
  if (stream !== undefined && stream !== "" && (stream !== "watch" || format === "yaml")) return undefined;
  const pretty = parameters.get("pretty") === "1";
  if (["as", "g", "v"].every((name) => (parameters.get(name) ?? "") === "")) {
    return { format, transform: undefined, pretty };
  }
  const transform = toTransform(parameters);
  if (transform === undefined || offer.transforms === "none") return undefined;
  // The cells of tables have any type, which protobuf cannot represent.
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

/** Throws 406 if the client accepts none of the media types that the route declares. */
export function checkRouted(call: Call, { formats, route }: Offer): void {
  if (route !== undefined) checkRoute(call, [...formats.map((format) => mediaTypes[format]), ...route.also]);
}

/** Throws 406 if the client accepts none of these media types. */
export function checkRoute(call: Call, types: readonly string[]): void {
  const accept = headerOf(call, "accept") ?? "";
  if (accept !== "" && !parseAccept(accept).some((clause) => isNamed(clause, types))) throw unrouted(types);
}

function unrouted(types: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`;
  return new StatusError(toFailure({ code: 406, reason: "NotAcceptable", message, details: {} }));
}

/** The 406 error that lists media types. */
export function notAcceptableError(available: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${available.join(", ")}`;
  return new StatusError(toFailure({ code: 406, reason: "NotAcceptable", message }));
}

/** Requested by the query, or by a browser, curl or Wget. */
function isPretty(call: Call, query: URLSearchParams): boolean {
  const asked = query.get("pretty");
  if (asked !== null && asked !== "") return /^(1|t|T|TRUE|true|True)$/.test(asked);
  const agent = headerOf(call, "user-agent") ?? "";
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}
