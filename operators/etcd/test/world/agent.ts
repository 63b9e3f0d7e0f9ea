/** A scripted agent: ends the pods of backups with the result that a real one would leave. */
import type { ApplyOf, ObjectOf } from "capstan";
import type { Pod } from "capstan/kinds/v1";
import { JOB_VARIABLE } from "../../src/backup/agent/job.ts";
import type { Job, JobResult } from "../../src/backup/agent/job.ts";
import { formatResult } from "capstan/stateful/parts";
import { backupName } from "../../src/backup/manifest.ts";
import type { Manifest } from "../../src/backup/manifest.ts";
import { AGENT } from "../../src/backup/pods.ts";
import type { ScriptedEtcd } from "./etcd.ts";

type PodStatus = NonNullable<ApplyOf<typeof Pod>["status"]>;

/** A store with its backups, and the error of every access to it, if any. */
export interface Store {
  refusal: string | undefined;
  readonly backups: Map<string, Manifest>;
  /** The names of damaged backups. */
  readonly broken: Set<string>;
}

/** The status of the pod at the end of its job; undefined when it has no job. */
export function agentStatus(pod: ObjectOf<typeof Pod>, etcd: ScriptedEtcd, store: Store): PodStatus | undefined {
  const container = pod.spec?.containers.find(({ name }) => name === AGENT);
  const job = jobOf(container);
  if (job === undefined) return undefined;
  const result = resultOf(job, etcd, store);
  const terminated = { exitCode: result.ok ? 0 : 1, message: formatResult(result) };
  return {
    phase: result.ok ? "Succeeded" : "Failed",
    containerStatuses: [
      { name: AGENT, image: AGENT, imageID: "", ready: false, restartCount: 0, state: { terminated } },
    ],
  };
}

/** What the pod of a member fetches from the store if it starts with a backup; undefined otherwise. */
export function fetched(pod: ObjectOf<typeof Pod>, store: Store): JobResult | undefined {
  const job = jobOf(pod.spec?.initContainers?.find(({ name }) => name === "fetch"));
  return job?.do === "fetch" ? read(job, store) : undefined;
}

function jobOf(container: Container | undefined): Job | undefined {
  const text = container?.env?.find(({ name }) => name === JOB_VARIABLE)?.value;
  return text === undefined ? undefined : (JSON.parse(text.replaceAll("$$", "$")) as Job);
}

type Container = NonNullable<ObjectOf<typeof Pod>["spec"]>["containers"][number];

/** The named backup, or the newest. */
function read({ backup }: { readonly backup?: string | undefined }, { backups, broken, refusal }: Store): JobResult {
  if (refusal !== undefined) return { ok: false, code: "Unreachable", message: refusal };
  const manifest = backups.get(backup ?? [...backups.keys()].at(-1) ?? "");
  if (manifest === undefined) return { ok: false, code: "NotFound", message: "there is no backup" };
  const message = `the backup ${manifest.name} breaks off after 1 of 20000 bytes: name another backup`;
  return broken.has(manifest.name) ? { ok: false, code: "Truncated", message } : { ok: true, manifest };
}

/** The member that serves the snapshot: a learner only if allowed and no voter is left. */
function giverOf(learners: "never" | "at last", { processes, clusters }: ScriptedEtcd) {
  const all = [...processes.values()].map((process) => ({ process, cluster: clusters.get(process.disk.clusterId) }));
  const isLearner = ({ process, cluster }: (typeof all)[number]): boolean =>
    cluster?.members.some(({ id, isLearner: learns }) => learns && id === process.disk.memberId) === true;
  const none = { process: undefined, cluster: undefined };
  return all.find((one) => !isLearner(one)) ?? (learners === "at last" ? all[0] : undefined) ?? none;
}

function resultOf(job: Job, etcd: ScriptedEtcd, store: Store): JobResult {
  const { refusal, backups } = store;
  if (refusal !== undefined) return { ok: false, code: "Unreachable", message: refusal };
  if (job.do === "describe") return read(job, store);
  if (job.do !== "backup") return { ok: false, code: "Unsupported", message: `${job.do} is not scripted` };
  const { cluster, process } = giverOf(job.learners ?? "never", etcd);
  if (cluster === undefined || process === undefined) return { ok: false, code: "NoMember", message: "nobody answers" };
  const { revision, id: clusterId } = cluster;
  const time = new Date(backups.size * 60_000);
  etcd.log.push(`snapshot of ${process.version}`);
  const size = { bytes: 20_000, sha256: "0".repeat(64) };
  const name = backupName({ cluster: job.cluster, time, revision, salt: `${etcd.log.length}` });
  const manifest: Manifest = {
    format: 2,
    name,
    cluster: { ...job.cluster, clusterId },
    ...(job.forks === undefined ? {} : { forks: job.forks }),
    time: time.toISOString(),
    member: process.name,
    version: process.version,
    revision,
    snapshot: size,
    stored: size,
    compression: job.compression,
  };
  backups.set(name, manifest);
  return { ok: true, manifest };
}
