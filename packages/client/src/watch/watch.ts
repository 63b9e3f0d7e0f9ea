/** One watch request and its events. To continue after its end, callers watch again. */
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

/** The watch calls. */
export interface WatchCalls {
  /** The events of one watch until the server ends it. An ERROR event is the last one. */
  watch<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    where: InNamespace<S> & WatchOptions,
  ): AsyncGenerator<WatchEvent<T>>;
  /**
   * The same as bytes, in batches per chunk, for caches that create objects on read. The bytes are views: callers that keep them should
   * copy them, or the whole chunk stays in memory. An ERROR event is thrown.
   */
  watchLines<T extends KubeObject, A, S extends Scope>(
    kind: Kind<T, A, S>,
    where: InNamespace<S> & WatchOptions,
  ): AsyncGenerator<readonly WatchLine[]>;
}

/** The watch calls over a sender. */
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

/** The error for the Status in an ERROR event. */
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

/** A last line without newline may be truncated: only parsing shows whether it is complete. */
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
    // The server requires it with initial events.
    resourceVersionMatch: where.resourceVersionMatch ?? (sendInitialEvents === true ? "NotOlderThan" : undefined),
    resourceVersion: where.resourceVersion,
    labelSelector: where.labelSelector,
    fieldSelector: where.fieldSelector,
    timeoutSeconds: where.timeoutSeconds,
  });
}

/** An invalid line means that the stream was truncated or does not come from Kubernetes. */
function parseOrFail<T>(attempt: Attempt, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof MalformedJsonError || cause instanceof SyntaxError)) throw cause;
    const message = `Cannot ${describeAttempt(attempt)}: a line of the stream is not an event (${cause.message}). Watch again from the last resource version.`;
    throw new ApiError({ code: "BadAnswer", message, attempt, cause });
  }
}
