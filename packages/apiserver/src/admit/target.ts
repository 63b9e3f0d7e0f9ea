/** Helpers of admission steps: the resource of a request and its 403 error. */
import { apiErrors, type KubeObject, type StatusError } from "@capstan/model";
import type { Draft } from "../builtin/draft.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Whether a request is for a resource itself, not for a subresource. */
export function isFor(request: AdmissionRequest, resource: string, group = ""): boolean {
  return isForAny(request, resource, group) && request.subresource === "";
}

/** Whether a request is for a resource or any of its subresources. */
export function isForAny({ resource: asked }: AdmissionRequest, resource: string, group = ""): boolean {
  return asked.resource === resource && asked.group === group;
}

/** The 403 error of a step. */
export function refusal(request: AdmissionRequest, why: string): StatusError {
  const { group, resource } = request.resource;
  return apiErrors.forbidden({ group, resource }, nameForRefusal(request), why);
}

/** A name that is not generated yet is shown as its prefix. */
function nameForRefusal({ name, object }: AdmissionRequest): string {
  if (name !== "") return name;
  const { metadata } = object ?? {};
  return metadata?.name || metadata?.generateName || "Unknown";
}

/** The object that is written, as the type of its resource. */
export function objectOf<T extends KubeObject>({ object }: AdmissionRequest): Draft<T> {
  // The structure was checked before admission.
  return object as unknown as Draft<T>;
}

/** The stored object, as the type of its resource. */
export function oldObjectOf<T extends KubeObject>({ oldObject }: AdmissionRequest): T {
  return oldObject as T;
}
