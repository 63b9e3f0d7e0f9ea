/**
 * Records the events and lists that an operator's watches received, with their times, as JSON lines. A replay in virtual time reproduces
 * the operator's decisions. A recording contains everything that the operator may read, Secrets too.
 */
import { ApiError } from "@capstan/client";
import type { ApiErrorCode } from "@capstan/client";
import { kindId } from "../api.ts";
import type { AnyKind, Api, ListPage, Scope, WatchEvent } from "../api.ts";
import { scopeText } from "../cache/snapshot.ts";
import type { Clock } from "../clock.ts";
import { messageOf } from "../failure.ts";

/** How a connection ended: the server closed it, or it failed. */
export type RecordedEnd = "closed" | { readonly code: ApiErrorCode | undefined; readonly message: string };

/** One line of a recording: one message of one connection. */
export type RecordedLine = {
  /** Milliseconds since the recording began. */
  readonly at: number;
  /** The kind and the scope. */
  readonly stream: string;
  /** The number of the connection in its stream. */
  readonly connection: number;
} & ({ readonly event: WatchEvent } | { readonly page: ListPage } | { readonly end: RecordedEnd });

export interface RecordingOptions {
  readonly clock: Clock;
  /** Takes one line without its line break. */
  readonly write: (line: string) => void;
}

/** An API that records its lists and watches; single reads and writes are not recorded. */
export function recordingApi(api: Api, { clock, write }: RecordingOptions): Api {
  const begun = clock.now();
  const counts = new Map<string, number>();
  const open = (kind: AnyKind, scope: Scope): ((what: object) => void) => {
    const stream = streamOf(kind, scope);
    const connection = counts.get(stream) ?? 0;
    counts.set(stream, connection + 1);
    return (what) => write(JSON.stringify({ at: Math.round(clock.now() - begun), stream, connection, ...what }));
  };
  return {
    get: (kind, key, signal) => api.get(kind, key, signal),
    create: (kind, object, options) => api.create(kind, object, options),
    apply: (kind, object, options) => api.apply(kind, object, options),
    patch: (kind, key, body, options) => api.patch(kind, key, body, options),
    delete: (kind, key, options) => api.delete(kind, key, options),
    list: async (kind, request) => {
      const note = open(kind, request);
      try {
        const page = await api.list(kind, request);
        note({ page });
        return page;
      } catch (error) {
        note({ end: endOf(error) });
        throw error;
      }
    },
    async *watch(kind, request): AsyncGenerator<WatchEvent> {
      const note = open(kind, request);
      try {
        for await (const event of api.watch(kind, request)) {
          note({ event });
          yield event;
        }
        note({ end: "closed" });
      } catch (error) {
        if (request.signal?.aborted !== true) note({ end: endOf(error) });
        throw error;
      }
    },
  };
}

/** The name of a kind in a scope. */
export function streamOf(kind: AnyKind, scope: Scope): string {
  return `${kindId(kind)} ${scopeText(scope)}`;
}

/** The namespace of a stream; empty: all of them. */
export function namespaceOf(stream: string): string {
  const scope = stream.slice(stream.indexOf(" ") + 1);
  return /^\["([^"]*)"/u.exec(scope)?.[1] ?? "";
}

function endOf(error: unknown): RecordedEnd {
  return { code: error instanceof ApiError ? error.code : undefined, message: messageOf(error) };
}
