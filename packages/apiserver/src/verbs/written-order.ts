/** The order of validation errors in maps: Go iterates small maps in the order of the body, while drafts have sorted keys. */
import type { FieldError } from "@capstan/model";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import { expectedOf, readAsWritten } from "../decode/object.ts";
import type { ResourceExchange } from "../exchange.ts";

/** Sorts the errors of map entries in the order of the body. The cost occurs only if validation fails. */
export async function inWrittenOrder(
  exchange: ResourceExchange,
  draft: AnyDraft,
  { found, check }: { found: readonly FieldError[]; check: () => readonly FieldError[] },
): Promise<readonly FieldError[]> {
  if (found.length < 2 || !isWholeText(exchange)) return found;
  const written = await readAsWritten(exchange, expectedOf(exchange.resource));
  if (written === undefined || !takeOrder(draft, written)) return found;
  return inOrderOf(found, check());
}

/** Only bodies of creates and updates count: patches are built from sorted parts, and a projection is another kind. */
function isWholeText({ call, subresource }: ResourceExchange): boolean {
  if (call.method !== "POST" && call.method !== "PUT") return false;
  return subresource === undefined || subresource.rules?.type === "view";
}

type Owner = { [key: string]: JsonValue };

function isOwner(value: unknown): value is Owner {
  return typeof value === "object" && value !== null;
}

/** Moves common keys into the order of the second value, in place; returns whether anything moved. Structs have a fixed order. */
function takeOrder(value: unknown, written: unknown): boolean {
  if (!isOwner(value) || !isOwner(written)) return false;
  let moved = false;
  for (const key of Object.keys(value)) moved = takeOrder(value[key], written[key]) || moved;
  if (Array.isArray(value) || Object.isFrozen(value)) return moved;
  const wanted = Object.keys(written).filter((key) => Object.hasOwn(value, key));
  const present = Object.keys(value).filter((key) => Object.hasOwn(written, key));
  if (wanted.every((key, at) => key === present[at])) return moved;
  for (const key of wanted) {
    const part = Object.getOwnPropertyDescriptor(value, key) ?? {};
    delete value[key];
    Object.defineProperty(value, key, part);
  }
  return true;
}

/** The errors of the first list in the order of the second: values in their messages stay sorted. */
function inOrderOf(found: readonly FieldError[], ordered: readonly FieldError[]): readonly FieldError[] {
  const left = [...found];
  const taken: FieldError[] = [];
  for (const { type, field, body } of ordered) {
    const alike = left.findIndex((one) => one.type === type && one.field === field && one.body === body);
    const at = alike === -1 ? left.findIndex((one) => one.type === type && one.field === field) : alike;
    if (at !== -1) taken.push(...left.splice(at, 1));
  }
  return left.length === 0 ? taken : found;
}
