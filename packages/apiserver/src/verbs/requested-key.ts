/** The store key of a requested object. */
import { apiErrors, checkPathSegment, quote } from "@capstan/model";
import type { ResourceExchange } from "../exchange.ts";
import { storageKey } from "../resources/resource.ts";

/** Returns the key; rejects names that are not valid path segments. */
export function requestedKey({ resource, info }: ResourceExchange, name: string): string {
  const problems = checkPathSegment(name);
  if (problems.length > 0) {
    throw apiErrors.badRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(";")}`);
  }
  return storageKey(resource, info.namespace, name);
}
