/** A scripted kubelet: binds claims, starts servers in memory for pods as their scripts would, and reports the status of pods. */
import type { ApplyOf, ObjectOf } from "@capstan/model";
import { PersistentVolumeClaim, Pod, Secret } from "@capstan/kinds/v1";
import type { TestWorld } from "@capstan/runtime/testing";
import { hostIs } from "../../decide/view.ts";
import { NO_DATA_EXIT, toBytes } from "../../observe/pods.ts";
import { endOf, readLeaf } from "../../tls/leaf.ts";
import { readTexts } from "../../tls/secret.ts";
import type { MemoryServers, Volume } from "./server.ts";

type PodObject = ObjectOf<typeof Pod>;
type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;
const NO_ACCOUNTS = { operator: [], replication: [], users: new Map(), databases: new Map() };

type PodStatus = NonNullable<ApplyOf<typeof Pod>["status"]>;

/** A pod that was placed. */
interface Placed {
  readonly uid: string;
  readonly address: string;
  /** Starts of the server's container. */
  runs: number;
  /** What was written to the status last. */
  told: string;
}

/** It acts only when the test calls it. */
export class MemoryKubelet {
  readonly #world: TestWorld;
  readonly #servers: MemoryServers;
  /** Volumes by the uid of their claim. */
  readonly #volumes = new Map<string, Volume>();
  readonly #placed = new Map<string, Placed>();
  /** Images that do not exist in a registry. */
  refusedImage: RegExp | undefined;
  #addresses = 0;

  constructor(world: TestWorld, servers: MemoryServers) {
    this.#world = world;
    this.#servers = servers;
  }

  /** Acts once on all claims and pods. */
  async turn(): Promise<void> {
    const claims = await this.#world.list(PersistentVolumeClaim);
    const pods = await this.#world.list(Pod);
    for (const claim of claims) await this.#bind(claim);
    for (const [name, { uid }] of this.#placed) {
      if (pods.some(({ metadata }) => metadata.uid === uid)) continue;
      this.#placed.delete(name);
      this.#servers.stop(name);
    }
    for (const pod of pods) await this.#run(pod, claims);
  }

