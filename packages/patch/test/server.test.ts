/** The responses of a real kube-apiserver to the stories, compared with our results for the same requests. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { builtInDefinitions, definitionNameOf } from "@capstan/kinds";
import { parseApiVersion, type Json } from "@capstan/model";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  fieldSetOf,
  fromCrd,
  fromOpenApi,
  ignoreTimestampChange,
  manageFields,
  patchTypeFromOpenApi,
  recursiveDifferenceOf,
  zeroObject,
  type FieldFilter,
  type FieldPath,
  type JsonObject,
  type ManageFieldsOptions,
} from "../src/index.ts";
import { thingSchema, type StoryRequest } from "./oracle/stories.ts";

interface Recorded {
  readonly story: string;
  readonly step: StoryRequest;
  readonly before: JsonObject | null;
  readonly status: number;
  readonly after: JsonObject;
}

const file = process.env["CAPSTAN_ORACLE_SERVER"] ?? new URL("fixtures/generated/server.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded[];

/** The fields that each endpoint resets: the main resource its status, the status subresource everything else. */
const resets: Readonly<Record<string, { main: FieldPath[]; status: FieldPath[] }>> = {
  web: { main: [["f:status"]], status: [["f:spec"], ["f:metadata", "f:labels"]] },
  svc: { main: [["f:status"]], status: [["f:spec"]] },
  config: { main: [], status: [] },
  thing: { main: [["f:status"]], status: [["f:spec"], ["f:metadata"]] },
  first: { main: [["f:status"]], status: [] },
};

function filterFor({ story, step }: Recorded): FieldFilter {
  const set = fieldSetOf(...(resets[story]?.[step.subresource ?? "main"] ?? []));
  return (fields) => recursiveDifferenceOf(fields, set);
}

function kindOf({ before, after }: Recorded): { apiVersion: string; kind: string } {
  return (before ?? after) as unknown as { apiVersion: string; kind: string };
}

function definitionName(entry: Recorded): string {
  const { apiVersion, kind } = kindOf(entry);
  return definitionNameOf({ ...parseApiVersion(apiVersion), kind }) ?? "";
}

function optionsFor(entry: Recorded, incoming: JsonObject): ManageFieldsOptions {
  const { step, before } = entry;
  const { apiVersion, kind } = kindOf(entry);
  const definitions = builtInDefinitions();
  const isCustom = entry.story === "thing";
  return {
    operation: step.verb === "apply" ? "Apply" : "Update",
    live: before ?? undefined,
    incoming,
    apiVersion,
    kind,
    manager: step.manager,
    subresource: step.subresource ?? "",
    force: step.force ?? false,
    now: newestTime(entry),
    schema: isCustom ? fromCrd(thingSchema, { definitions }) : fromOpenApi(definitions, definitionName(entry)),
    ...(!isCustom && { empty: zeroObject(definitions, definitionName(entry)) }),
    resetFields: { [apiVersion]: filterFor(entry) },
  };
}

function entriesOf(object: JsonObject | null): readonly JsonObject[] {
  const metadata = (object?.["metadata"] ?? {}) as JsonObject;
  return (metadata["managedFields"] ?? []) as readonly JsonObject[];
}

/** The server's clock, from its response; a request without effect leaves no time. */
function newestTime({ after }: Recorded): Date {
  const times = entriesOf(after).map((entry) => (entry["time"] as string | undefined) ?? "");
  return new Date(times.sort().at(-1) || "2030-01-01T00:00:00Z");
}

/** The result of the request on the live object, before the server defaults and completes it. */
function patched(entry: Recorded): JsonObject {
  const { step, before } = entry;
  const live = before ?? {};
  switch (step.verb) {
    case "json":
      return applyJsonPatch(live, step.body) as JsonObject;
    case "merge":
      return applyMergePatch(live, step.body) as JsonObject;
    case "strategic":
      return applyStrategicPatch(
        live,
        step.body as JsonObject,
        patchTypeFromOpenApi(builtInDefinitions(), definitionName(entry)),
      );
    case "update":
      return { ...live, ...(step.body as JsonObject) };
    default:
      return step.body as JsonObject;
  }
}

/** Fields that the server sets only after field management. */
const allocated = new Set(["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]);

/** The whole object as the server manages its fields: defaulted, with the managed fields that the client sent. */
function completed(entry: Recorded): JsonObject {
  const { after, story, step } = entry;
  const { managedFields: _, ...metadata } = after["metadata"] as JsonObject;
  const sent = (patched(entry)["metadata"] as JsonObject)["managedFields"];
  const spec = after["spec"] as JsonObject | undefined;
  const isNewService = story === "svc" && step.verb === "create";
  const kept = Object.fromEntries(Object.entries(spec ?? {}).filter(([key]) => !isNewService || !allocated.has(key)));
  return {
    ...after,
    metadata: { ...metadata, ...(sent !== undefined && { managedFields: sent }) },
    ...(spec && { spec: kept }),
  };
}

function isPart(part: Json | undefined, whole: Json | undefined): boolean {
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.length === whole.length && part.every((item, at) => isPart(item as Json, whole[at] as Json));
  }
  if (typeof part === "object" && part !== null && typeof whole === "object" && whole !== null) {
    return Object.entries(part).every(([key, value]) => isPart(value, (whole as JsonObject)[key]));
  }
  const isNothing = part === null || part === undefined || part === "";
  return part === whole || (isNothing && (whole === null || whole === undefined));
}

/** Without the fields that the server sets whenever it stores an object. */
function content(object: JsonObject): JsonObject {
  const { managedFields: _, resourceVersion: __, generation: ___, ...metadata } = object["metadata"] as JsonObject;
  return { ...object, metadata };
}

for (const [index, entry] of recorded.entries()) {
  const { step, before, status, after } = entry;
  const name = `${kindOf(entry).kind} ${index}: ${step.manager} sends ${step.verb}, the server answers ${status}`;
  if (status === 422) continue;
  test(name, () => {
    const isApply = step.verb === "apply";
    const result = manageFields(optionsFor(entry, isApply ? (step.body as JsonObject) : completed(entry)));
    if (result.outcome !== "done") {
      const codes = { BadRequest: 400, Internal: 500, Unprocessable: 422, TooLarge: 413, Conflict: 409 };
      assert.equal(result.outcome === "conflict" ? 409 : codes[result.code], status);
      assert.deepEqual(result.message.split("\n").sort(), (after["message"] as string).split("\n").sort());
      const details = (after["details"] ?? {}) as JsonObject;
      if (result.outcome === "conflict") assert.deepEqual(result.causes, details["causes"]);
      return;
    }
    const object = before === null ? result.object : ignoreTimestampChange(before, result.object);
    assert.deepEqual(entriesOf(object), entriesOf(after));
    const { status: written, ...main } = content(isApply ? object : patched(entry));
    // The status of the main resource is reset when it is stored, whatever the request contains.
    const made = step.subresource === "status" ? { status: written } : main;
    assert.ok(
      isPart(made, content(after)),
      `${JSON.stringify(made)}\nis not part of\n${JSON.stringify(content(after))}`,
    );
  });
}
