/** The `status` subresource: keeps everything except the status. */
import { cloneJson, type FieldError, type KubeObject } from "@capstan/model";
import type { RuleContext } from "../context.ts";
import type { Draft } from "../draft.ts";
import type { ViewRules } from "../rules.ts";

/** Rules of a status subresource beyond keeping the spec. */
export interface StatusView<T extends KubeObject> {
  readonly validate?: (object: T, old: T, context: RuleContext) => readonly FieldError[];
  /** Runs after the spec was restored. */
  readonly prepare?: (draft: Draft<T>, old: T, context: RuleContext) => void;
  readonly warnings?: (object: T, old: T | undefined, context: RuleContext) => readonly string[];
  readonly resetFields?: readonly string[];
  readonly hasNoTable?: boolean;
  /** Whether the subresource validates the metadata itself. */
  readonly validatesMetadata?: boolean;
}

/** The rules of `status` for a kind with `spec` and `status`. */
export function statusView<T extends KubeObject>({
  validate,
  prepare,
  warnings,
  resetFields = ["spec"],
  hasNoTable = false,
  validatesMetadata,
}: StatusView<T> = {}): ViewRules<T> {
  return {
    type: "view",
    resetFields,
    hasNoTable,
    prepareForUpdate(draft, old, context) {
      keepField(draft, old, "spec");
      prepare?.(draft, old, context);
    },
    ...(validate === undefined ? {} : { validateUpdate: validate }),
    ...(warnings === undefined ? {} : { warnings }),
    ...(validatesMetadata === undefined ? {} : { validatesMetadata }),
  };
}

/** Restores the field of the stored object, or removes it. */
export function keepField<T extends KubeObject>(draft: Draft<T>, old: T, field: string): void {
  const target = draft as unknown as Record<string, unknown>;
  const source = old as unknown as Record<string, unknown>;
  if (source[field] === undefined) delete target[field];
  else target[field] = cloneJson(source[field]);
}

/** Removes a field that clients must not set. */
export function dropField(draft: object, field: string): void {
  delete (draft as Record<string, unknown>)[field];
}
