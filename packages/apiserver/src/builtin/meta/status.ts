/** The door for a status: everything but the status stays as it was. */
import { cloneJson, type FieldError, type KubeObject } from "@capstan/model";
import type { RuleContext } from "../context.ts";
import type { Draft } from "../draft.ts";
import type { ViewRules } from "../rules.ts";

/** What a status door may say beyond keeping the rest. */
export interface StatusView<T extends KubeObject> {
  readonly validate?: (object: T, old: T, context: RuleContext) => readonly FieldError[];
  /** Runs after the rest was kept. */
  readonly prepare?: (draft: Draft<T>, old: T, context: RuleContext) => void;
  readonly warnings?: (object: T, old: T | undefined, context: RuleContext) => readonly string[];
  readonly resetFields?: readonly string[];
  readonly hasNoTable?: boolean;
  /** Whether the door sees to the metadata itself, or lets it pass. */
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

/** Gives a draft the field of the stored object back, or takes it away. */
export function keepField<T extends KubeObject>(draft: Draft<T>, old: T, field: string): void {
  const target = draft as unknown as Record<string, unknown>;
  const source = old as unknown as Record<string, unknown>;
  if (source[field] === undefined) delete target[field];
  else target[field] = cloneJson(source[field]);
}

/** Takes away what clients must not set. */
export function dropField(draft: object, field: string): void {
  delete (draft as Record<string, unknown>)[field];
}
