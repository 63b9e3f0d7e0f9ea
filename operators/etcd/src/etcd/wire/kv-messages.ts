/** Messages of keys, leases and watches, with the field numbers of etcd's rpc.proto. */
import { bytes, flag, id, integer, many, message, one, text } from "./message.ts";
import type { Message } from "./message.ts";

/** The member that responded, and the revision of the store. */
export interface Header {
  clusterId: string;
  memberId: string;
  revision: number;
  raftTerm: number;
}
export const Header: Message<Header> = message({
  clusterId: id(1),
  memberId: id(2),
  revision: integer(3),
  raftTerm: integer(4),
});

/** A response of which only the header matters. */
export interface HeaderOnly {
  header: Header | undefined;
}
export const HeaderOnly: Message<HeaderOnly> = message({ header: one(1, () => Header) });

/** A request or response without fields. */
export const Empty: Message<object> = message<object>({});

export interface WireKeyValue {
  key: Buffer;
  createRevision: number;
  modRevision: number;
  version: number;
  value: Buffer;
  lease: string;
}
export const WireKeyValue: Message<WireKeyValue> = message({
  key: bytes(1),
  createRevision: integer(2),
  modRevision: integer(3),
  version: integer(4),
  value: bytes(5),
  lease: id(6),
});

export interface RangeRequest {
  key: Buffer;
  rangeEnd: Buffer;
  limit: number;
  revision: number;
  serializable: boolean;
  keysOnly: boolean;
  countOnly: boolean;
}
export const RangeRequest: Message<RangeRequest> = message({
  key: bytes(1),
  rangeEnd: bytes(2),
  limit: integer(3),
  revision: integer(4),
  serializable: flag(7),
  keysOnly: flag(8),
  countOnly: flag(9),
});

export interface RangeResponse extends HeaderOnly {
  kvs: WireKeyValue[];
  more: boolean;
  count: number;
}
export const RangeResponse: Message<RangeResponse> = message({
  header: one(1, () => Header),
  kvs: many(2, () => WireKeyValue),
  more: flag(3),
  count: integer(4),
});

export interface PutRequest {
  key: Buffer;
  value: Buffer;
  lease: string;
}
export const PutRequest: Message<PutRequest> = message({ key: bytes(1), value: bytes(2), lease: id(3) });

export interface DeleteRequest {
  key: Buffer;
  rangeEnd: Buffer;
}
export const DeleteRequest: Message<DeleteRequest> = message({ key: bytes(1), rangeEnd: bytes(2) });

export interface DeleteResponse extends HeaderOnly {
  deleted: number;
}
export const DeleteResponse: Message<DeleteResponse> = message({ header: one(1, () => Header), deleted: integer(2) });

export interface WireCompare {
  result: number;
  target: number;
  key: Buffer;
  version: number;
  createRevision: number;
  modRevision: number;
  value: Buffer;
}
export const WireCompare: Message<WireCompare> = message({
  result: integer(1),
  target: integer(2),
  key: bytes(3),
  version: integer(4),
  createRevision: integer(5),
  modRevision: integer(6),
  value: bytes(7),
});

export interface RequestOperation {
  range: Partial<RangeRequest> | undefined;
  put: Partial<PutRequest> | undefined;
  delete: Partial<DeleteRequest> | undefined;
}
export const RequestOperation: Message<RequestOperation> = message({
  range: one<Partial<RangeRequest>>(1, () => RangeRequest),
  put: one<Partial<PutRequest>>(2, () => PutRequest),
  delete: one<Partial<DeleteRequest>>(3, () => DeleteRequest),
});

export interface ResponseOperation {
  range: RangeResponse | undefined;
  put: HeaderOnly | undefined;
  delete: DeleteResponse | undefined;
}
export const ResponseOperation: Message<ResponseOperation> = message({
  range: one(1, () => RangeResponse),
  put: one(2, () => HeaderOnly),
  delete: one(3, () => DeleteResponse),
});

export interface TxnRequest {
  compare: Partial<WireCompare>[];
  success: Partial<RequestOperation>[];
  failure: Partial<RequestOperation>[];
}
export const TxnRequest: Message<TxnRequest> = message({
  compare: many<Partial<WireCompare>>(1, () => WireCompare),
  success: many<Partial<RequestOperation>>(2, () => RequestOperation),
  failure: many<Partial<RequestOperation>>(3, () => RequestOperation),
});

export interface TxnResponse extends HeaderOnly {
  succeeded: boolean;
  responses: ResponseOperation[];
}
export const TxnResponse: Message<TxnResponse> = message({
  header: one(1, () => Header),
  succeeded: flag(2),
  responses: many(3, () => ResponseOperation),
});

export interface CompactRequest {
  revision: number;
  physical: boolean;
}
export const CompactRequest: Message<CompactRequest> = message({ revision: integer(1), physical: flag(2) });

export interface LeaseGrantRequest {
  ttl: number;
}
export const LeaseGrantRequest: Message<LeaseGrantRequest> = message({ ttl: integer(1) });

export interface LeaseRequest {
  id: string;
}
export const LeaseRequest: Message<LeaseRequest> = message({ id: id(1) });

/** Response to granting and renewing a lease. */
export interface LeaseResponse extends HeaderOnly {
  id: string;
  ttl: number;
}
export const LeaseResponse: Message<LeaseResponse> = message({
  header: one(1, () => Header),
  id: id(2),
  ttl: integer(3),
});

export interface WatchCreate {
  key: Buffer;
  rangeEnd: Buffer;
  startRevision: number;
}
export const WatchCreate: Message<WatchCreate> = message({
  key: bytes(1),
  rangeEnd: bytes(2),
  startRevision: integer(3),
});

export interface WatchRequest {
  create: Partial<WatchCreate> | undefined;
}
export const WatchRequest: Message<WatchRequest> = message({
  create: one<Partial<WatchCreate>>(1, () => WatchCreate),
});

export interface WireEvent {
  type: number;
  kv: WireKeyValue | undefined;
}
export const WireEvent: Message<WireEvent> = message({ type: integer(1), kv: one(2, () => WireKeyValue) });

export interface WatchResponse extends HeaderOnly {
  created: boolean;
  canceled: boolean;
  compactRevision: number;
  cancelReason: string;
  events: WireEvent[];
}
export const WatchResponse: Message<WatchResponse> = message({
  header: one(1, () => Header),
  created: flag(3),
  canceled: flag(4),
  compactRevision: integer(5),
  cancelReason: text(6),
  events: many(11, () => WireEvent),
});
