/**
 * Tells news from echoes: the watch repeats what a controller wrote itself, on behalf of the very object that it would wake.
 *
 * Only children's echoes are dropped: the reconcile has seen each answer. The answer to a write of the object itself comes when the
 * reconcile is over, and may show what somebody else did to it, so that is news. Only events of the stream are echoes, because a
 * list may hide what came between; and what vanished is always news.
 */
import { isLater } from "../api.ts";
import type { Change } from "../cache/reflector.ts";
import type { Cause } from "./cause.ts";

/** A write to a child that a turn made. */
export interface OwnWrite {
  /** The child: its kind and key as one text. */
  readonly child: string;
  readonly key: string;
  readonly version: string;
  /** What the watch has told about the child so far. */
  readonly told: string | undefined;
}

/** The writes of one controller that the watch has not told yet. */
export class Echoes {
  readonly #awaited = new Map<string, { readonly version: string; readonly writer: string }>();

  /** Takes the writes of a turn; the answer says which causes that arrived during the turn are echoes of them. */
  expect(writer: string, writes: readonly OwnWrite[]): (cause: Cause) => boolean {
    for (const { child, version, told } of writes) {
      if (told === undefined || isLater(version, told)) this.#awaited.set(child, { version, writer });
    }
    return ({ change, from, key, version }) =>
      change !== "removed" &&
      from === "stream" &&
      writes.some((write) => write.key === key && write.version === version);
  }

  /** The key on whose behalf the write was made that a change tells, if the change is an echo. */
  writerOf(child: string, change: Change): string | undefined {
    const echo = this.#awaited.get(child);
    if (echo === undefined) return undefined;
    const { resourceVersion } = change.object.metadata;
    if (change.type === "removed" || !isLater(echo.version, resourceVersion)) this.#awaited.delete(child);
    return change.from === "stream" && echo.version === resourceVersion ? echo.writer : undefined;
  }
}
