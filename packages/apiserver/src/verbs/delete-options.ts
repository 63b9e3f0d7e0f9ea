/** The options of a delete, from its body or from its query. */
import {
  apiErrors,
  formatApiVersion,
  parseApiVersion,
  ParseError,
  parseInt64,
  quote,
  type KubeObject,
} from "@capstan/model";
import type { JsonObject, JsonValue } from "../builtin/draft.ts";
import { checkPropagation } from "../builtin/meta/propagation.ts";
import { headerOf } from "../call.ts";
import { GoReader } from "../decode/go-codec.ts";
import { structOf } from "../decode/go-type.ts";
import { JsonSyntaxError, parseJsonLiterals } from "../decode/json-text.ts";
import { metaFieldProblem, typeMetaProblem } from "../decode/object.ts";
import { formatOfBody } from "../decode/media-type.ts";
import { TypeMismatchError } from "../decode/strict.ts";
import { parseYaml, YamlSyntaxError } from "../decode/yaml-text.ts";
import type { ResourceExchange } from "../exchange.ts";
import { decodeProtobuf, ProtobufError } from "../protobuf/protobuf.ts";
import { checkDryRun } from "../builtin/meta/dry-run.ts";
import { invalidOptions } from "./options.ts";

/** The deletion propagation policy for dependents. */
export type Propagation = "Foreground" | "Background" | "Orphan";

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: Propagation | undefined;
  readonly dryRun: boolean;
  /** The options as an object, for admission. */
  readonly object: KubeObject;
}

interface RawOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
}

/** Reads and validates delete options. A body takes precedence over the query. */
export async function readDeleteOptions(exchange: ResourceExchange): Promise<DeleteOptions> {
  const body = await exchange.call.body();
  const raw = body.length > 0 ? readBody(exchange, body) : readQuery(exchange.query);
  const errors = [...checkPropagation(raw), ...checkDryRun(raw.dryRun ?? [])];
  if (errors.length > 0) throw invalidOptions("DeleteOptions", errors);
  return {
    gracePeriodSeconds: raw.gracePeriodSeconds,
    preconditions: raw.preconditions ?? {},
    orphanDependents: raw.orphanDependents,
    propagationPolicy: raw.propagationPolicy as Propagation | undefined,
    dryRun: (raw.dryRun ?? []).length > 0,
    object: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", ...raw } as unknown as KubeObject,
  };
}

function readQuery(query: URLSearchParams): RawOptions {
  const grace = query.get("gracePeriodSeconds");
  const orphan = query.get("orphanDependents");
  const policy = query.get("propagationPolicy");
  const dryRun = query.getAll("dryRun");
  const [uid, resourceVersion] = [query.get("uid") ?? "", query.get("resourceVersion") ?? ""];
  const hasPreconditions = uid !== "" || resourceVersion !== "";
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: readInteger(grace) }),
    ...(hasPreconditions
      ? {
          preconditions: { ...(uid === "" ? {} : { uid }), ...(resourceVersion === "" ? {} : { resourceVersion }) },
        }
      : {}),
    ...(orphan === null ? {} : { orphanDependents: orphan.toLowerCase() !== "false" && orphan !== "0" }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}

function readInteger(text: string): number {
  if (parseInt64(text) !== undefined) return Number(text);
  const why = /^[+-]?[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  throw apiErrors.badRequest(`strconv.ParseInt: parsing ${quote(text)}: ${why}`);
}

function readBody({ call }: ResourceExchange, body: Uint8Array): RawOptions {
  const format = formatOfBody(headerOf(call, "content-type"), ["json", "yaml", "protobuf"]);
  const fallback = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" };
  try {
    const value =
      format === "protobuf"
        ? (decodeProtobuf(body, fallback).object as JsonValue)
        : parseText(Buffer.from(body).toString("utf8"), format);
    const fields = asFields(value);
    const { kind, apiVersion } = fields;
    if (typeof apiVersion === "string" && apiVersion !== "") parseApiVersion(apiVersion);
    if (typeof kind === "string" && kind !== "" && kind !== "DeleteOptions") {
      throw unknownKind(kind, typeof apiVersion === "string" && apiVersion !== "" ? apiVersion : undefined);
    }
    const { apiVersion: _apiVersion, kind: _kind, ...options } = toFields(fields);
    return options;
  } catch (error) {
    // The kind in the envelope is checked before the body is decoded.
    if (error instanceof ProtobufError && error.said !== undefined && error.said.kind !== fallback.kind) {
      throw unknownKind(error.said.kind, formatApiVersion(error.said));
    }
    if (isUnreadable(error)) throw apiErrors.badRequest(error.message);
    if (error instanceof JsonSyntaxError) {
      throw apiErrors.badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    }
    throw error;
  }
}

function isUnreadable(error: unknown): error is Error {
  return [TypeMismatchError, YamlSyntaxError, ParseError, ProtobufError].some((type) => error instanceof type);
}

function asFields(value: JsonValue): JsonObject {
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new TypeMismatchError(typeMetaProblem(value));
  for (const field of ["apiVersion", "kind"]) {
    const problem = metaFieldProblem(value[field], field);
    if (problem !== undefined) throw new TypeMismatchError(problem);
  }
  return value;
}

function unknownKind(kind: string, apiVersion = "meta.k8s.io/v1"): Error {
  return apiErrors.badRequest(
    `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function parseText(text: string, format: "json" | "yaml"): JsonValue {
  return format === "json" ? parseJsonLiterals(text) : parseYaml(text);
}

function toFields(value: JsonValue): RawOptions & { apiVersion?: string; kind?: string } {
  return new GoReader(undefined).readObject(structOf("meta/v1.DeleteOptions"), value);
}
