/** Decodes a body to a draft: format, kind and version, structure, defaults. */
import { isUtf8 } from "node:buffer";
import { apiErrors, formatApiVersion, parseApiVersion, ParseError, quote } from "@capstan/model";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import { headerOf } from "../call.ts";
import type { Format } from "../encode/media.ts";
import type { ResourceExchange } from "../exchange.ts";
import { decodeProtobuf, ProtobufError } from "../protobuf/protobuf.ts";
import type { Codec, ServedResource } from "../resources/resource.ts";
import type { FieldValidation } from "../verbs/options.ts";
import { GoReader } from "./go-codec.ts";
import { goTypeOf, type GoStruct } from "./go-type.ts";
import { JsonSyntaxError, parseJson, parseJsonLiterals } from "./json-text.ts";
import { formatOfBody } from "./media-type.ts";
import { firstBeyondFloat } from "./number-literal.ts";
import { isOldVersion } from "./old-versions.ts";
import { StrictProblems, TypeMismatchError } from "./strict.ts";
import { parseYaml, YamlSyntaxError } from "./yaml-text.ts";

/** The expected kind of a body, and its codec. */
export interface Expected {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly codec: Codec;
  /** Custom objects must name their kind and version, and are checked against it later. */
  readonly isCustom?: boolean;
  /** The codecs of other versions of a custom kind, served or not. */
  readonly versions?: ServedResource["versions"];
  /** Whether the decoder knows only this kind at this version. */
  readonly isAlone?: boolean;
}

/** The expected kind of a resource. */
export function expectedOf(resource: ServedResource): Expected {
  const { group, version, kind, codec, isCustom, versions } = resource;
  return { group, version, kind, codec, isCustom, ...(versions === undefined ? {} : { versions }) };
}

const builtinFormats: readonly Format[] = ["json", "yaml", "protobuf"];
const customFormats: readonly Format[] = ["json", "yaml"];

/** Reads the body of a request as an object of the expected kind, with defaults. */
export async function readObject(
  exchange: ResourceExchange,
  expected: Expected,
  validation: FieldValidation,
): Promise<AnyDraft> {
  const format = checkBodyFormat(exchange);
  const body = await exchange.call.body();
  const problems = validation === "Ignore" ? undefined : new StrictProblems();
  const settle = (said: TypeMeta): void => {
    if (problems !== undefined && problems.messages.length > 0) {
      if (validation === "Strict" && isWithoutVersion(said)) throw apiErrors.badRequest(noVersion);
      settleProblems(exchange, said, { problems, validation });
    }
  };
  const draft = toDraft({ body, format, expected, problems }, settle);
  settle(expected);
  setDefaults(draft, expected, body);
  const { name, namespace, uid, resourceVersion } = draft.metadata;
  exchange.trail.sent = { name, namespace, uid, resourceVersion };
  return draft;
}

/** Defaulting also decodes annotations that mirror fields of the internal types, so it may fail. */
function setDefaults(draft: AnyDraft, expected: Expected, body: Uint8Array): void {
  try {
    expected.codec.defaults(draft);
  } catch (error) {
    throw toDecodeError(error, { actual: expected, expected, body });
  }
}

/** Reads the body again and keeps the order of its map entries; `undefined` if the format has no such order. */
export async function readAsWritten(exchange: ResourceExchange, expected: Expected): Promise<object | undefined> {
  if (checkBodyFormat(exchange) !== "json") return undefined;
  try {
    const value = parseBody(await exchange.call.body(), "json", { expected, problems: undefined });
    // A custom object consists of maps. Its metadata is decoded through a sorted text.
    if (expected.isCustom === true) return { ...(value as object), metadata: null };
    const draft = expected.codec.decode(value ?? {}, undefined, "written");
    // Defaults copied from other maps keep the order of those maps.
    expected.codec.defaults(draft);
    return draft;
  } catch (error) {
    if (error instanceof TypeMismatchError) return undefined;
    throw error;
  }
}

