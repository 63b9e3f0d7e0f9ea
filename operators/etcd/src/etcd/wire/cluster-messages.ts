/** Protobuf messages of etcd's services Cluster, Maintenance and Auth, with the field numbers of its rpc.proto. */
import { Header } from "./kv-messages.ts";
import type { HeaderOnly } from "./kv-messages.ts";
import { bytes, flag, id, integer, many, message, one, text, texts } from "./message.ts";
import type { Message } from "./message.ts";

export interface WireMember {
  id: string;
  name: string;
  peerURLs: string[];
  clientURLs: string[];
  isLearner: boolean;
}
export const WireMember: Message<WireMember> = message({
  id: id(1),
  name: text(2),
  peerURLs: texts(3),
  clientURLs: texts(4),
  isLearner: flag(5),
});

export interface MemberListRequest {
  linearizable: boolean;
}
export const MemberListRequest: Message<MemberListRequest> = message({ linearizable: flag(1) });

export interface MemberAddRequest {
  peerURLs: string[];
  isLearner: boolean;
}
export const MemberAddRequest: Message<MemberAddRequest> = message({ peerURLs: texts(1), isLearner: flag(2) });

/** Request to remove or promote a member. */
export interface MemberRequest {
  id: string;
}
export const MemberRequest: Message<MemberRequest> = message({ id: id(1) });

export interface MemberUpdateRequest {
  id: string;
  peerURLs: string[];
}
export const MemberUpdateRequest: Message<MemberUpdateRequest> = message({ id: id(1), peerURLs: texts(2) });

export interface MembersResponse extends HeaderOnly {
  members: WireMember[];
}
export const MembersResponse: Message<MembersResponse> = message({
  header: one(1, () => Header),
  members: many(2, () => WireMember),
});

export interface MemberAddResponse extends MembersResponse {
  member: WireMember | undefined;
}
export const MemberAddResponse: Message<MemberAddResponse> = message({
  header: one(1, () => Header),
  member: one(2, () => WireMember),
  members: many(3, () => WireMember),
});

export interface DowngradeInfo {
  enabled: boolean;
  targetVersion: string;
}
export const DowngradeInfo: Message<DowngradeInfo> = message({ enabled: flag(1), targetVersion: text(2) });

export interface StatusResponse extends HeaderOnly {
  version: string;
  dbSize: number;
  leader: string;
  raftIndex: number;
  raftTerm: number;
  raftAppliedIndex: number;
  errors: string[];
  dbSizeInUse: number;
  isLearner: boolean;
  storageVersion: string;
  dbSizeQuota: number;
  downgradeInfo: DowngradeInfo | undefined;
}
export const StatusResponse: Message<StatusResponse> = message({
  header: one(1, () => Header),
  version: text(2),
  dbSize: integer(3),
  leader: id(4),
  raftIndex: integer(5),
  raftTerm: integer(6),
  raftAppliedIndex: integer(7),
  errors: texts(8),
  dbSizeInUse: integer(9),
  isLearner: flag(10),
  storageVersion: text(11),
  dbSizeQuota: integer(12),
  downgradeInfo: one(13, () => DowngradeInfo),
});

export interface HashKvRequest {
  revision: number;
}
export const HashKvRequest: Message<HashKvRequest> = message({ revision: integer(1) });

export interface HashKvResponse extends HeaderOnly {
  hash: number;
  compactRevision: number;
  hashRevision: number;
}
export const HashKvResponse: Message<HashKvResponse> = message({
  header: one(1, () => Header),
  hash: integer(2),
  compactRevision: integer(3),
  hashRevision: integer(4),
});

export interface SnapshotResponse extends HeaderOnly {
  remainingBytes: number;
  blob: Buffer;
  version: string;
}
export const SnapshotResponse: Message<SnapshotResponse> = message({
  header: one(1, () => Header),
  remainingBytes: integer(2),
  blob: bytes(3),
  version: text(4),
});

export interface MoveLeaderRequest {
  target: string;
}
export const MoveLeaderRequest: Message<MoveLeaderRequest> = message({ target: id(1) });

export interface AlarmRequest {
  action: number;
  memberId: string;
  alarm: number;
}
export const AlarmRequest: Message<AlarmRequest> = message({ action: integer(1), memberId: id(2), alarm: integer(3) });

export interface WireAlarm {
  memberId: string;
  alarm: number;
}
export const WireAlarm: Message<WireAlarm> = message({ memberId: id(1), alarm: integer(2) });

export interface AlarmResponse extends HeaderOnly {
  alarms: WireAlarm[];
}
export const AlarmResponse: Message<AlarmResponse> = message({
  header: one(1, () => Header),
  alarms: many(2, () => WireAlarm),
});

export interface DowngradeRequest {
  action: number;
  version: string;
}
export const DowngradeRequest: Message<DowngradeRequest> = message({ action: integer(1), version: text(2) });

export interface AuthStatusResponse extends HeaderOnly {
  enabled: boolean;
}
export const AuthStatusResponse: Message<AuthStatusResponse> = message({
  header: one(1, () => Header),
  enabled: flag(2),
});

/** Name and password: request to log in or change the password. */
export interface LoginRequest {
  name: string;
  password: string;
}
export const LoginRequest: Message<LoginRequest> = message({ name: text(1), password: text(2) });

export interface LoginResponse extends HeaderOnly {
  token: string;
}
export const LoginResponse: Message<LoginResponse> = message({ header: one(1, () => Header), token: text(2) });

export interface UserOptions {
  noPassword: boolean;
}
export const UserOptions: Message<UserOptions> = message({ noPassword: flag(1) });

export interface UserAddRequest extends LoginRequest {
  options: UserOptions | undefined;
}
export const UserAddRequest: Message<UserAddRequest> = message({
  name: text(1),
  password: text(2),
  options: one(3, () => UserOptions),
});

/** Request with the name of a user or role. */
export interface NameRequest {
  name: string;
}
export const NameRequest: Message<NameRequest> = message({ name: text(1) });

export interface UserRoleRequest {
  user: string;
  role: string;
}
export const UserRoleRequest: Message<UserRoleRequest> = message({ user: text(1), role: text(2) });

/** A list of users or of roles. */
export interface NamesResponse extends HeaderOnly {
  names: string[];
}
export const NamesResponse: Message<NamesResponse> = message({ header: one(1, () => Header), names: texts(2) });

export interface WirePermission {
  type: number;
  key: Buffer;
  rangeEnd: Buffer;
}
export const WirePermission: Message<WirePermission> = message({ type: integer(1), key: bytes(2), rangeEnd: bytes(3) });

export interface RoleResponse extends HeaderOnly {
  permissions: WirePermission[];
}
export const RoleResponse: Message<RoleResponse> = message({
  header: one(1, () => Header),
  permissions: many(2, () => WirePermission),
});

export interface RoleGrantRequest {
  name: string;
  permission: WirePermission | undefined;
}
export const RoleGrantRequest: Message<RoleGrantRequest> = message({
  name: text(1),
  permission: one(2, () => WirePermission),
});

export interface RoleRevokeRequest {
  role: string;
  key: Buffer;
  rangeEnd: Buffer;
}
export const RoleRevokeRequest: Message<RoleRevokeRequest> = message({
  role: text(1),
  key: bytes(2),
  rangeEnd: bytes(3),
});
