/** Conversion by a webhook: sends objects in their current version and receives the same objects in the desired version. */
import {
  apiErrors,
  formatApiVersion,
  parseApiVersion,
  quote,
  StatusError,
  toFailure,
  toGoJson,
  type KubeObject,
} from "@capstan/model";
import type { JsonObject } from "../builtin/draft.ts";
import { GoReader } from "../decode/go-codec.ts";
import { structOf } from "../decode/go-type.ts";
import { JsonSyntaxError, parseJson } from "../decode/json-text.ts";
import { typeMetaProblem } from "../decode/object.ts";
import { TypeMismatchError } from "../decode/strict.ts";
import { parseYaml, YamlSyntaxError } from "../decode/yaml-text.ts";
import { addressOf, authorityOf, noPlace, placeOf, type ClientConfig } from "../outgoing/client-config.ts";
import type { OutgoingAnswer, ServiceResolver } from "../outgoing/outgoing.ts";
import { post, type PostServices } from "../outgoing/post.ts";
import { checkConverted, whyNoObject, type Converted } from "./converted-object.ts";

export interface ConversionServices extends PostServices {
  readonly resolveService: ServiceResolver;
  uid(): string;
}

export interface ConversionWebhook {
  readonly clientConfig?: ClientConfig;
  readonly conversionReviewVersions?: readonly string[];
}

/** Converts an object to another version. */
export type Converter = (object: KubeObject, apiVersion: string) => Promise<KubeObject>;

/** A converter that calls the webhook with one object at a time, as kube-apiserver does. */
export function webhookConverter(webhook: ConversionWebhook, services: ConversionServices): Converter {
  return async (object, apiVersion) => {
    const kind = qualifiedKind(object);
    const converted = await ask({ webhook, services, kind, object, apiVersion });
    const [first] = converted;
    if (converted.length !== 1) {
      throw failure(`conversion webhook for ${kind} returned ${converted.length} objects, expected 1`);
    }
    const unreadable = whyNoObject(first);
    if (unreadable !== undefined) throw failure(unreadable);
    const checked = checkConverted(object, first, apiVersion);
    if (typeof checked === "string") throw failure(`conversion webhook for ${kind} returned invalid ${checked}`);
    return checked;
  };
}

/** A kind with its group and version in Go's print format. */
function qualifiedKind({ apiVersion, kind }: KubeObject): string {
  const { group, version } = parseApiVersion(apiVersion);
  return `${formatApiVersion({ group, version })}, Kind=${kind}`;
}

interface Question {
  readonly webhook: ConversionWebhook;
  readonly services: ConversionServices;
  readonly object: KubeObject;
  /** The kind of the object, for errors. */
  readonly kind: string;
  /** The desired version. */
  readonly apiVersion: string;
}

async function ask({ webhook, services, object, kind, apiVersion }: Question): Promise<readonly Converted[]> {
  const version = (webhook.conversionReviewVersions ?? []).find((one) => one === "v1" || one === "v1beta1");
  if (version === undefined) throw failure("no supported conversion review versions");
  const uid = services.uid();
  const review = {
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: [object] },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
  const answer = await send(webhook.clientConfig ?? {}, toGoJson(review), services);
  const objects = typeof answer === "string" ? answer : readReview(answer, version, uid);
  if (typeof objects === "string") throw failure(`conversion webhook for ${kind} failed: ${objects}`);
  return objects;
}

/** The response, or an error. */
async function send(
  config: ClientConfig,
  body: string,
  services: ConversionServices,
): Promise<OutgoingAnswer | string> {
  const url = `${addressOf(config)}?timeout=${timeoutSeconds}s`;
  const connectTo = await placeOf(config, services.resolveService).catch(noPlace);
  if (typeof connectTo === "string") return `Post ${quote(url)}: ${connectTo}`;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, */*",
    "user-agent": "kube-apiserver-admission",
  };
  const authority = authorityOf(config);
  return post({ url, headers, body, authority, connectTo, patience: timeoutSeconds * 1000 }, services);
}

const timeoutSeconds = 30;

interface Review {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly response?: null | {
    readonly uid?: string;
    readonly convertedObjects?: readonly Converted[] | null;
    readonly result?: { readonly status?: string; readonly message?: string };
  };
}

/** The converted objects, or the reason why the response is invalid. */
function readReview(
  { status, headers, body }: OutgoingAnswer,
  version: string,
  uid: string,
): readonly Converted[] | string {
  const text = Buffer.from(body).toString("utf8");
  if (status < 200 || status > 206) return unexpected(status, isText(headers["content-type"]) ? text : "unknown");
  if (text === "") {
    const type = String(headers["content-type"] ?? "application/json");
    return `0-length response with status code: ${status} and content type: ${type}`;
  }
  const review = parseReview(text);
  if (typeof review === "string") return review;
  return (version === "v1" ? checkAddress(review, uid) : undefined) ?? objectsOf(review);
}

const unconvertible = "converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion";

/** Checks that the response is a v1 ConversionReview with the uid of the request. */
function checkAddress({ apiVersion = "", kind = "", response }: Review, uid: string): string | undefined {
  if (apiVersion === "apiextensions.k8s.io/v1beta1") return unconvertible;
  const expected = "apiextensions.k8s.io/v1, Kind=ConversionReview";
  // Go prints a slash between group and version, even if one is empty.
  const found = `${apiVersion.includes("/") ? "" : "/"}${apiVersion}, Kind=${kind}`;
  if (found !== expected) return `expected webhook response of ${expected}, got ${found}`;
  if (response === undefined || response === null || response.uid === uid) return undefined;
  return `expected response.uid=${quote(uid)}, got ${quote(response.uid ?? "")}`;
}

function objectsOf({ response }: Review): readonly Converted[] | string {
  if (response === undefined || response === null) return "no response provided";
  const { status = "", message = "" } = response.result ?? {};
  if (status === "Success") return response.convertedObjects ?? [];
  return message === "" ? `response.result.status was '${status}', not 'Success'` : message;
}

/** A response that is not JSON may be YAML. */
function parseReview(text: string): Review | string {
  try {
    const value = /^\s*\{/.test(text) ? parseJson(text) : parseYaml(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return toReview(value);
    return typeMetaProblem(value);
  } catch (error) {
    if (error instanceof YamlSyntaxError || error instanceof TypeMismatchError) return error.message;
    if (!(error instanceof JsonSyntaxError)) throw error;
    return `couldn't get version/kind; json parse error: ${error.message}`;
  }
}

/** Decodes the response; the objects in it are not checked here. */
function toReview(value: JsonObject): Review {
  return new GoReader(undefined, "text").readObject(structOf("apiextensions/v1.ConversionReview"), value) as Review;
}

/** Only text bodies are quoted in errors. A body without a Content-Type counts as text. */
function isText(type: string | string[] | undefined): boolean {
  return type === undefined || String(type).startsWith("text/");
}

function unexpected(code: number, serverMessage: string): string {
  const resource = { group: "", resource: "" };
  const { message } = apiErrors.genericServerResponse({
    code,
    verb: "POST",
    resource,
    name: "",
    serverMessage: serverMessage.trim(),
    retryAfterSeconds: 0,
    isUnexpected: true,
  });
  return message;
}

/** kube-apiserver sets no reason for this error either. */
function failure(message: string): StatusError {
  return new StatusError(toFailure({ code: 500, reason: "", message }));
}
