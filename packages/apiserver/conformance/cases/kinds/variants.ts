/** Variants of one object that differ in a few fields: each is sent as a dry run. */
import { get, patch, post, put, type Step } from "../../case.ts";

/** Changes of an object: paths are JSON pointers without the leading slash; `undefined` removes the field. */
export type Changes = { readonly [path: string]: unknown };

/** The object with some fields changed. */
export function changed(object: object, changes: Changes): object {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) set(copy, path.split("/").map(unescape), value);
  return copy;
}

function unescape(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function set(at: Record<string, unknown>, [first = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    if (value === undefined) delete at[first];
    else at[first] = value;
    return;
  }
  const next = (at[first] ??= /^[0-9]+$/.test(rest[0] ?? "") ? [] : {});
  set(next as Record<string, unknown>, rest, value);
}

/** A kind under test. */
export interface Trial {
  /** The collection path; may contain `{ns}`. */
  readonly path: string;
  /** A valid object; its name ends the paths of updates. */
  readonly base: { readonly metadata: { readonly name: string } };
  /** The subresource of the updates. */
  readonly door?: string;
  /** Headers of every request, for impersonation. */
  readonly headers?: { readonly [name: string]: string };
  /** Requests tables without their objects. */
  readonly bareRows?: boolean;
}

/** Creates each variant as a dry run. */
export function creates(
  what: string,
  { path, base, headers = {} }: Trial,
  variants: { readonly [name: string]: Changes },
): Cases {
  return named(what, variants, (changes) => [post(`${path}?dryRun=All`, changed(base, changes), { headers })]);
}

/** Stores the base object, then replaces it with each variant as a dry run. */
export function updates(what: string, trial: Trial, variants: { readonly [name: string]: Changes }): Cases {
  const { path, base, door, headers = {} } = trial;
  const at = `${path}/${base.metadata.name}${door === undefined ? "" : `/${door}`}`;
  const make = post(path, base, { quiet: true, headers });
  return named(what, variants, (changes) => [make, put(`${at}?dryRun=All`, changed(base, changes)), ...gone(trial)]);
}

/** Deletes cluster-scoped objects, which are not deleted with the namespace of the case. */
function gone({ path, base }: Trial): Step[] {
  if (path.includes("{ns}")) return [];
  return [{ method: "DELETE", path: `${path}/${base.metadata.name}`, quiet: true }];
}

/** The lifecycle of the base object: create, read, table, label, apply, replace unchanged, delete. */
export function life(what: string, trial: Trial): Cases {
  const { path, base, bareRows = false, headers = {} } = trial;
  const at = `${path}/${base.metadata.name}`;
  return {
    [`${what}: is made, read, shown, labelled and deleted`]: [
      post(path, base, { headers }),
      get(at),
      get(bareRows ? `${at}?includeObject=None` : at, { accept: table }),
      patch("merge", at, { metadata: { labels: { more: "yes" } } }),
      put(at, base),
      { method: "DELETE", path: at },
      get(at),
    ],
  };
}

/** The Accept header for tables. */
export const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/** Steps by the name of the case. */
export type Cases = { readonly [name: string]: readonly Step[] };

function named(
  what: string,
  variants: { readonly [name: string]: Changes },
  stepsOf: (changes: Changes) => readonly Step[],
): Cases {
  return Object.fromEntries(Object.entries(variants).map(([name, changes]) => [`${what}: ${name}`, stepsOf(changes)]));
}
