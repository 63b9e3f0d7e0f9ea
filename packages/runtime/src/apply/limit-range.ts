/**
 * Defaults of a LimitRange, so that they do not count as drift: for containers, the server derives missing limits and requests from
 * others.
 *
 * https://kubernetes.io/docs/concepts/policy/limit-range/
 */

interface Fields {
  readonly [field: string]: unknown;
}

/** A value of a built-in kind as the server stores it: the limits of a LimitRange get their defaults, other values stay. */
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
