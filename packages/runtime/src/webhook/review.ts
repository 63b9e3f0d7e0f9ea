/** The requests and responses of webhooks: AdmissionReview and ConversionReview, both v1. */
import type { JsonPatchStep } from "@capstan/client";
import type { KubeObject, Status } from "@capstan/model";
import { WebhookError } from "./errors.ts";

/** The request of an AdmissionReview. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly name: string;
  readonly namespace: string;
  /** Absent on delete. */
  readonly object: KubeObject | undefined;
  /** Absent on create. */
  readonly oldObject: KubeObject | undefined;
}

/** The response of an AdmissionReview. */
export interface AdmissionVerdict {
  readonly allowed: boolean;
  /** The reason of a rejection. */
  readonly status?: Status;
  /** Changes, as a JSON patch. */
  readonly patch?: readonly JsonPatchStep[];
  readonly warnings?: readonly string[];
}

/** The request of a ConversionReview. */
export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

/** The result of a conversion: all objects in their order, or an error. */
export type Conversion =
  | { readonly outcome: "converted"; readonly objects: readonly KubeObject[] }
  | { readonly outcome: "failed"; readonly message: string };

/** Reads an AdmissionReview. */
export function readAdmissionReview(body: string): AdmissionRequest {
  const request = readRequest(body, "admission.k8s.io/v1", "AdmissionReview");
  return {
    uid: textOf(request, "uid"),
    operation: operationOf(request),
    name: textOf(request, "name"),
    namespace: textOf(request, "namespace"),
    object: objectOf(request["object"]),
    oldObject: objectOf(request["oldObject"]),
  };
}

/** Writes the response of an AdmissionReview. */
export function writeAdmissionReview(uid: string, { allowed, status, patch, warnings }: AdmissionVerdict): string {
  const hasPatch = patch !== undefined && patch.length > 0;
  const response = {
    uid,
    allowed,
    ...(status === undefined ? {} : { status }),
    ...(hasPatch ? { patchType: "JSONPatch", patch: toBase64(JSON.stringify(patch)) } : {}),
    ...(warnings === undefined || warnings.length === 0 ? {} : { warnings }),
  };
  return JSON.stringify({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", response });
}

/** Reads a ConversionReview. */
export function readConversionReview(body: string): ConversionRequest {
  const request = readRequest(body, "apiextensions.k8s.io/v1", "ConversionReview");
  const objects: unknown = request["objects"];
  if (!Array.isArray(objects)) throw malformed("request.objects is not a list");
  return {
    uid: textOf(request, "uid"),
    desiredAPIVersion: textOf(request, "desiredAPIVersion"),
    objects: objects.map((object: unknown) => {
      const read = objectOf(object);
      if (read === undefined) throw malformed("request.objects holds something that is no object");
      return read;
    }),
  };
}

/** Writes the response of a ConversionReview. */
export function writeConversionReview(uid: string, conversion: Conversion): string {
  const isDone = conversion.outcome === "converted";
  const response = {
    uid,
    convertedObjects: isDone ? conversion.objects : [],
    result: isDone ? { status: "Success" } : { status: "Failure", message: conversion.message },
  };
  return JSON.stringify({ kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1", response });
}

interface Fields {
  readonly [name: string]: unknown;
}

function readRequest(body: string, apiVersion: string, kind: string): Fields {
  const review = parse(body);
  if (!isFields(review) || review["apiVersion"] !== apiVersion || review["kind"] !== kind) {
    throw malformed(`it is not a ${kind} of ${apiVersion}`);
  }
  const request = review["request"];
  if (!isFields(request)) throw malformed("it has no request");
  return request;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw malformed("it is not JSON", cause);
  }
}

function operationOf(request: Fields): AdmissionRequest["operation"] {
  const { operation } = request as { readonly operation?: unknown };
  if (operation === "CREATE" || operation === "UPDATE" || operation === "DELETE" || operation === "CONNECT") {
    return operation;
  }
  throw malformed(`"${String(operation)}" is no operation`);
}

/** Absent strings are empty, as Go omits them. */
function textOf(request: Fields, name: string): string {
  const value = request[name] ?? "";
  if (typeof value === "string") return value;
  throw malformed(`request.${name} is not text`);
}

function objectOf(value: unknown): KubeObject | undefined {
  if (value === undefined || value === null) return undefined;
  const { apiVersion, kind } = isFields(value) ? value : {};
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    throw malformed("an object has no apiVersion or kind");
  return value as unknown as KubeObject;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(why: string, cause?: unknown): WebhookError {
  return new WebhookError("Malformed", `Cannot read the review: ${why}.`, { cause });
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