/** The format of the body, which the kind must support. */
export function checkBodyFormat({ call, resource }: ResourceExchange): Format {
  return formatOfBody(headerOf(call, "content-type"), resource.isCustom ? customFormats : builtinFormats);
}

/** Strict validation rejects the request; Warn adds warnings. */
export function settleProblems(
  exchange: Pick<ResourceExchange, "warnings">,
  { kind, version }: Pick<Expected, "kind" | "version">,
  { problems, validation }: { problems: Pick<StrictProblems, "messages" | "refusals">; validation: FieldValidation },
): void {
  if (validation === "Strict") {
    const why = `strict decoding error: ${problems.refusals.join(", ")}`;
    throw apiErrors.badRequest(`${kind} in version ${quote(version)} cannot be handled as a ${kind}: ${why}`);
  }
  for (const message of problems.messages) exchange.warnings.add(message);
}

interface Body {
  readonly body: Uint8Array;
  readonly format: Format;
  readonly expected: Expected;
  readonly problems: StrictProblems | undefined;
}

/** Unknown fields of an object of another version are reported before the version is rejected. */
function toDraft({ body, format, expected, problems }: Body, settle: (said: TypeMeta) => void): AnyDraft {
  let actual: TypeMeta | undefined;
  try {
    const value = parseBody(body, format, { expected, problems });
    if (expected.isCustom === true) {
      // The decoder that ignores unknown fields notices a missing kind later, when it knows the version.
      if (problems === undefined) actual = withDefaultVersion(readTypeMeta(value, expected), expected);
      checkCustomKind(value, Buffer.from(body).toString("utf8"), actual !== undefined);
    }
    actual = readTypeMeta(value, expected);
    if (expected.isCustom === true) checkGivenVersion(value);
    if (isOtherVersion(actual, expected)) {
      const isKind = actual.group === expected.group && actual.kind === expected.kind;
      expected.versions?.(isKind ? actual.version : undefined).decode(value ?? {}, problems, "text");
      settle(actual);
    }
    checkKind({ ...actual, value }, expected);
    // Unknown fields of a custom object are looked for only if it says to be of the kind.
    const isNamed = expected.isCustom !== true || actual.kind === expected.kind;
    const draft = expected.codec.decode(value ?? {}, isNamed ? problems : undefined, "text");
    if (expected.isCustom !== true) problems?.orderBy(value);
    return draft;
  } catch (error) {
    throw toDecodeError(error, { actual, expected, body });
  }
}

function parseBody(
  body: Uint8Array,
  format: Format,
  { expected, problems }: Pick<Body, "expected" | "problems">,
): JsonValue {
  if (format === "protobuf") return decodeProtobuf(body, expected).object as JsonValue;
  if (format === "yaml" && !isUtf8(body)) throw new YamlSyntaxError("yaml: invalid leading UTF-8 octet");
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  if (format === "yaml") return parseYaml(text, problems);
  return expected.isCustom === true ? parseCustom(text, expected, problems) : parseJsonLiterals(text, problems);
}

/** Custom objects accept every number that fits into a float, whatever their schema. */
function parseCustom(text: string, { kind, version }: Expected, problems: StrictProblems | undefined): JsonValue {
  const value = parseJson(text, problems);
  const beyond = firstBeyondFloat(text);
  if (beyond === undefined) return value;
  const why = `json: cannot unmarshal number ${beyond} into Go value of type float64`;
  throw apiErrors.badRequest(`${kind} in version ${quote(version)} cannot be handled as a ${kind}: ${why}`);
}

