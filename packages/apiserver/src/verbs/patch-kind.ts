/** Which of the four forms a patch has. */
import { StatusError, toFailure } from "@capstan/model";
import { headerOf } from "../call.ts";
import { unsupportedMediaType } from "../decode/media-type.ts";
import type { ResourceExchange } from "../exchange.ts";

/** The forms of a patch. */
export type PatchKind = "json" | "merge" | "strategic" | "apply";

const kinds: Readonly<Record<string, PatchKind>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** What custom kinds can be patched with. */
const customPatches = Object.keys(kinds).filter((type) => kinds[type] !== "strategic");

/** The form of the patch of a request. */
export function kindOf({ call, resource }: ResourceExchange): PatchKind {
  const type = (headerOf(call, "content-type") ?? "").split(";")[0]?.trim() ?? "";
  const kind = kinds[type];
  if (kind === "strategic" && resource.isCustom) throw unsupportedMediaType(customPatches);
  if (kind !== undefined) return kind;
  const message = "415: Unsupported Media Type";
  throw new StatusError(toFailure({ code: 415, reason: "UnsupportedMediaType", message, details: {} }));
}

/** Whether a request applies a configuration. */
export function isApply(exchange: ResourceExchange): boolean {
  return kindOf(exchange) === "apply";
}

/** Refuses the forms that views do not take. */
export function unsupportedForViews(): StatusError {
  return unsupportedMediaType(customPatches.filter((type) => kinds[type] !== "apply"));
}
