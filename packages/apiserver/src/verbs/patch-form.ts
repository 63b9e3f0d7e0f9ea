/** The type of a patch. */
import { StatusError, toFailure } from "@capstan/model";
import { headerOf } from "../call.ts";
import { unsupportedMediaType } from "../decode/media-type.ts";
import type { ResourceExchange } from "../exchange.ts";

export type PatchForm = "json" | "merge" | "strategic" | "apply";

const forms: Readonly<Record<string, PatchForm>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** The patch types of custom kinds. */
const customPatches = Object.keys(forms).filter((type) => forms[type] !== "strategic");

/** The type of the patch of a request. */
export function formOf({ call, resource }: ResourceExchange): PatchForm {
  const type = (headerOf(call, "content-type") ?? "").split(";")[0]?.trim() ?? "";
  const form = Object.hasOwn(forms, type) ? forms[type] : undefined;
  if (form === "strategic" && resource.isCustom) throw unsupportedMediaType(customPatches);
  if (form !== undefined) return form;
  const message = "415: Unsupported Media Type";
  throw new StatusError(toFailure({ code: 415, reason: "UnsupportedMediaType", message, details: {} }));
}