  /** Binds a claim, or grows its volume. */
  async #bind({ metadata, spec, status }: ClaimObject): Promise<void> {
    const capacity = { storage: spec?.resources?.requests?.["storage"] ?? "1Gi" };
    const sizeBytes = toBytes(capacity.storage);
    const volume = this.#volumes.get(metadata.uid);
    if (volume?.sizeBytes === sizeBytes) return;
    if (volume !== undefined) volume.sizeBytes = sizeBytes;
    else if (status?.phase === undefined || status.phase === "Pending") {
      const fresh = { lineage: undefined, log: [], confirmed: 0, accounts: NO_ACCOUNTS, usedBytes: 0, sizeBytes };
      this.#volumes.set(metadata.uid, fresh);
    }
    await this.#world.applyStatus(PersistentVolumeClaim, metadata.name, { phase: "Bound", capacity });
  }

  async #run(pod: PodObject, claims: readonly ClaimObject[]): Promise<void> {
    const { name, uid } = pod.metadata;
    const placed = this.#placed.get(name) ?? { uid, address: `10.0.0.${++this.#addresses}`, runs: 0, told: "" };
    this.#placed.set(name, placed);
    const [container] = pod.spec?.containers ?? [];
    const volume = this.#volumeOf(pod, claims);
    if (container === undefined || volume === undefined) return;
    if (this.refusedImage?.test(container.image ?? "") === true) {
      return await this.#tell(pod, placed, waiting(container.name, "ImagePullBackOff", "there is no such image"));
    }
    const failure = this.#servers.servers.has(name) ? undefined : await this.#start(pod, placed, volume);
    await this.#loadCertificate(pod);
    await this.#tell(pod, placed, failure ?? running(container.name, placed, this.#world.clock.wall()));
  }

  /** A changed Secret appears in the pod, and the server loads it. */
  async #loadCertificate({ metadata, spec }: PodObject): Promise<void> {
    const name = spec?.volumes?.find(({ secret }) => secret !== undefined)?.secret?.secretName;
    const server = this.#servers.servers.get(metadata.name);
    if (name === undefined || server === undefined) return;
    const leaf = readLeaf(readTexts(await this.#world.get(Secret, name)));
    if (leaf !== undefined) server.certificateEnd = endOf(leaf);
  }

  /** Starts the server on its volume; the status of the pod, if that fails. */
  async #start(pod: PodObject, placed: Placed, volume: Volume): Promise<PodStatus | undefined> {
    const failure = await this.#prepare(pod, volume);
    if (failure !== undefined) return failure;
    placed.runs++;
    this.#servers.start({
      member: pod.metadata.name,
      address: placed.address,
      version: /:(?<version>[^:]+)$/u.exec(pod.spec?.containers[0]?.image ?? "")?.groups?.["version"] ?? "",
      volume,
      role: variable(pod, "ROLE") === "primary" ? "primary" : "replica",
    });
    return undefined;
  }

  #volumeOf(pod: PodObject, claims: readonly ClaimObject[]): Volume | undefined {
    const name = pod.spec?.volumes?.find(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
      ?.persistentVolumeClaim?.claimName;
    const claim = claims.find(({ metadata }) => metadata.name === name);
    return claim && this.#volumes.get(claim.metadata.uid);
  }

  /** What the script of the first container does; its failure, if it fails. */
  async #prepare(pod: PodObject, volume: Volume): Promise<PodStatus | undefined> {
    if (volume.lineage !== undefined) return undefined;
    const boot = variable(pod, "BOOT");
    if (boot === "create") {
      volume.lineage = variable(pod, "LINEAGE");
      const { operator = "", replication = "" } = await this.#passwords(pod);
      volume.accounts = { ...NO_ACCOUNTS, operator: [operator], replication: [replication] };
      return undefined;
    }
    if (boot !== "clone") return failed(pod, NO_DATA_EXIT, "the volume has no data");
    const donors = variable(pod, "DONORS").split(" ");
    const donor = [...this.#servers.servers.values()].find(
      ({ member, isCut }) => !isCut && donors.some((host) => hostIs(host, member)),
    );
    if (donor === undefined) return failed(pod, 1, "no donor responds");
    const { replication = "" } = await this.#passwords(pod);
    if (!donor.volume.accounts.replication.includes(replication))
      return failed(pod, 1, "the donor refuses the password");
    const { lineage, log, accounts } = donor.volume;
    Object.assign(volume, { lineage, log, accounts, confirmed: log.length });
    return undefined;
  }

  /** The Secret that the containers' variables refer to. */
  async #passwords({ spec }: PodObject) {
    const env = spec?.containers[0]?.env ?? [];
    const name = env.find((one) => one.name === "OPERATOR_PASSWORD")?.valueFrom?.secretKeyRef?.name ?? "";
    return readTexts(await this.#world.get(Secret, name));
  }

  /** The server ends without warning, and its container starts again. */
  kill(member: string): void {
    this.#servers.stop(member);
  }

  /** The data of a volume is gone, with the server on it. */
  async loseVolume(member: string): Promise<void> {
    this.#servers.stop(member);
    await this.#world.delete(PersistentVolumeClaim, `data-${member}`);
  }

  async #tell(pod: PodObject, placed: Placed, status: PodStatus): Promise<void> {
    const told = JSON.stringify([status.phase, placed.runs, status.initContainerStatuses, status.containerStatuses]);
    if (placed.told === told) return;
    placed.told = told;
    await this.#world.applyStatus(Pod, pod.metadata.name, { ...status, podIP: placed.address });
  }
}

/** The value of a variable of the server's container; annotations are read when the container starts. */
function variable({ metadata, spec }: PodObject, name: string): string {
  const found = spec?.containers[0]?.env?.find((one) => one.name === name);
  const path = found?.valueFrom?.fieldRef?.fieldPath ?? "";
  const key = /^metadata\.annotations\['(?<key>.*)'\]$/u.exec(path)?.groups?.["key"];
  return found?.value ?? (key === undefined ? "" : (metadata.annotations?.[key] ?? ""));
}

function running(name: string, { address, runs }: Placed, now: number): PodStatus {
  const at = new Date(now).toISOString();
  const container = { name, image: name, imageID: "", ready: true, restartCount: runs - 1 };
  return {
    phase: "Running",
    podIPs: [{ ip: address }],
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: at }],
    initContainerStatuses: [],
    containerStatuses: [{ ...container, containerID: `run://${address}/${runs}`, state: { running: {} } }],
  };
}

function waiting(name: string, reason: string, message: string): PodStatus {
  const container = { name, image: name, imageID: "", ready: false, restartCount: 0 };
  return { phase: "Pending", containerStatuses: [{ ...container, state: { waiting: { reason, message } } }] };
}

function failed({ spec }: PodObject, exitCode: number, message: string): PodStatus {
  const name = spec?.initContainers?.[0]?.name ?? "";
  const container = { name, image: name, imageID: "", ready: false, restartCount: 1 };
  const [state, lastState] = [{ waiting: { reason: "CrashLoopBackOff" } }, { terminated: { exitCode, message } }];
  return { phase: "Pending", initContainerStatuses: [{ ...container, state, lastState }] };
}
