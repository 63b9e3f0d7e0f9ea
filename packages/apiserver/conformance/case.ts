/** A conformance case: requests to a server; the whole responses are compared. */

/** One request. */
export interface Step {
  readonly method?: string;
  /** May contain `{ns}`, the namespace of the case, and `{name:field}` of an earlier response. */
  readonly path: string;
  /** An object is sent as JSON, a text unchanged. */
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: { readonly [name: string]: string };
  /** The user of the request. Default: admin. */
  readonly as?: "admin" | "alice" | "nobody";
  /** Keeps values of the response for later steps: `{uid}` in a path or body becomes the value at the path. */
  readonly keep?: { readonly [variable: string]: string };
  /** Reads this many events of a watch instead of waiting for its end. */
  readonly events?: number;
  /** Compares only these top-level fields (for documents that are expected to differ elsewhere). */
  readonly only?: readonly string[];
  /** Milliseconds that kube-apiserver needs before the effect is visible. */
  readonly settle?: number;
  /** Setup; the response is not compared. */
  readonly quiet?: boolean;
}

/** A case: a sentence and the requests that verify it. Each case has its own namespace, created before it runs. */
export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** A group of related cases. */
export interface Topic {
  readonly topic: string;
  readonly cases: readonly Case[];
}

export function defineTopic(topic: string, cases: { readonly [name: string]: readonly Step[] }): Topic {
  return { topic, cases: Object.entries(cases).map(([name, steps]) => ({ name, steps })) };
}

export function post(path: string, body: unknown, more: Partial<Step> = {}): Step {
  return { method: "POST", path, body, ...more };
}

export function put(path: string, body: unknown, more: Partial<Step> = {}): Step {
  return { method: "PUT", path, body, ...more };
}

export function get(path: string, more: Partial<Step> = {}): Step {
  return { method: "GET", path, ...more };
}

export function del(path: string, body?: unknown, more: Partial<Step> = {}): Step {
  return body === undefined ? { method: "DELETE", path, ...more } : { method: "DELETE", path, body, ...more };
}

/** `PATCH` of one of the four types. */
export function patch(
  kind: "json" | "merge" | "strategic" | "apply",
  path: string,
  body: unknown,
  more: Partial<Step> = {},
): Step {
  const types = {
    json: "application/json-patch+json",
    merge: "application/merge-patch+json",
    strategic: "application/strategic-merge-patch+json",
    apply: "application/apply-patch+yaml",
  };
  return { method: "PATCH", path, body, type: types[kind], ...more };
}
