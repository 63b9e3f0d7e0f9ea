/** Where the object is kept that a request names. */
import { apiErrors, checkPathSegment, quote } from "@capstan/model";
import type { ResourceExchange } from "../exchange.ts";
import { storageKey } from "../resources/resource.ts";

/** The key; refuses names that can be no part of one before anybody looks for the object. */
export function requestedKey({ resource, info }: ResourceExchange, name: string): string {
  const problems = checkPathSegment(name);
  if (problems.length > 0) {
    throw apiErrors.badRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(";")}`);
  }
  return storageKey(resource, info.namespace, name);
}
