/** What an admission step asks about the request it is given: which resource it is for, and how it is refused. */
import { apiErrors, type KubeObject, type StatusError } from "@capstan/model";
import type { Draft } from "../builtin/draft.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Whether a request is for a resource of a group itself, not for one of its subresources. */
export function isFor(request: AdmissionRequest, resource: string, group = ""): boolean {
  return isForAny(request, resource, group) && request.subresource === "";
}

/** Whether a request is for a resource of a group or for any of its subresources. */
export function isForAny({ resource: asked }: AdmissionRequest, resource: string, group = ""): boolean {
  return asked.resource === resource && asked.group === group;
}

/** The 403 of a step. */
export function refusal(request: AdmissionRequest, why: string): StatusError {
  const { group, resource } = request.resource;
  return apiErrors.forbidden({ group, resource }, nameForRefusal(request), why);
}

/** A name that is yet to be generated is told by its prefix. */
function nameForRefusal({ name, object }: AdmissionRequest): string {
  if (name !== "") return name;
  const { metadata } = object ?? {};
  return metadata?.name || metadata?.generateName || "Unknown";
}

/** What is being written, as the kind that the resource of the request has. */
export function objectOf<T extends KubeObject>({ object }: AdmissionRequest): Draft<T> {
  // Structure was checked against the kind before admission began.
  return object as unknown as Draft<T>;
}

/** What is stored now, as the kind that the resource of the request has. */
export function oldObjectOf<T extends KubeObject>({ oldObject }: AdmissionRequest): T {
  return oldObject as T;
}
