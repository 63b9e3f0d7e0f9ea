/** Watching, at the lowest level: one request, its events until it ends. Whoever wants to go on watches again. */
import type { Kind, KubeObject, Scope, Status } from "@capstan/model";
import type { WatchOptions } from "../call/options.ts";
import { pathOf, withQuery } from "../call/path.ts";
import type { ResourcePath } from "../call/path.ts";
import { attemptOf } from "../call/read.ts";
import { acceptOf } from "../call/representation.ts";
import { toCallError } from "../call/send.ts";
import type { Sender } from "../call/send.ts";
import type { AnyKind, InNamespace } from "../call/target.ts";
import { ApiError } from "../error/api-error.ts";
import { describeAttempt } from "../error/attempt.ts";
import type { Attempt } from "../error/attempt.ts";
import { toApiError } from "../error/from-response.ts";
import { decode } from "../transport/body.ts";
import { parseWatchLine, toWatchEvent } from "./event.ts";
import type { WatchEvent, WatchLine } from "./event.ts";
import { MalformedJsonError } from "./json-bytes.ts";
import { createLineSplitter } from "./lines.ts";

/** The calls that watch. */
export interface WatchCalls {
  /** The events of one watch, until the server ends it. An ERROR event is the last one. */
  watch<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    where: InNamespace<S> & WatchOptions,
  ): AsyncGenerator<WatchEvent<T>>;
  /**
   * The same as bytes, in batches of what one chunk completed, for caches that make objects when they are read. The bytes are views of the
   * chunk: whoever keeps them should copy them, or the chunk stays too. An ERROR event is thrown.
   */
  watchLines<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    where: InNamespace<S> & WatchOptions,
  ): AsyncGenerator<readonly WatchLine[]>;
}

/** The calls that watch, over a sender. */
export function watchCalls(sender: Sender): WatchCalls {
  return {
    watch: <T extends KubeObject>(kind: AnyKind, where: ResourcePath & WatchOptions) => events<T>(sender, kind, where),
    watchLines: (kind: AnyKind, where: ResourcePath & WatchOptions) => linesOrError(sender, kind, where),
  };
}

async function* events<T extends KubeObject>(
  sender: Sender,
  kind: AnyKind,
  where: ResourcePath & WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const attempt = attemptOf("watch", kind, where);
  const toError = (status: Status): ApiError => toWatchError(status, attempt);
  for await (const lines of batches(sender, kind, where)) {
    for (const line of lines) {
      const event = parseOrFail(attempt, () => toWatchEvent<T>(line, toError));
      yield event;
      if (event.type === "ERROR") return;
    }
  }
}

async function* linesOrError(
  sender: Sender,
  kind: AnyKind,
  where: ResourcePath & WatchOptions,
): AsyncGenerator<readonly WatchLine[]> {
  for await (const lines of batches(sender, kind, where)) {
    const at = lines.findIndex(({ type }) => type === "ERROR");
    if (at !== 0) yield at === -1 ? lines : lines.slice(0, at);
    const line = lines[at];
    if (line === undefined) continue;
    const attempt = attemptOf("watch", kind, where);
    throw toWatchError(
      parseOrFail(attempt, () => JSON.parse(decode(line.bytes)) as Status),
      attempt,
    );
  }
}

/** The error of the Status in an ERROR event. */
export function toWatchError(status: Status, attempt: Attempt): ApiError {
  const { code = 500, details } = status;
  const retryAfterMs = details?.retryAfterSeconds === undefined ? undefined : details.retryAfterSeconds * 1000;
  return toApiError({ httpStatus: code, attempt, status, retryAfterMs });
}

async function* batches(
  sender: Sender,
  kind: AnyKind,
  where: ResourcePath & WatchOptions,
): AsyncGenerator<readonly WatchLine[]> {
  const attempt = attemptOf("watch", kind, where);
  const path = watchPath(kind, where);
  const opened = await sender.open({ attempt, method: "GET", path, headers: acceptOf(kind, "one"), options: where });
  const cutter = createLineSplitter();
  try {
    for await (const chunk of opened.response.body) {
      const lines = cutter.push(chunk);
      if (lines.length > 0) yield parseOrFail(attempt, () => lines.map(parseWatchLine));
    }
    const rest = cutter.remainder();
    if (rest !== undefined) yield parseOrFail(attempt, () => [parseLastLine(rest)]);
  } catch (thrown) {
    throw toCallError(thrown, attempt, where.signal);
  } finally {
    opened.response.body.cancel();
    opened.end();
  }
}

/** A line without its newline may have been cut anywhere: whether it is whole is seen only by parsing it. */
function parseLastLine(rest: Uint8Array): WatchLine {
  JSON.parse(decode(rest));
  return parseWatchLine(rest);
}

function watchPath(kind: AnyKind, where: ResourcePath & WatchOptions): string {
  const { sendInitialEvents, allowWatchBookmarks = true } = where;
  return withQuery(pathOf(kind, { namespace: where.namespace }), {
    watch: true,
    allowWatchBookmarks,
    sendInitialEvents,
    // The server insists on it when initial events are asked for.
    resourceVersionMatch: where.resourceVersionMatch ?? (sendInitialEvents === true ? "NotOlderThan" : undefined),
    resourceVersion: where.resourceVersion,
    labelSelector: where.labelSelector,
    fieldSelector: where.fieldSelector,
    timeoutSeconds: where.timeoutSeconds,
  });
}

/** A line that is no event means that the stream was cut in the middle or is none of Kubernetes'. */
function parseOrFail<T>(attempt: Attempt, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof MalformedJsonError || cause instanceof SyntaxError)) throw cause;
    const message = `Cannot ${describeAttempt(attempt)}: a line of the stream is not an event (${cause.message}). Watch again from the last resource version.`;
    throw new ApiError({ code: "BadAnswer", message, attempt, cause });
  }
}
