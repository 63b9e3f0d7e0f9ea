/** The annotation `preferAvoidPods` of a node: no component reads it any more, but it is still validated. */
import { fieldErrors, type FieldError } from "@capstan/model";
import { JsonSyntaxError, parseJson } from "../../decode/json-text.ts";

const key = "scheduler.alpha.kubernetes.io/preferAvoidPods";

interface Avoided {
  readonly podSignature?: { readonly podController?: { readonly controller?: boolean } | null } | null;
}

export function checkAvoidedPods(annotations: { readonly [key: string]: string }, path: string): FieldError[] {
  const text = annotations[key] ?? "";
  if (text === "") return [];
  try {
    return readAvoided(text).flatMap((avoided, index) => checkAvoided(avoided, `${path}.${key}[${index}]`));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return [fieldErrors.invalid(`${path}.AvoidPods`, key, error.message)];
  }
}

function readAvoided(text: string): readonly Avoided[] {
  const value = parseJson(text);
  if (value === null) return [];
  if (typeof value !== "object" || Array.isArray(value)) throw mismatch(value, "Go value of type v1.AvoidPods");
  const list = value["preferAvoidPods"] ?? null;
  if (list === null) return [];
  const field = "Go struct field AvoidPods.preferAvoidPods of type []v1.PreferAvoidPodsEntry";
  if (!Array.isArray(list)) throw mismatch(list, field);
  return list as readonly Avoided[];
}

function mismatch(value: unknown, target: string): JsonSyntaxError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new JsonSyntaxError(`json: cannot unmarshal ${type} into ${target}`);
}

function checkAvoided({ podSignature }: Avoided, path: string): FieldError[] {
  const controller = podSignature?.podController;
  if (controller === undefined || controller === null) return [fieldErrors.required(`${path}.PodSignature`)];
  if (controller.controller !== false) return [];
  return [fieldErrors.invalid(`${path}.PodSignature.PodController.Controller`, false, "must point to a controller")];
}
