/** A scripted agent: ends the pods of backups with the result that a real one would leave. */
import type { ApplyOf, ObjectOf } from "capstan";
import type { Pod } from "capstan/kinds/v1";
import { JOB_VARIABLE } from "../../src/backup/agent/job.ts";
import type { Job, JobResult } from "../../src/backup/agent/job.ts";
import { formatResult } from "../../src/backup/agent/result.ts";
import { backupName } from "../../src/backup/manifest.ts";
import { AGENT } from "../../src/backup/pods.ts";
import type { ScriptedEtcd } from "./etcd.ts";

type PodStatus = NonNullable<ApplyOf<typeof Pod>["status"]>;

/** What stands between the agent and the store, if anything does. */
export interface Store {
  refusal: string | undefined;
}

/** The status of the pod when its job is over; undefined when it has none. */
export function agentStatus(pod: ObjectOf<typeof Pod>, etcd: ScriptedEtcd, store: Store): PodStatus | undefined {
  const container = pod.spec?.containers.find(({ name }) => name === AGENT);
  const text = container?.env?.find(({ name }) => name === JOB_VARIABLE)?.value;
  if (text === undefined) return undefined;
  const result = resultOf(JSON.parse(text) as Job, etcd, store);
  const terminated = { exitCode: result.ok ? 0 : 1, message: formatResult(result) };
  return {
    phase: result.ok ? "Succeeded" : "Failed",
    containerStatuses: [
      { name: AGENT, image: AGENT, imageID: "", ready: false, restartCount: 0, state: { terminated } },
    ],
  };
}

function resultOf(job: Job, etcd: ScriptedEtcd, { refusal }: Store): JobResult {
  if (refusal !== undefined) return { ok: false, code: "Unreachable", message: refusal };
  if (job.do !== "backup") return { ok: false, code: "Unsupported", message: `${job.do} is not scripted` };
  const [cluster] = etcd.clusters.values();
  const [process] = etcd.processes.values();
  if (cluster === undefined || process === undefined) return { ok: false, code: "NoMember", message: "nobody answers" };
  const { revision, id: clusterId } = cluster;
  const time = new Date(0);
  etcd.log.push(`snapshot of ${process.version}`);
  const size = { bytes: 20_000, sha256: "0".repeat(64) };
  const name = backupName({ cluster: job.cluster, time, revision, salt: `${etcd.log.length}` });
  return {
    ok: true,
    manifest: {
      format: 1,
      name,
      cluster: { ...job.cluster, clusterId },
      time: time.toISOString(),
      member: process.name,
      version: process.version,
      revision,
      snapshot: size,
      stored: size,
      compression: job.compression,
    },
  };
}
