/** Groups of the Kubernetes community need an approval in an annotation. */
import { quote, type FieldError } from "@capstan/model";

import type { Crd } from "./crd-model.ts";
import { invalid, required } from "./field-error.ts";
import { parseUrl } from "./formats-uri.ts";
import { isJsonObject } from "./schema.ts";

const annotation = "api-approved.kubernetes.io";
const place = `metadata.annotations[${annotation}]`;
const see = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Whether a group belongs to the community. */
export function isProtectedGroup(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

/** The approval state of a definition. */
export type Approval = "missing" | "bypassed" | "approved" | "invalid";

function annotationOf(crd: Crd): string {
  const annotations = crd.metadata["annotations"];
  const value = isJsonObject(annotations) ? annotations[annotation] : undefined;
  return typeof value === "string" ? value : "";
}

function approvalOf(text: string): Approval {
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "bypassed";
  const url = parseUrl(text);
  return !("problem" in url) && url.host !== "" && url.scheme !== "" ? "approved" : "invalid";
}

/** The approval state of a definition of a group, with its message; `undefined` for groups that need no approval. */
export function approvalState(
  group: string,
  annotations: { readonly [name: string]: string } | undefined,
): { readonly approval: Approval; readonly message: string } | undefined {
  if (!isProtectedGroup(group)) return undefined;
  const text = annotations?.[annotation] ?? "";
  const approval = approvalOf(text);
  return { approval, message: describe(approval, text) };
}

function describe(approval: Approval, text: string): string {
  switch (approval) {
    case "missing":
      return `protected groups must have approval annotation "${annotation}", ${see}`;
    case "bypassed":
      return `not approved: ${quote(text)}`;
    case "approved":
      return `approved in ${text}`;
    case "invalid":
      return `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", ${see}`;
  }
}

/** A missing or malformed approval; an unchanged one is never reported. */
export function approvalErrors(crd: Crd, old: Crd | undefined): FieldError[] {
  if (!isProtectedGroup(crd.group)) return [];
  const text = annotationOf(crd);
  const approval = approvalOf(text);
  if (old !== undefined && approvalOf(annotationOf(old)) === approval) return [];
  if (approval === "missing") return [required(place, describe(approval, text))];
  return approval === "invalid" ? [invalid(place, text, describe(approval, text))] : [];
}
