/** Converts CRDs from `apiextensions.k8s.io/v1beta1` to v1, with the defaults of both. */
import type { Json } from "@capstan/model";
import { isObject, type JsonObject } from "../decode/json.ts";

type Draft = { [name: string]: Json };

/** What the server fills in before it judges. */
export function withDefaults(crd: JsonObject): JsonObject {
  const spec = { ...objectAt(crd, "spec") };
  const names = { ...objectAt(spec, "names") };
  const kind = typeof names["kind"] === "string" ? names["kind"] : "";
  if ((names["singular"] ?? "") === "") names["singular"] = kind.toLowerCase();
  if ((names["listKind"] ?? "") === "" && kind !== "") names["listKind"] = `${kind}List`;
  spec["names"] = names;
  spec["conversion"] ??= { strategy: "None" };
  return { ...crd, metadata: crd["metadata"] ?? {}, spec };
}

/** An equivalent v1 definition. */
export function fromOldCrd(crd: JsonObject): JsonObject {
  const { version, validation, subresources, additionalPrinterColumns, ...spec } = objectAt(crd, "spec");
  const shared: Draft = {
    ...(validation === undefined ? {} : { schema: validation }),
    ...(subresources === undefined ? {} : { subresources }),
    ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns: columns(additionalPrinterColumns) }),
  };
  const listed = Array.isArray(spec["versions"]) ? (spec["versions"] as readonly Json[]) : [];
  const single: readonly Json[] = typeof version === "string" ? [{ name: version, served: true, storage: true }] : [];
  const versions = (listed.length > 0 ? listed : single).map((one) => ({ ...shared, ...(isObject(one) ? one : {}) }));
  return withDefaults({
    ...crd,
    apiVersion: "apiextensions.k8s.io/v1",
    spec: {
      ...spec,
      versions,
      scope: spec["scope"] ?? "Namespaced",
      preserveUnknownFields: spec["preserveUnknownFields"] ?? true,
      conversion: conversion(spec["conversion"]),
    },
  });
}

function columns(value: Json): Json {
  if (!Array.isArray(value)) return value;
  return (value as readonly Json[]).map((column) => {
    if (!isObject(column)) return column;
    const { JSONPath, ...rest } = column;
    return JSONPath === undefined ? rest : { ...rest, jsonPath: JSONPath };
  });
}

function conversion(value: Json | undefined): Json {
  if (!isObject(value)) return { strategy: "None" };
  const { webhookClientConfig, conversionReviewVersions, ...rest } = value;
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined) return rest;
  return {
    ...rest,
    webhook: {
      ...(webhookClientConfig === undefined ? {} : { clientConfig: webhookClientConfig }),
      conversionReviewVersions: conversionReviewVersions ?? ["v1beta1"],
    },
  };
}

function objectAt(value: JsonObject, name: string): Draft {
  const found = value[name];
  return isObject(found) ? { ...found } : {};
}
