/** The states of a watch and the one function that leads from an end to the next state. Pure. */
import { ApiError } from "@capstan/client";
import { isEarlier } from "../api.ts";
import type { Random } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { retryAfterOf } from "../failure.ts";

/** What a watch is doing. */
export type State =
  /** Asking for every object as a stream of events, then staying on the stream. */
  | { readonly at: "streaming" }
  /** Asking for every object page by page, for servers without streaming lists. */
  | { readonly at: "paging"; readonly pageSize: number }
  /** Following changes from a version on. */
  | { readonly at: "watching"; readonly version: string }
  /** Asking for one object, only to learn how far the server is. */
  | { readonly at: "asking"; readonly version: string }
  /** Waiting before the next attempt. */
  | { readonly at: "resting"; readonly delay: number; readonly then: Exclude<State, { readonly at: "resting" }> };

/** How a connection ended. */
export type End =
  | { readonly how: "listed"; readonly version: string }
  /** The server is as of this version; what it shows is what is known, or it is time to look at everything. */
  | { readonly how: "asked"; readonly version: string; readonly isKnown: boolean }
  | { readonly how: "closed"; readonly lived: number }
  | { readonly how: "idle" }
  | { readonly how: "failed"; readonly error: unknown };

/** What is known when a connection ends. */
export interface Progress {
  readonly state: Exclude<State, { readonly at: "resting" }>;
  /** The last version that is completely in the cache: of an event, a bookmark or a list. Absent before the first list. */
  readonly version: string | undefined;
  /** How many connections ended badly in a row without giving anything. */
  readonly failures: number;
}

/** What the watch of a kind is tuned by, in milliseconds. */
export interface WatchTuning {
  readonly pageSize: number;
  readonly firstRest: number;
  readonly longestRest: number;
  /** A connection that closes sooner than this without an event is not a normal close. */
  readonly shortLife: number;
  /** A stream on which nothing came for this long is dead; servers send a bookmark about every minute. */
  readonly idle: number;
  /** How often to ask for a kind that the server does not have. */
  readonly absence: number;
  /** How long the server shall keep a watch open: between this and twice this. */
  readonly timeout: number;
}

/** What is usual. */
export const usualTuning: WatchTuning = {
  pageSize: 500,
  firstRest: 800,
  longestRest: 30_000,
  shortLife: 1_000,
  idle: 90_000,
  absence: 3_000,
  timeout: 300_000,
};

/**
 * A server whose history has gone back (its store was restored) says nothing at all to who asks from a version that it does not know: no
 * error, no bookmark. So who hears nothing twice, or whose connections end without a word so often, asks how far the server is and how many
 * objects it has, and lists again only if that is not what is known. Of a kind on which nothing happens, servers without bookmarks say
 * nothing for days.
 */
const FRUITLESS_ENDS = 20;

/** The state after an end. */
export function nextState(progress: Progress, end: End, tuning: WatchTuning, random: Random): State {
  const rest = (then: Exclude<State, { readonly at: "resting" }>, atLeast = 0): State => {
    const full = Math.min(tuning.longestRest, tuning.firstRest * 2 ** Math.min(progress.failures, 16));
    return { at: "resting", delay: Math.max(atLeast, full * (0.5 + 0.5 * random())), then };
  };
  const again = resume(progress);
  switch (end.how) {
    case "listed":
      return { at: "watching", version: end.version };
    case "asked":
      return end.isKnown && isAsFar(end.version, progress.version) ? again : relist(progress);
    case "closed":
      if (progress.failures >= FRUITLESS_ENDS) return ask(progress);
      return end.lived < tuning.shortLife && progress.failures > 0 ? rest(again) : again;
    case "idle":
      return progress.failures > 0 ? ask(progress) : again;
    case "failed":
      return afterFailure({ progress, error: end.error, tuning }, rest);
  }
}

/** Goes on where the last connection stopped: no list is made when a version is known. */
function resume(progress: Progress): Exclude<State, { readonly at: "resting" }> {
  return progress.version === undefined ? relist(progress) : { at: "watching", version: progress.version };
}

/** Goes on likewise, but finds out first whether there is anything to go on from. */
function ask(progress: Progress): Exclude<State, { readonly at: "resting" }> {
  return progress.version === undefined ? relist(progress) : { at: "asking", version: progress.version };
}

/** Whether a server is surely at a version or past it. */
function isAsFar(version: string, known: string | undefined): boolean {
  return known !== undefined && (version === known || isEarlier(known, version));
}

function relist({ state }: Progress): Exclude<State, { readonly at: "resting" }> {
  return state.at === "paging" ? state : { at: "streaming" };
}

function afterFailure(
  { progress, error, tuning }: { progress: Progress; error: unknown; tuning: WatchTuning },
  rest: (then: Exclude<State, { readonly at: "resting" }>, atLeast?: number) => State,
): State {
  const { state } = progress;
  switch (meaningOf(error)) {
    case "expired":
      // An expired page must not be asked for page by page again: the list would expire on every round.
      if (state.at === "paging") return rest({ at: "paging", pageSize: 0 });
      return progress.failures === 0 ? { at: "streaming" } : rest({ at: "streaming" });
    case "unsupported":
      return state.at === "streaming" ? { at: "paging", pageSize: tuning.pageSize } : rest(resume(progress));
    case "absent":
      // The kind is not served (yet, or any more). Ask at a steady pace, so that it is noticed soon when it comes.
      return { at: "resting", delay: tuning.absence, then: { at: "streaming" } };
    case "from the future":
      // This server has not seen what an earlier one told us. It may catch up; if it does not, its state is the truth.
      return progress.failures < PATIENCE ? rest(resume(progress)) : rest({ at: "streaming" });
    case "behind":
      // Another server may answer next time, and this one may have caught up.
      return rest(relist(progress));
    case "retry":
      return rest(progress.failures >= FRUITLESS_ENDS ? ask(progress) : resume(progress), retryAfterOf(error));
  }
}

/** How often a server may say that it does not know a version yet before we list again. */
const PATIENCE = 3;

/** Whether the server says that it does not have the kind at all. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "UnknownKind" || error.code === "NotFound");
}

/** Whether a list was refused because the server is behind what is known. */
export function isBehind(error: unknown): boolean {
  return error instanceof RuntimeError && error.code === "ServerBehind";
}

function meaningOf(error: unknown): "expired" | "unsupported" | "absent" | "from the future" | "behind" | "retry" {
  if (isBehind(error)) return "behind";
  if (!(error instanceof ApiError)) return "retry";
  if (isAbsent(error)) return "absent";
  if (error.code === "Gone" || error.code === "Expired") return "expired";
  if (error.code === "Invalid" || error.code === "BadRequest") return "unsupported";
  if (error.causes.some((cause) => cause.reason === "ResourceVersionTooLarge")) return "from the future";
  return "retry";
}
