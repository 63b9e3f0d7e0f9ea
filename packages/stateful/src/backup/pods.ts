/** The pods that make, describe and try backups. The server's image runs the server's programs, the operator's image all else. */
import type { ApplyOf, ObjectOf } from "@capstan/model";
import type { Pod } from "@capstan/kinds/v1";
import { accountsSecretName, hostOf } from "../pods/names.ts";
import type { Naming } from "../pods/names.ts";
import { imageOf, programOf } from "../pods/pod.ts";
import type { PodTemplate } from "../pods/pod.ts";
import { handOverScript, prepareScript } from "./agent/exchange.ts";
import { PATHS } from "./agent/job.ts";
import type { Job } from "./agent/job.ts";
import { AGENT, agentContainer, agentPodSpec, CONTAINER_SECURITY, folderPart, mountsOf, storeParts } from "./parts.ts";
import type { Part } from "./parts.ts";
import { seeJob } from "./job-pods.ts";
import type { SeenJob } from "./job-pods.ts";
import type { Manifest } from "./manifest.ts";
import type { StoreAccess } from "./resource.ts";

/** What a job is for. */
export type Purpose = "backup" | "log" | "verify" | "describe";

/** A job in a pod. */
export type BackupJob = SeenJob<Manifest, Purpose>;

/** Reads the state of a job from its pod. */
export function seeBackupJob(pod: ObjectOf<typeof Pod>, naming: Naming): BackupJob {
  return seeJob(pod, purposeLabel(naming), ["backup", "log", "verify", "describe"]);
}

/** The label with the purpose of a job's pod. */
export function purposeLabel({ group }: Naming): string {
  return `${group}/purpose`;
}

/** What all pods for backups have in common. */
export interface JobPodOptions {
  readonly template: PodTemplate;
  readonly agentImage: string;
  readonly purpose: Purpose;
  readonly access: StoreAccess;
  readonly timeout: string;
  readonly job: Job;
}

/** Which member is asked, and by which script. */
export interface ServerScript {
  readonly script: string;
  readonly member?: string;
  readonly piece?: string;
  /** The Secret with the authorities by which the member is verified; left out: the member has no TLS. */
  readonly trustSecret?: string | undefined;
}

/** A pod in which the server's program hands its output over to the agent. */
export function handOverPod(options: JobPodOptions, server: ServerScript): ApplyOf<typeof Pod> {
  const { template, access, job, agentImage } = options;
  const scratch = [folderPart("scratch", PATHS.scratch), folderPart("exchange", PATHS.exchange)];
  const trust = trustParts(server);
  const parts = [...scratch, ...storeParts(access)];
  const image = imageOf(template);
  const run = (name: string, script: string) => ({
    name,
    image,
    command: ["/bin/sh", "-c", script],
    env: environment(template, server),
    terminationMessagePolicy: "FallbackToLogsOnError",
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      ...mountsOf([...scratch, ...trust]),
      { name: "scratch", mountPath: "/tmp" },
      { name: "scratch", mountPath: "/run" },
    ],
  });
  const fetch =
    job.do === "compare"
      ? [agentContainer({ name: "fetch", image: agentImage, job: fetchOf(job, template), parts })]
      : [];
  return jobPod(options, {
    parts: [...parts, ...trust],
    initContainers: [run("prepare", prepareScript(PATHS.exchange)), ...fetch],
    containers: [
      agentContainer({ name: AGENT, image: agentImage, job, parts }),
      run("server", handOverScript(PATHS.exchange, server.script)),
    ],
  });
}

const TRUST_PATH = "/trust";

function trustParts({ trustSecret: secretName }: ServerScript): readonly Part[] {
  if (secretName === undefined) return [];
  return [{ volume: { name: "trust", secret: { secretName } }, mountPath: TRUST_PATH, readOnly: true }];
}

/** The trial restores exactly the backup that is compared. */
function fetchOf(
  { wanted, do: _do, backup, digest, retention: _retention, ...work }: Extract<Job, { do: "compare" }>,
  { version }: PodTemplate,
): Job {
  const pinned = { ...wanted, backup, ...(digest === undefined ? {} : { digest }) };
  return {
    ...work,
    do: "fetch",
    wanted: pinned,
    version,
    to: `${PATHS.scratch}/seed`,
    unless: `${PATHS.scratch}/none`,
  };
}

/** A pod in which the agent works alone. */
export function agentPod(options: JobPodOptions): ApplyOf<typeof Pod> {
  const { access, job, agentImage } = options;
  const parts = storeParts(access);
  return jobPod(options, { parts, containers: [agentContainer({ name: AGENT, image: agentImage, job, parts })] });
}

interface Content {
  readonly parts: readonly Part[];
  readonly initContainers?: readonly object[];
  readonly containers: readonly object[];
}

function jobPod({ template, purpose, timeout }: JobPodOptions, content: Content) {
  const { naming, cluster } = template;
  const labels = {
    "app.kubernetes.io/managed-by": `${naming.application}-operator`,
    // Not the labels of members: no Service and no budget counts this pod.
    [`${naming.group}/backup-of`]: cluster,
    [purposeLabel(naming)]: purpose,
  };
  const { user } = programOf(template, `${cluster}-0`);
  // The containers have different types; the API server validates the pod.
  return { metadata: { labels }, spec: agentPodSpec({ ...content, timeout, user }) } as unknown as ApplyOf<typeof Pod>;
}

function environment({ cluster, namespace, port }: PodTemplate, { member, piece = "", trustSecret }: ServerScript) {
  const secret = (name: string, key: string) => ({
    name,
    valueFrom: { secretKeyRef: { name: accountsSecretName(cluster), key } },
  });
  return [
    { name: "HOST", value: member === undefined ? "" : hostOf({ cluster, namespace }, member) },
    { name: "PORT", value: String(port) },
    { name: "AUTHORITY", value: trustSecret === undefined ? "" : `${TRUST_PATH}/ca.crt` },
    { name: "SEED", value: `${PATHS.scratch}/seed` },
    { name: "PIECE", value: piece },
    secret("OPERATOR_PASSWORD", "operator"),
    secret("REPLICATION_PASSWORD", "replication"),
  ];
}
