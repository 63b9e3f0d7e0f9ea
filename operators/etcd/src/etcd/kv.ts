/** Calls that read and write keys. */
import type { Caller } from "./caller.ts";
import type { Compare, KeyValue, KvCalls, Operation, OperationAnswer, RangeAnswer, RangeOptions } from "./client.ts";
import { toRange } from "./keys.ts";
import {
  CompactRequest,
  DeleteRequest,
  DeleteResponse,
  HeaderOnly,
  PutRequest,
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
} from "./wire/kv-messages.ts";
import type { RequestOperation, ResponseOperation, WireCompare, WireKeyValue } from "./wire/kv-messages.ts";

const METHODS = {
  range: { path: "KV/Range", request: RangeRequest, answer: RangeResponse },
  put: { path: "KV/Put", request: PutRequest, answer: HeaderOnly },
  delete: { path: "KV/DeleteRange", request: DeleteRequest, answer: DeleteResponse },
  txn: { path: "KV/Txn", request: TxnRequest, answer: TxnResponse },
  compact: { path: "KV/Compact", request: CompactRequest, answer: HeaderOnly },
};

export function kvCalls({ ask }: Caller): KvCalls {
  return {
    range: async (keys, options) => toRangeAnswer(await ask(METHODS.range, toRangeRequest(keys), options)),
    get: async (key, options) => {
      const { kvs } = await ask(METHODS.range, toRangeRequest({ key }), options);
      return kvs[0] && toKeyValue(kvs[0]);
    },
    put: async (key, value, { lease = "", ...options } = {}) => {
      const request = { key: Buffer.from(key), value: Buffer.from(value), lease };
      return { revision: revisionOf(await ask(METHODS.put, request, options)) };
    },
    delete: async (keys, options) => {
      const answer = await ask(METHODS.delete, toRange(keys), options);
      return { revision: revisionOf(answer), deleted: answer.deleted };
    },
    txn: async ({ when, then = [], otherwise = [] }, options) => {
      const request = {
        compare: when.map(toCompare),
        success: then.map(toOperation),
        failure: otherwise.map(toOperation),
      };
      const answer = await ask(METHODS.txn, request, options);
      const { succeeded } = answer;
      return { revision: revisionOf(answer), succeeded, answers: answer.responses.map(toOperationAnswer) };
    },
    compact: async (revision, { physical = false, ...options } = {}) => {
      await ask(METHODS.compact, { revision, physical }, options);
    },
  };
}

/** Converts a stored key from the wire format. */
export function toKeyValue({ lease, ...kv }: WireKeyValue): KeyValue {
  return lease === "" ? kv : { ...kv, lease };
}

function revisionOf({ header }: HeaderOnly): number {
  return header?.revision ?? 0;
}

function toRangeRequest(options: RangeOptions): Partial<RangeRequest> {
  const { revision = 0, limit = 0, serializable = false, keysOnly = false, countOnly = false } = options;
  return { ...toRange(options), revision, limit, serializable, keysOnly, countOnly };
}

function toRangeAnswer(answer: RangeResponse): RangeAnswer {
  const { kvs, more, count } = answer;
  return { revision: revisionOf(answer), kvs: kvs.map(toKeyValue), more, count };
}

const RESULTS = { "=": 0, ">": 1, "<": 2 } as const;
const TARGETS = { version: 0, createRevision: 1, modRevision: 2, value: 3 } as const;

function toCompare(compare: Compare): Partial<WireCompare> {
  const base = { key: Buffer.from(compare.key), result: RESULTS[compare.is] };
  if ("version" in compare) return { ...base, target: TARGETS.version, version: compare.version };
  if ("createRevision" in compare) {
    return { ...base, target: TARGETS.createRevision, createRevision: compare.createRevision };
  }
  if ("modRevision" in compare) return { ...base, target: TARGETS.modRevision, modRevision: compare.modRevision };
  return { ...base, target: TARGETS.value, value: Buffer.from(compare.value) };
}

function toOperation(operation: Operation): Partial<RequestOperation> {
  switch (operation.do) {
    case "get":
      return { range: toRangeRequest(operation.keys) };
    case "put": {
      const { key, value, lease = "" } = operation;
      return { put: { key: Buffer.from(key), value: Buffer.from(value), lease } };
    }
    case "delete":
      return { delete: toRange(operation.keys) };
  }
}

function toOperationAnswer({ range, delete: deletion }: ResponseOperation): OperationAnswer {
  if (range) return { did: "get", range: toRangeAnswer(range) };
  if (deletion) return { did: "delete", deleted: deletion.deleted };
  return { did: "put" };
}
