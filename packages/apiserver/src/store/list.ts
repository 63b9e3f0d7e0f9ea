/** Lists: whole or in pages, of the current state or of a revision, with the rules of resourceVersion. */
import { apiErrors, quote, StatusError, toFailure } from "@capstan/model";
import type { KubeObject } from "@capstan/model";
import type { Collection } from "./collection.ts";
import type { Entry } from "./entry.ts";
import type { Store } from "./store.ts";
import { formatContinue, parseContinue } from "./continue-token.ts";

export interface ListQuery {
  /** A key prefix: `namespace/`, or empty for all. */
  readonly prefix: string;
  /** The only key, if a selector requires one name. */
  readonly key?: string;
  /** 0 means no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  /** `undefined` if all objects match. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
}

/** One page, or the whole list. */
export interface ListPage {
  readonly entries: readonly Entry[];
  readonly revision: number;
  /** Empty on the last page. */
  readonly continue: string;
  readonly remaining: number | undefined;
}

/** The requested state: the current one (at least at a revision), or that of a revision. */
type Point =
  | { readonly type: "present"; readonly notBefore: number }
  | { readonly type: "past"; readonly revision: number };

const present: Point = { type: "present", notBefore: 0 };

/** Lists objects of a resource. Throws 400 for invalid options, 410 for a compacted revision, 504 for a future one. */
export function listPage(store: Store, resource: string, asked: ListQuery): ListPage {
  const query = isWholeAnyway(resource, asked) ? { ...asked, limit: 0 } : asked;
  const { point, start } = position(query);
  checkPoint(store, resource, { point, query, start });
  const found = entriesOf(store.collection(resource), query, point);
  const from = start === "" ? found : found.slice(firstFrom(found, query.prefix + start));
  return toPage(from, query, point.type === "past" ? point.revision : store.revision);
}

/** kube-apiserver serves resourceVersion 0 from its watch cache, which ignores the limit. Events are not cached. */
function isWholeAnyway(resource: string, query: ListQuery): boolean {
  return query.resourceVersion === "0" && resource !== "events";
}

function position(query: ListQuery): { point: Point; start: string } {
  if (query.continue !== "") {
    const at = continued(query);
    if (query.key === undefined) return at;
  }
  if (query.resourceVersion === "") return { point: present, start: "" };
  const revision = parseRevision(query.resourceVersion, (why) =>
    apiErrors.badRequest(`invalid resource version: ${why}`),
  );
  const isPage = query.limit > 0 && revision > 0 && query.key === undefined;
  const isExact = query.resourceVersionMatch === "Exact" || (query.resourceVersionMatch === "" && isPage);
  return { point: isExact ? { type: "past", revision } : { type: "present", notBefore: revision }, start: "" };
}

function continued(query: ListQuery): { point: Point; start: string } {
  const { revision, start } = parseContinue(query.continue);
  if (query.resourceVersion !== "" && query.resourceVersion !== "0") {
    throw apiErrors.badRequest("specifying resource version is not allowed when using continue");
  }
  return { point: revision > 0 ? { type: "past", revision } : present, start };
}

function checkPoint(
  store: Store,
  resource: string,
  { point, query, start }: { point: Point; query: ListQuery; start: string },
): void {
  const asked = point.type === "past" ? point.revision : point.notBefore;
  // A page of one object bypasses the cache, and only the cache sends retryAfterSeconds.
  const isUncached = query.key !== undefined && query.limit > 0;
  if (asked > store.revision) throw tooLargeVersion(asked, store.revision, { resource, isUncached });
  const oldest = Math.max(store.collection(resource).forgottenUpTo, store.compactedUpTo);
  if (point.type === "present" || point.revision >= oldest) return;
  if (query.continue !== "") throw continueExpired(start);
  throw apiErrors.resourceExpired("The resourceVersion for the provided list is too old.");
}

function entriesOf(collection: Collection, query: ListQuery, point: Point): readonly Entry[] {
  if (query.key === undefined) {
    return point.type === "past"
      ? collection.withPrefixAt(query.prefix, point.revision)
      : collection.withPrefix(query.prefix);
  }
  const { key } = query;
  if (point.type === "past") return collection.withPrefixAt(key, point.revision).filter((entry) => entry.key === key);
  const entry = collection.get(key);
  return entry === undefined ? [] : [entry];
}

function toPage(entries: readonly Entry[], query: ListQuery, revision: number): ListPage {
  const { limit, matches, prefix } = query;
  if (limit <= 0) {
    const selected = matches === undefined ? entries : entries.filter((entry) => matches(entry.object));
    return { entries: selected, revision, continue: "", remaining: undefined };
  }
  const selected: Entry[] = [];
  let hasMore = false;
  for (const entry of entries) {
    if (selected.length >= limit) {
      hasMore = true;
      break;
    }
    if (matches === undefined || matches(entry.object)) selected.push(entry);
  }
  const last = selected.at(-1);
  if (!hasMore || last === undefined) {
    return { entries: selected, revision, continue: "", remaining: undefined };
  }
  const next = formatContinue({ start: `/${last.key.slice(prefix.length)}\u0000`, revision });
  const remaining = matches === undefined ? entries.length - limit : undefined;
  return { entries: selected, revision, continue: next, remaining };
}

function firstFrom(entries: readonly Entry[], key: string): number {
  const index = entries.findIndex((entry) => entry.key >= key);
  return index < 0 ? entries.length : index;
}

/** Parses a resourceVersion; `refuse` creates the error. */
export function parseRevision(text: string, refuse: (why: string) => Error): number {
  if (text === "" || text === "0") return 0;
  if (!/^[0-9]+$/.test(text)) throw refuse(`resourceVersion: ${invalidUint(text, "invalid syntax")}`);
  if (BigInt(text) >= 2n ** 64n) throw refuse(`resourceVersion: ${invalidUint(text, "value out of range")}`);
  return Number(text);
}

function invalidUint(text: string, why: string): string {
  return `Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${why}`;
}

/** The error for a future revision. */
export function tooLargeVersion(
  asked: number,
  current: number,
  { resource, isUncached = false }: { readonly resource: string; readonly isUncached?: boolean },
): StatusError {
  // Events bypass the cache as well.
  const again = isUncached || resource === "events" ? {} : { retryAfterSeconds: 1 };
  return new StatusError(
    toFailure({
      code: 504,
      reason: "Timeout",
      message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
      details: {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        ...again,
      },
    }),
  );
}

/** The error for a compacted page; it contains a token that continues at the current state. */
function continueExpired(start: string): StatusError {
  const status = toFailure({ code: 410, reason: "Expired", message: continueExpiredMessage });
  return new StatusError({ ...status, metadata: { continue: formatContinue({ start, revision: -1 }) } });
}

const continueExpiredMessage =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue " +
  "parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token " +
  "results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and " +
  "now may show up in the list.";
