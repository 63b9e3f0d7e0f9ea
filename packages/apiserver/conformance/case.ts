/** What a conformance case is: requests against a server, whose whole answers are compared. */

/** One request. */
export interface Step {
  readonly method?: string;
  /** May contain `{ns}`, which becomes the namespace of the case, and `{name:field}` of an earlier answer. */
  readonly path: string;
  /** An object is sent as JSON, text as it is. */
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: { readonly [name: string]: string };
  /** Whose request it is; the administrator's by default. */
  readonly as?: "admin" | "alice" | "nobody";
  /** Keeps parts of the answer for later steps: `{uid}` in a path or body becomes the value at the path. */
  readonly keep?: { readonly [variable: string]: string };
  /** Reads a watch for so many events instead of waiting for its end. */
  readonly events?: number;
  /** Compared only as far as these top-level fields go (for documents that are expected to differ elsewhere). */
  readonly only?: readonly string[];
  /** Milliseconds that the real server needs before it shows the effect. */
  readonly settle?: number;
  /** Not compared: makes the scene. */
  readonly quiet?: boolean;
}

/** A case: a sentence, and the requests that show whether it holds. Each case has a namespace of its own, made before it runs. */
export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** A topic: cases that belong together. */
export interface Topic {
  readonly topic: string;
  readonly cases: readonly Case[];
}

/** Declares a topic. */
export function defineTopic(topic: string, cases: { readonly [name: string]: readonly Step[] }): Topic {
  return { topic, cases: Object.entries(cases).map(([name, steps]) => ({ name, steps })) };
}

/** `POST` of an object. */
export function post(path: string, body: unknown, more: Partial<Step> = {}): Step {
  return { method: "POST", path, body, ...more };
}

/** `PUT` of an object. */
export function put(path: string, body: unknown, more: Partial<Step> = {}): Step {
  return { method: "PUT", path, body, ...more };
}

/** `GET`. */
export function get(path: string, more: Partial<Step> = {}): Step {
  return { method: "GET", path, ...more };
}

/** `DELETE`. */
export function del(path: string, body?: unknown, more: Partial<Step> = {}): Step {
  return body === undefined ? { method: "DELETE", path, ...more } : { method: "DELETE", path, body, ...more };
}

/** `PATCH` of one of the four kinds. */
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
