/** Watches of keys: one stream for each watch, closed when the consumer stops. */
import type { Caller } from "./caller.ts";
import type { WatchBatch, WatchOptions } from "./client.ts";
import { EtcdError } from "./errors.ts";
import { toKeyValue } from "./kv.ts";
import { toRange } from "./keys.ts";
import { WatchRequest, WatchResponse } from "./wire/kv-messages.ts";

const WATCH = { path: "Watch/Watch", request: WatchRequest, answer: WatchResponse };

export async function* watchKeys(caller: Caller, options: WatchOptions): AsyncGenerator<WatchBatch, void, void> {
  const { fromRevision = 0, signal } = options;
  const create = { ...toRange(options), startRevision: fromRevision };
  const limits = { isOpenEnded: true, ...(signal ? { signal } : {}) };
  for await (const answer of caller.stream(WATCH, { create }, limits)) {
    if (answer.canceled) throw toCancelled(answer, caller.endpoint);
    if (answer.events.length > 0) yield toBatch(answer);
  }
}

function toBatch({ header, events }: WatchResponse): WatchBatch {
  return {
    revision: header?.revision ?? 0,
    events: events.flatMap(({ type, kv }) => (kv ? [{ type: type === 0 ? "put" : "delete", kv: toKeyValue(kv) }] : [])),
  };
}

function toCancelled({ compactRevision, cancelReason }: WatchResponse, endpoint: string): EtcdError {
  const [code, why] =
    compactRevision > 0
      ? (["Compacted", `changes before revision ${compactRevision} are gone: read again and watch from there`] as const)
      : (["Other", cancelReason] as const);
  return new EtcdError(code, `etcd at ${endpoint} ended the watch: ${why}`, { endpoint, maybeDone: false });
}
