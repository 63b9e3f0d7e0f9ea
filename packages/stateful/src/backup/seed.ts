/** The parts of the first member's pod that bring given data: a backup, a dump, or a running server. */
import { createHash } from "node:crypto";
import type { Job } from "./agent/job.ts";
import type { Wanted } from "./log.ts";
import { agentContainer, storeParts, storeWork } from "./parts.ts";
import type { Part } from "./parts.ts";
import type { BackupChoice, SecretKey, StoreAccess } from "./resource.ts";

/** Where the data of a cluster comes from: exactly one. */
export interface SeedSource {
  readonly backup?: BackupChoice;
  readonly dump?: StoreAccess & { readonly object: string };
  readonly server?: {
    readonly host: string;
    readonly port?: number;
    readonly user: string;
    readonly password: SecretKey;
  };
}

/** What the parts depend on. */
export interface SeedInput {
  readonly source: SeedSource;
  readonly agentImage: string;
  readonly cluster: { readonly namespace: string; readonly name: string };
  readonly version: string;
  readonly port: number;
  /** Where the data volume is mounted. */
  readonly dataPath: string;
}

/** Additions to a member's pod. */
export interface SeedParts {
  readonly initContainers: readonly object[];
  readonly volumes: readonly object[];
  readonly env: readonly object[];
}

/** Identifies the source: a pod with another one starts again. */
export function seedHash(source: SeedSource): string {
  return createHash("sha256").update(JSON.stringify(source)).digest("hex").slice(0, 16);
}

/** The file that says that the data was loaded. */
export function seedMarker(dataPath: string): string {
  return `${dataPath}/seeded`;
}

export function seedParts(input: SeedInput): SeedParts {
  const { backup, dump, server } = input.source;
  const to = `${input.dataPath}/seed`;
  const seed = { name: "SEED", value: to };
  if (server !== undefined) {
    const { host, port = input.port, user, password } = server;
    const env = [
      seed,
      { name: "SEED_HOST", value: host },
      { name: "SEED_PORT", value: String(port) },
      { name: "SEED_USER", value: user },
      { name: "SEED_PASSWORD", valueFrom: { secretKeyRef: password } },
    ];
    return { initContainers: [], volumes: [], env };
  }
  const unless = seedMarker(input.dataPath);
  if (dump !== undefined) {
    const job: Job = { ...storeWork(dump), do: "download", object: dump.object, to, unless };
    return withAgent(input, { access: { store: dump.store }, job: { ...job, isEncrypted: false }, env: [seed] });
  }
  if (backup === undefined) return { initContainers: [], volumes: [], env: [] };
  const { time, position } = backup.until ?? {};
  const env = [
    seed,
    ...(position === undefined ? [] : [{ name: "UNTIL_POSITION", value: position }]),
    ...(time === undefined ? [] : [{ name: "UNTIL_TIME", value: plainTime(time) }]),
  ];
  const job: Job = {
    ...storeWork(backup),
    do: "fetch",
    wanted: wantedOf(backup, input.cluster),
    version: input.version,
    to,
    unless,
  };
  return withAgent(input, { access: backup, job, env });
}

/** What an agent looks for. */
export function wantedOf(
  { backup, digest, sourceCluster, until }: BackupChoice,
  cluster: { readonly namespace: string; readonly name: string },
): Pick<Wanted, "backup" | "digest" | "cluster" | "until"> {
  const { namespace = cluster.namespace, name = cluster.name } = sourceCluster ?? {};
  const named = sourceCluster === undefined && backup !== undefined ? clusterOf(backup) : undefined;
  return { backup, digest, cluster: named ?? { namespace, name }, until };
}

/** The name of a backup names its cluster. */
function clusterOf(backup: string) {
  const [namespace = "", name = ""] = backup.split("/");
  return { namespace, name };
}

/** As `date -u '+%Y-%m-%d %H:%M:%S'` writes it. */
function plainTime(time: string): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}

interface WithAgent {
  readonly access: StoreAccess;
  readonly job: Job;
  readonly env: readonly object[];
}

function withAgent({ agentImage, dataPath }: SeedInput, { access, job, env }: WithAgent): SeedParts {
  const parts = storeParts(access);
  const data: Part = { volume: { name: "data" }, mountPath: dataPath, readOnly: false };
  const container = agentContainer({ name: "seed", image: agentImage, job, parts: [data, ...parts] });
  return { initContainers: [container], volumes: parts.map(({ volume }) => volume), env };
}

/** Loads the data and removes what is not needed any more. */
export function seededScript(prepare: string, dataPath: string): string {
  return `( ${prepare}
)
code=$?
[ $code = 0 ] || exit $code
touch ${seedMarker(dataPath)}
rm -rf ${dataPath}/seed
`;
}
