/** The states of a watch and the function that maps the end of a connection to the next state. Pure. */
import { ApiError } from "@capstan/client";
import { isEarlier } from "../api.ts";
import type { Random } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { retryAfterOf } from "../failure.ts";

/** The state of a watch. */
export type State =
  /** Lists every object as a stream of events, then continues as a watch. */
  | { readonly at: "streaming" }
  /** Lists every object page by page, for servers without streaming lists. */
  | { readonly at: "paging"; readonly pageSize: number }
  /** Watches changes from a version. */
  | { readonly at: "watching"; readonly version: string }
  /** Lists one object, only to learn the server's current version. */
  | { readonly at: "probing"; readonly version: string }
  /** Waits before the next attempt. */
  | { readonly at: "waiting"; readonly delay: number; readonly then: Exclude<State, { readonly at: "waiting" }> };

/** The end of a connection. */
export type End =
  | { readonly how: "listed"; readonly version: string }
  /** The server is at this version; `isKnown` is false if everything must be listed again. */
  | { readonly how: "probed"; readonly version: string; readonly isKnown: boolean }
  | { readonly how: "closed"; readonly lived: number }
  | { readonly how: "idle" }
  | { readonly how: "failed"; readonly error: unknown };

/** The state of the watch when a connection ends. */
export interface Progress {
  readonly state: Exclude<State, { readonly at: "waiting" }>;
  /** The last version that is completely in the cache: of an event, a bookmark or a list. Absent before the first list. */
  readonly version: string | undefined;
  /** The number of consecutive failed connections without an event. */
  readonly failures: number;
}

/** The timing of a watch, in milliseconds. */
export interface WatchTuning {
  readonly pageSize: number;
  readonly firstDelay: number;
  readonly longestDelay: number;
  /** A connection that closes earlier than this without an event counts as failed. */
  readonly shortConnection: number;
  /** A stream without events for this long is dead; servers send a bookmark about every minute. */
  readonly idle: number;
  /** The interval at which a kind is requested that the server does not serve. */
  readonly notServedDelay: number;
  /** The timeout of a watch on the server: between this and twice this. */
  readonly timeout: number;
}

/** The defaults. */
export const usualTuning: WatchTuning = {
  pageSize: 500,
  firstDelay: 800,
  longestDelay: 30_000,
  shortConnection: 1_000,
  idle: 90_000,
  notServedDelay: 3_000,
  timeout: 300_000,
};

/**
 * After a restore of its store a server sends neither errors nor bookmarks to a watch from a version that it does not know. After two
 * idle timeouts, or so many connections without an event, the watch therefore reads the server's version and object count, and lists
 * again only if they differ from the known ones. For a kind without changes, servers without bookmarks send nothing for days.
 */
const maxEmptyWatches = 20;

/** The state after the end of a connection. */
export function nextState(progress: Progress, end: End, tuning: WatchTuning, random: Random): State {
  const wait = (then: Exclude<State, { readonly at: "waiting" }>, atLeast = 0): State => {
    const full = Math.min(tuning.longestDelay, tuning.firstDelay * 2 ** Math.min(progress.failures, 16));
    return { at: "waiting", delay: Math.max(atLeast, full * (0.5 + 0.5 * random())), then };
  };
  const next = resume(progress);
  switch (end.how) {
    case "listed":
      return { at: "watching", version: end.version };
    case "probed":
      return end.isKnown && hasReached(end.version, progress.version) ? next : relist(progress);
    case "closed":
      if (progress.failures >= maxEmptyWatches) return probe(progress);
      return end.lived < tuning.shortConnection && progress.failures > 0 ? wait(next) : next;
    case "idle":
      return progress.failures > 0 ? probe(progress) : next;
    case "failed":
      return afterFailure({ progress, error: end.error, tuning }, wait);
  }
}

/** Continues where the last connection stopped: no list is needed when a version is known. */
function resume(progress: Progress): Exclude<State, { readonly at: "waiting" }> {
  return progress.version === undefined ? relist(progress) : { at: "watching", version: progress.version };
}

/** The same, but first checks whether the known version is still valid. */
function probe(progress: Progress): Exclude<State, { readonly at: "waiting" }> {
  return progress.version === undefined ? relist(progress) : { at: "probing", version: progress.version };
}

/** Whether a server is certainly at a version or past it. */
function hasReached(version: string, known: string | undefined): boolean {
  return known !== undefined && (version === known || isEarlier(known, version));
}

function relist({ state }: Progress): Exclude<State, { readonly at: "waiting" }> {
  return state.at === "paging" ? state : { at: "streaming" };
}

function afterFailure(
  { progress, error, tuning }: { progress: Progress; error: unknown; tuning: WatchTuning },
  wait: (then: Exclude<State, { readonly at: "waiting" }>, atLeast?: number) => State,
): State {
  const { state } = progress;
  switch (classify(error)) {
    case "expired":
      // An expired list must not be requested page by page again: it would expire every time.
      if (state.at === "paging") return wait({ at: "paging", pageSize: 0 });
      return progress.failures === 0 ? { at: "streaming" } : wait({ at: "streaming" });
    case "unsupported":
      return state.at === "streaming" ? { at: "paging", pageSize: tuning.pageSize } : wait(resume(progress));
    case "absent":
      // The kind is not served (yet, or any more). Poll at a constant interval, so that it is noticed soon.
      return { at: "waiting", delay: tuning.notServedDelay, then: { at: "streaming" } };
    case "from the future":
      // This server has not reached the version of an earlier one. It may catch up; if it does not, its state counts.
      return progress.failures < maxFutureVersions ? wait(resume(progress)) : wait({ at: "streaming" });
    case "behind":
      // Another server may respond next time, or this one may have caught up.
      return wait(relist(progress));
    case "retry":
      return wait(progress.failures >= maxEmptyWatches ? probe(progress) : resume(progress), retryAfterOf(error));
  }
}

/** The number of "version too large" errors before everything is listed again. */
const maxFutureVersions = 3;

/** Whether the server does not serve the kind. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "UnknownKind" || error.code === "NotFound");
}

/** Whether a list was rejected because it is older than the known state. */
export function isBehind(error: unknown): boolean {
  return error instanceof RuntimeError && error.code === "ServerBehind";
}

function classify(error: unknown): "expired" | "unsupported" | "absent" | "from the future" | "behind" | "retry" {
  if (isBehind(error)) return "behind";
  if (!(error instanceof ApiError)) return "retry";
  if (isAbsent(error)) return "absent";
  if (error.code === "Gone" || error.code === "Expired") return "expired";
  if (error.code === "Invalid" || error.code === "BadRequest") return "unsupported";
  if (error.causes.some((cause) => cause.reason === "ResourceVersionTooLarge")) return "from the future";
  return "retry";
}
