/**
 * Defaults that depend on other fields: in a LimitRange for containers the server derives missing values of a resource from the others.
 *
 * https://kubernetes.io/docs/concepts/policy/limit-range/
 */

interface Fields {
  readonly [field: string]: unknown;
}

/** A value at a path of a built-in kind, with the limits of a LimitRange as the server completes them. */
export function completedLimits(path: string, value: unknown): unknown {
  return path === "spec.limits" && Array.isArray(value) ? value.map((limit) => completed(fieldsOf(limit))) : value;
}

/** `default` is derived from `max`, and `defaultRequest` from `default` or else from `min`. */
function completed(limit: Fields): Fields {
  if (limit["type"] !== "Container") return limit;
  const defaults = { ...fieldsOf(limit["max"]), ...fieldsOf(limit["default"]) };
  const requests = { ...fieldsOf(limit["min"]), ...defaults, ...fieldsOf(limit["defaultRequest"]) };
  return { ...limit, ...said("default", defaults), ...said("defaultRequest", requests) };
}

function said(name: string, resources: Fields): Fields {
  return Object.keys(resources).length === 0 ? {} : { [name]: resources };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
