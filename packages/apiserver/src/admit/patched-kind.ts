/** Checks the kind of an object after a webhook or policy changed it: a different kind is decoded as that kind, if it exists. */
import { apiErrors, quote, type StatusError } from "@capstan/model";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import { GoReader } from "../decode/go-codec.ts";
import { goTypeOf } from "../decode/go-type.ts";
import { typeMetaProblem } from "../decode/object.ts";
import { StrictProblems, TypeMismatchError } from "../decode/strict.ts";
import type { ServedKind } from "./admission.ts";

/** Rejects an object that does not decode as the kind it names. */
export function checkPatchedKind(patched: unknown, form: ServedKind): void {
  if (typeof patched !== "object" || patched === null || Array.isArray(patched)) {
    throw internal(typeMetaProblem(patched as JsonValue));
  }
  const { apiVersion = "", kind = "" } = patched as Partial<AnyDraft>;
  const expected = form.kind.group === "" ? form.kind.version : `${form.kind.group}/${form.kind.version}`;
  if (apiVersion === "" || kind === "" || (apiVersion === expected && kind === form.kind.kind)) return;
  const type = goTypeOf(apiVersion, kind);
  if (type === undefined) {
    throw internal(
      `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    new GoReader(undefined, "text").readObject(type, patched as JsonValue);
  } catch (error) {
    if (error instanceof TypeMismatchError) throw internal(error.message);
    throw error;
  }
}

/** Policies, unlike webhooks, must not set unknown fields. */
export function checkPatchedFields(patched: JsonValue, { kind: { group, version, kind } }: ServedKind): void {
  const type = goTypeOf(group === "" ? version : `${group}/${version}`, kind);
  if (type === undefined) return;
  const problems = new StrictProblems();
  try {
    new GoReader(problems, "text").readObject(type, patched);
  } catch (error) {
    if (error instanceof TypeMismatchError) throw internal(error.message);
    throw error;
  }
  if (problems.messages.length > 0) throw internal(`strict decoding error: ${problems.messages.join(", ")}`);
}

function internal(why: string): StatusError {
  return apiErrors.internalError(why);
}
