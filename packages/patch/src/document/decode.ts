/** Decodes patches, with the errors of kube-apiserver for invalid bodies. */
import type { Json } from "@capstan/model";
import { PatchError } from "../errors.ts";
import { isList, isObject, type JsonObject } from "../json-value.ts";

/** The operations of a patch, as the applying library reads them. */
export function checkOperations(patch: Json, maxOperations: number): readonly JsonObject[] {
  if (patch === null) return [];
  if (!isList(patch)) throw notDecoded(patch, "jsonpatch.Patch");
  const operations = patch.map((operation) => {
    if (operation === null) return {};
    if (!isObject(operation)) throw notDecoded(operation, "jsonpatch.Operation");
    return operation;
  });
  if (operations.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`;
    throw new PatchError("TooLarge", message);
  }
  return operations;
}

const operationFields = new Set(["op", "path", "from", "value"]);

/**
 * The server's first check when fields are validated (the default): the types of the operations. Returns the paths of unknown fields,
 * which are warnings or, under `Strict`, an error.
 */
export function checkJsonPatchFields(patch: Json): string[] {
  if (patch === null) return [];
  if (!isList(patch)) throw badPatch(patch, "Go value of type []handlers.jsonPatchOp");
  return patch.flatMap((operation, index) => {
    if (operation === null) return [];
    if (!isObject(operation)) throw badPatch(operation, "Go value of type handlers.jsonPatchOp");
    return checkOperationFields(operation, index);
  });
}

function checkOperationFields(operation: JsonObject, index: number): string[] {
  for (const field of ["op", "path", "from"]) {
    const value = operation[field];
    if (value !== undefined && value !== null && typeof value !== "string") {
      throw badPatch(value, `Go struct field jsonPatchOp.${field} of type string`);
    }
  }
  const unknown = Object.keys(operation).filter((field) => !operationFields.has(field));
  return unknown.map((field) => `[${index}].${field}`);
}

/** The server's first check of a merge patch, when fields are validated, and always of a strategic one: it is an object. */
export function checkMergePatchBody(patch: Json, kind: "merge" | "strategic"): void {
  if (patch === null || isObject(patch)) return;
  const target = "Go value of type map[string]interface {}";
  if (kind === "merge") throw badPatch(patch, target);
  throw new PatchError("BadRequest", `json: cannot unmarshal ${jsonKind(patch)} into ${target}`);
}

function badPatch(value: Json, target: string): PatchError {
  return new PatchError("BadRequest", `error decoding patch: json: cannot unmarshal ${jsonKind(value)} into ${target}`);
}

function notDecoded(value: Json, target: string): PatchError {
  return new PatchError("BadRequest", `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${target}`);
}

function jsonKind(value: Json): string {
  if (isList(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