interface TypeMeta {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kind and version in a body; missing parts come from the expected kind. */
function readTypeMeta(value: JsonValue, expected: Expected): TypeMeta {
  if (value !== null && (typeof value !== "object" || Array.isArray(value)))
    throw new UnrecognizedError(typeMetaProblem(value));
  const apiVersion = readMetaField(value?.["apiVersion"], "apiVersion");
  const kind = readMetaField(value?.["kind"], "kind");
  const isDefault = apiVersion === "" && expected.isCustom !== true;
  const { group, version } = isDefault ? expected : readApiVersion(apiVersion);
  return { group, version, kind: kind === "" ? expected.kind : kind };
}

function withDefaultVersion(said: TypeMeta, { version }: Expected): TypeMeta {
  return said.version === "" ? { ...said, version } : said;
}

/** A custom object has a text as its version, or none; null is not a text. */
function checkGivenVersion(value: JsonValue): void {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value["apiVersion"] !== null) return;
  throw new TypeMismatchError(".apiVersion accessor error: <nil> is of the type <nil>, expected string");
}

function readApiVersion(apiVersion: string): { group: string; version: string } {
  try {
    return parseApiVersion(apiVersion);
  } catch (error) {
    throw error instanceof ParseError ? new UnrecognizedError(error.message) : error;
  }
}

/** A body without a readable kind. */
class UnrecognizedError extends Error {
  override readonly name = "UnrecognizedError";
  readonly code = "Unrecognized";
}

const metaStruct = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** The error for a body that is not an object and so has no kind. */
export function typeMetaProblem(value: JsonValue): string {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type ${metaStruct}`;
}

function readMetaField(value: JsonValue | undefined, name: string): string {
  const problem = metaFieldProblem(value, name);
  if (problem !== undefined) throw new UnrecognizedError(problem);
  return typeof value === "string" ? value : "";
}

/** The error for an invalid `kind` or `apiVersion` field. */
export function metaFieldProblem(value: JsonValue | undefined, name: string): string | undefined {
  if (value === undefined || value === null || typeof value === "string") return undefined;
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go struct field .${name} of type string`;
}

function checkCustomKind(value: JsonValue, text: string, isVersionKnown = false): void {
  if (typeof value !== "object" || Array.isArray(value)) return;
  const kind = value?.["kind"];
  if (kind !== undefined && kind !== null && kind !== "") return;
  const why = `Object 'Kind' is missing in '${text}'`;
  throw isVersionKnown ? new TypeMismatchError(why) : new UnrecognizedError(why);
}

export const noVersion = "Object 'apiVersion' is missing in 'object has no apiVersion field'";

/** A group without a version, as in `example.com/`. */
function isWithoutVersion({ group, version }: TypeMeta): boolean {
  return group !== "" && version === "";
}

/** Why a patched document is not of the expected kind any more. Another version of the same kind is allowed. */
export function patchedKindProblem(
  document: JsonValue,
  { expected, text }: { expected: Expected; text: string },
): string | undefined {
  try {
    if (expected.isCustom === true) {
      checkCustomKind(document, text);
      checkGivenVersion(document);
    }
    const actual = readTypeMeta(document, expected);
    if (expected.isCustom !== true && !isSameKind(actual, expected)) {
      checkKnown({ ...actual, value: document }, expected);
    }
    return undefined;
  } catch (error) {
    if (error instanceof UnrecognizedError || error instanceof TypeMismatchError) return error.message;
    throw error;
  }
}

function isSameKind(actual: TypeMeta, expected: TypeMeta): boolean {
  return actual.group === expected.group && actual.kind === expected.kind && actual.version === expected.version;
}

function isOtherVersion({ group, version }: TypeMeta, expected: Expected): boolean {
  return expected.isCustom === true && !(group === expected.group && version === expected.version);
}

/** The kind and version in a body, with the body. */
interface Said extends TypeMeta {
  readonly value: JsonValue;
}

/** A wrong kind stops the decoding; another version of the right kind is rejected afterwards. */
function checkKind(actual: Said, expected: Expected): void {
  const { group, version } = actual;
  if (isSameKind(actual, expected)) return;
  const apiVersion = formatApiVersion(actual);
  if (expected.isCustom === true) {
    if (group === expected.group && version === expected.version) return;
    throw versionMismatch(apiVersion, expected);
  }
  checkKnown(actual, expected);
  // Evictions of policy/v1beta1 are accepted as well.
  if (expected.kind === "Eviction") return;
  throw versionMismatch(apiVersion, expected);
}

