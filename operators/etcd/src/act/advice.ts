/** Advice in the status: conditions of a cluster that become a problem if they are ignored. */
import { parseCron } from "capstan";
import { minorOf } from "../decide/index.ts";
import type { View } from "../decide/index.ts";
import type { ClusterObject, ClusterStatus } from "../observe/index.ts";
import { newestPatches } from "../observe/index.ts";
import { quotaOf } from "../pods/index.ts";

export type Advice = NonNullable<ClusterStatus["advice"]>[number];

type AdviceRule = (view: View) => Advice | undefined;

export function adviceFor(view: View, spec: ClusterObject["spec"]): Advice[] {
  const advisers: readonly AdviceRule[] = [
    (seen) => quota(seen, quotaOf(spec)),
    (seen) => room(seen, quotaOf(spec)),
    lag,
    size,
    fragmentation,
    maskedSpec,
    version,
  ];
  return [...advisers.flatMap((adviser) => adviser(view) ?? []), ...unreadableSchedule(spec)];
}

function unreadableSchedule({ maintenance }: ClusterObject["spec"]): Advice[] {
  const { schedule } = maintenance.defragment;
  if (schedule === undefined || parseCron(schedule) !== undefined) return [];
  const text = `maintenance.defragment.schedule ${JSON.stringify(schedule)} is no schedule: five fields as in cron`;
  return [{ topic: "Schedule", text }];
}

/** etcd 3.5 does not report its quota. In that case the configured quota counts. */
function quota({ members }: View, given: number): Advice | undefined {
  const near = members.find(({ talk }) => talk !== undefined && talk.dbBytesInUse > (talk.quota ?? given) * 0.8);
  return (
    near && {
      topic: "Quota",
      text: `the database of ${near.name} uses more than 80% of its quota: delete keys, or raise quota-backend-bytes in spec.options`,
    }
  );
}

/** A volume smaller than the quota fills up first. A member does not start on a full disk. */
function room({ seen }: View, given: number): Advice | undefined {
  if (seen.desired.volumeBytes >= given) return undefined;
  const text = `volumes of ${seen.desired.volumeBytes} bytes are smaller than the quota of ${given}: a full disk stops members; let storage.size be larger, or lower quota-backend-bytes in spec.options`;
  return { topic: "Disk", text };
}

function lag({ members }: View): Advice | undefined {
  const leader = members.find(({ isLeader }) => isLeader)?.talk;
  const slow = members.find(
    ({ talk, isLeader }) =>
      !isLeader && leader !== undefined && talk !== undefined && leader.raftIndex - talk.applied > 5_000,
  );
  return (
    slow && {
      topic: "Lag",
      text: `${slow.name} is thousands of entries behind the leader: its disk or its network is slow`,
    }
  );
}

function size({ seen }: View): Advice | undefined {
  const desired = seen.desired.size;
  if (desired === 0 || desired % 2 === 1) return undefined;
  return { topic: "Size", text: `${desired} members survive no more losses than ${desired - 1}: use an odd size` };
}

function fragmentation({ members }: View): Advice | undefined {
  const torn = members.find(
    ({ talk }) => talk !== undefined && talk.dbBytes > 2 ** 30 && talk.dbBytesInUse < talk.dbBytes / 3,
  );
  return (
    torn && {
      topic: "Fragmentation",
      text: `two thirds of the database of ${torn.name} are free space: let it be defragmented`,
    }
  );
}

/** The image can contain another etcd version than its tag names. */
function maskedSpec({ members }: View): Advice | undefined {
  const found = members.find(({ pod, talk }) => pod && talk && pod.version !== talk.version);
  return (
    found && {
      topic: "Version",
      text: `the image for ${found.pod?.version} holds etcd ${found.talk?.version}, which is what ${found.name} runs: look at spec.image`,
    }
  );
}

function version({ seen }: View): Advice | undefined {
  const newest = newestPatches[minorOf(seen.desired.version)];
  if (
    newest === undefined ||
    newest === seen.desired.version ||
    Number(newest.split(".")[2]) <= Number(seen.desired.version.split(".")[2])
  )
    return undefined;
  return { topic: "Version", text: `${newest} is out and mends what ${seen.desired.version} still has` };
}
