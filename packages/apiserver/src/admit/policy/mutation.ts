/** One mutation: an expression returns a patch, which is applied to the object. */
import {
  CelJsonPatch,
  CelList,
  CelPartialObject,
  listOf,
  objectType,
  toJson,
  withinWork,
  WORK_LIMIT,
  WorkExceededError,
  type CelValue,
} from "@capstan/cel";
import { cloneJson, parseExactJson, toGoJson, type Json, type KubeObject } from "@capstan/model";
import {
  applyJsonPatch,
  findTypeErrors,
  mergeValues,
  PatchError,
  type JsonObject,
  type TypeSchema,
} from "@capstan/patch";
import { evaluate, policyBudget } from "../expression/compiled.ts";
import type { Scene } from "../expression/variables.ts";
import type { Mutation } from "./policy.ts";
import type { Program } from "./program.ts";

/** A mutation that failed; the failure policy decides. */
export class MutationError extends Error {
  override readonly name = "MutationError";
  readonly code = "MutationError";
}

/** The inputs of a mutation. */
export interface MutationInputs {
  readonly program: Program;
  readonly scene: Scene;
  readonly params: KubeObject | undefined;
  readonly schema: TypeSchema | undefined;
}

const OBJECT = objectType("Object");
const PATCHES = listOf(objectType("JSONPatch"));

/** Returns the changed object. */
export function applyMutation(mutation: Mutation, inputs: MutationInputs): KubeObject {
  const object = inputs.scene.object as KubeObject;
  if (mutation.patchType === "JSONPatch") {
    return patch(object, run(mutation.jsonPatch?.expression ?? "", PATCHES, inputs));
  }
  return apply(object, run(mutation.applyConfiguration?.expression ?? "", OBJECT, inputs), inputs.schema);
}

function run(source: string, wanted: typeof OBJECT, { program, scene, params }: MutationInputs): CelValue {
  const budget = { remaining: policyBudget };
  const compiled = program.expression(source, [wanted]);
  if (compiled.expression === undefined) throw new MutationError(compiled.problem);
  const result = evaluate(compiled, program.bind(scene, params, budget), budget);
  if (result.type === "error") throw new MutationError(result.message);
  return result.value;
}

function patch(object: KubeObject, operations: CelValue): KubeObject {
  if (!(operations instanceof CelList)) {
    throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array");
  }
  let patched = cloneJson(object) as unknown as Json;
  for (const operation of withinLimit(() => operations.toArray().map(toOperation))) {
    try {
      patched = applyJsonPatch(patched as never, [operation] as never) as Json;
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      // A failed `test` operation skips the mutation.
      if (operation["op"] === "test") return object;
      throw new MutationError(`JSON Patch: ${error.message}`);
    }
  }
  return patched as unknown as KubeObject;
}

function toOperation(value: CelValue): JsonObject {
  if (!(value instanceof CelJsonPatch)) {
    throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
  }
  const { op, path, from, value: content } = value;
  return {
    op,
    path,
    ...(from === "" ? {} : { from }),
    ...(content === undefined ? {} : { value: plain(content) }),
  };
}

function plain(value: CelValue): Json {
  return withinLimit(() => parseExactJson(toGoJson(toJson(value)))) as Json;
}

/** A value may contain another one many times: a short expression can have a long text. */
function withinLimit<T>(write: () => T): T {
  try {
    return withinWork(WORK_LIMIT, write);
  } catch (error) {
    if (!(error instanceof WorkExceededError)) throw error;
    throw new MutationError("operation cancelled: actual cost limit exceeded");
  }
}

function apply(object: KubeObject, value: CelValue, schema: TypeSchema | undefined): KubeObject {
  if (!(value instanceof CelPartialObject)) {
    throw new MutationError("unsupported return type from ApplyConfiguration expression");
  }
  const { apiVersion, kind } = object;
  const applied = { ...(plain(value) as JsonObject), apiVersion, kind };
  if (schema === undefined) throw new MutationError("error applying patch: type converter must not be nil");
  const problem = findTypeErrors(applied, schema, { allowDuplicates: false });
  if (problem !== undefined) {
    throw new MutationError(`error applying patch: failed to convert patch object to typed object: ${problem}`);
  }
  const atomics = atomicsOf("", applied, schema);
  if (atomics.length > 0) {
    const list = atomics.join(", ");
    throw new MutationError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${list}`,
    );
  }
  return mergeValues(object as unknown as Json, applied, schema) as unknown as KubeObject;
}

/** The paths of atomic values, which an apply configuration must not contain. */
function atomicsOf(path: string, value: Json, type: TypeSchema): string[] {
  if (Array.isArray(value)) {
    const { list } = type;
    if (list === undefined) return [];
    const own = list.kind === "atomic" ? [path] : [];
    return [...own, ...value.flatMap((item, index) => atomicsOf(`${path}[${index}]`, item as Json, list.element()))];
  }
  if (typeof value !== "object" || value === null || type.map === undefined) return [];
  const { map } = type;
  const own = map.kind === "atomic" ? [path] : [];
  const inside = Object.entries(value as JsonObject).flatMap(([name, part]) => {
    const field = map.fields?.get(name);
    return field === undefined || part === undefined ? [] : atomicsOf(`${path}.${name}`, part, field.type());
  });
  return [...own, ...inside];
}