/** The kind must be known to the server and be a version of the expected one. */
function checkKnown(actual: Said, expected: Expected): void {
  const { group, version, kind, value } = actual;
  const apiVersion = formatApiVersion(actual);
  const isOld = isSameScheme(group, expected.group) && isOldVersion(apiVersion, kind);
  if (kind === expected.kind && isOld) return;
  const type = expected.isAlone === true ? undefined : registeredAs(actual, expected);
  if (type === undefined && (expected.isAlone === true || !isOld)) {
    const scheme = "pkg/runtime/scheme.go:111";
    const why = `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`;
    throw new TypeMismatchError(why);
  }
  // Events of both groups have the same internal type.
  if (goPackageOf(group) === goPackageOf(expected.group) && kind === expected.kind) return;
  // The value is first decoded as the kind that it names, which may fail.
  if (type !== undefined) new GoReader(undefined, "text").readObject(type, value ?? {});
  const from = `${version}.${kind}`;
  throw new TypeMismatchError(
    `converting (${from}) to (${goPackageOf(expected.group)}.${expected.kind}): unknown conversion`,
  );
}

/** Kinds that are registered in every scheme. */
const everywhere = /^(?:Status|API(?:Group|GroupList|ResourceList|Versions)|[A-Z][a-z]+Options|WatchEvent)$/;

/** The Go type of a kind, if it is registered in the scheme of the expected kind. */
function registeredAs({ group, version, kind }: TypeMeta, expected: Expected): GoStruct | undefined {
  const isKnown = isSameScheme(group, expected.group) || (group === "" && everywhere.test(kind));
  return isKnown ? goTypeOf(formatApiVersion({ group, version }), kind) : undefined;
}

/** kube-apiserver serves CRDs and APIServices by separate servers, which do not know other kinds. */
const apartGroups = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

function isSameScheme(group: string, expected: string): boolean {
  return group === expected || !(apartGroups.has(group) || apartGroups.has(expected));
}

function versionMismatch(apiVersion: string, expected: Expected): Error {
  const own = formatApiVersion(expected);
  return apiErrors.badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${own})`,
  );
}

/** Go's package of the internal types of a group. */
export function goPackageOf(group: string): string {
  return group === "" || group === "events.k8s.io" ? "core" : (group.split(".")[0] ?? group);
}

function toDecodeError(
  error: unknown,
  { actual, expected, body }: { actual: TypeMeta | undefined; expected: Expected; body: Uint8Array },
): unknown {
  if (error instanceof JsonSyntaxError) {
    return unrecognized(expected, `couldn't get version/kind; json parse error: ${error.message}`, body);
  }
  const said = error instanceof ProtobufError ? error.said : error instanceof TypeMismatchError ? actual : undefined;
  if (error instanceof Error && said !== undefined) {
    return apiErrors.badRequest(
      `${said.kind} in version ${quote(said.version)} cannot be handled as a ${expected.kind}: ${error.message}`,
    );
  }
  if (error instanceof UnrecognizedError || error instanceof ProtobufError || error instanceof YamlSyntaxError) {
    return unrecognized(expected, error.message, body);
  }
  if (error instanceof RangeError) {
    const why = "couldn't get version/kind; json parse error: invalid character '[' exceeded max depth";
    return unrecognized(expected, why, body);
  }
  return error;
}

function unrecognized({ kind }: Expected, why: string, body: Uint8Array): Error {
  return apiErrors.badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summarize(body)})`,
  );
}

const summaryLength = 30;

/** The beginning of a body for an error: text if it may be JSON, else hexadecimal digits. */
function summarize(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = Buffer.from(body.subarray(0, summaryLength));
  const text = body[0] === 0x7b ? start.toString("utf8") : start.toString("hex");
  return body.length > summaryLength ? `${text} ...` : text;
}
