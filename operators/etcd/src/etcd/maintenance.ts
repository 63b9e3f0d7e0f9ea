/** Calls about status and maintenance of a member. */
import type { Caller } from "./caller.ts";
import type {
  Alarm,
  CallOptions,
  EndpointStatus,
  HashKv,
  MaintenanceCalls,
  SnapshotStream,
  Versions,
} from "./client.ts";
import { EtcdError } from "./errors.ts";
import {
  AlarmRequest,
  AlarmResponse,
  DowngradeRequest,
  HashKvRequest,
  HashKvResponse,
  MoveLeaderRequest,
  SnapshotResponse,
  StatusResponse,
} from "./wire/cluster-messages.ts";
import { Empty, HeaderOnly, RangeRequest, RangeResponse } from "./wire/kv-messages.ts";

const METHODS = {
  status: { path: "Maintenance/Status", request: Empty, answer: StatusResponse },
  hashKv: { path: "Maintenance/HashKV", request: HashKvRequest, answer: HashKvResponse },
  moveLeader: { path: "Maintenance/MoveLeader", request: MoveLeaderRequest, answer: HeaderOnly },
  defragment: { path: "Maintenance/Defragment", request: Empty, answer: HeaderOnly },
  alarm: { path: "Maintenance/Alarm", request: AlarmRequest, answer: AlarmResponse },
  snapshot: { path: "Maintenance/Snapshot", request: Empty, answer: SnapshotResponse },
  downgrade: { path: "Maintenance/Downgrade", request: DowngradeRequest, answer: HeaderOnly },
  range: { path: "KV/Range", request: RangeRequest, answer: RangeResponse },
};

const ALARM = { get: 0, disarm: 2 };
const ALARM_KINDS = { NoSpace: 1, Corrupt: 2 } as const;
const DOWNGRADE = { validate: 0, enable: 1, cancel: 2 } as const;

/** A large database can take minutes. */
const DEFRAGMENT_MS = 10 * 60_000;

/** `remainingBytes` does not include the sha256 after the data. */
const CHECKSUM = 32;

/** The key that etcdctl reads for its health check. No permission for it is needed. */
const HEALTH_KEY = Buffer.from("health");

/** Reads the /version endpoint, which is not part of gRPC. */
export type ReadVersions = (options?: CallOptions) => Promise<Versions>;

export function maintenanceCalls(caller: Caller, versions: ReadVersions): MaintenanceCalls {
  const { ask } = caller;
  return {
    status: async (options) => toStatus(await ask(METHODS.status, {}, options)),
    versions,
    checkHealth: (options) => checkHealth(caller, options),
    hashKv: async ({ revision = 0, ...options } = {}) => toHash(await ask(METHODS.hashKv, { revision }, options)),
    moveLeader: async (target, options) => {
      await ask(METHODS.moveLeader, { target }, options);
    },
    defragment: async (options) => {
      await ask(METHODS.defragment, {}, { timeoutMs: DEFRAGMENT_MS, ...options });
    },
    alarms: async (options) => (await ask(METHODS.alarm, { action: ALARM.get }, options)).alarms.flatMap(toAlarm),
    disarm: async ({ memberId, kind }, options) => {
      await ask(METHODS.alarm, { action: ALARM.disarm, memberId, alarm: ALARM_KINDS[kind] }, options);
    },
    snapshot: (options) => openSnapshot(caller, options),
    downgrade: async (action, version, options) => {
      await ask(METHODS.downgrade, { action: DOWNGRADE[action], version }, options);
    },
  };
}

/** A permission error proves quorum as well, because permissions are checked by consensus. */
async function checkHealth({ ask }: Caller, options?: CallOptions): Promise<void> {
  try {
    await ask(METHODS.range, { key: HEALTH_KEY, countOnly: true }, options);
  } catch (error) {
    if (!(error instanceof EtcdError) || error.code !== "Denied") throw error;
  }
}

function toStatus(answer: StatusResponse): EndpointStatus {
  const { header, leader, storageVersion, dbSizeQuota, downgradeInfo, ...rest } = answer;
  return {
    ...rest,
    clusterId: header?.clusterId ?? "",
    memberId: header?.memberId ?? "",
    revision: header?.revision ?? 0,
    ...(leader === "" ? {} : { leader }),
    ...(storageVersion === "" ? {} : { storageVersion }),
    ...(dbSizeQuota === 0 ? {} : { dbSizeQuota }),
    ...(downgradeInfo?.enabled ? { downgradeTo: downgradeInfo.targetVersion } : {}),
  };
}

function toHash({ header, hash, compactRevision, hashRevision }: HashKvResponse): HashKv {
  return {
    memberId: header?.memberId ?? "",
    clusterId: header?.clusterId ?? "",
    revision: header?.revision ?? 0,
    hash,
    compactRevision,
    ...(hashRevision === 0 ? {} : { hashRevision }),
  };
}

function toAlarm({ memberId, alarm }: { memberId: string; alarm: number }): Alarm[] {
  if (alarm === ALARM_KINDS.NoSpace) return [{ memberId, kind: "NoSpace" }];
  if (alarm === ALARM_KINDS.Corrupt) return [{ memberId, kind: "Corrupt" }];
  return [];
}

/** Waits for the first part, which contains the remaining size. */
async function openSnapshot(caller: Caller, options: CallOptions = {}): Promise<SnapshotStream> {
  const parts = caller.stream(METHODS.snapshot, {}, options);
  const first = await parts.next();
  if (first.done) {
    const { endpoint } = caller;
    throw new EtcdError("Malformed", `etcd at ${endpoint} sent an empty snapshot`, { endpoint, maybeDone: false });
  }
  const { remainingBytes, blob, version } = first.value;
  return {
    size: remainingBytes + blob.length + CHECKSUM,
    ...(version === "" ? {} : { version }),
    [Symbol.asyncIterator]: async function* () {
      try {
        yield blob;
        for await (const part of parts) yield part.blob;
      } finally {
        await parts.return();
      }
    },
  };
}
