/** A scripted cluster around the operator: binds claims, runs pods on a scripted etcd, reports their status. */
import type { ApplyOf, ObjectOf } from "capstan";
import { PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import type { TestWorld } from "capstan/testing";
import { MEMBER_LABEL } from "../../src/pods/index.ts";
import { formatResult } from "capstan/stateful/parts";
import { agentStatus, fetched } from "./agent.ts";
import type { Store } from "./agent.ts";
import type { Disk, ScriptedEtcd } from "./etcd.ts";

type PodObject = ObjectOf<typeof Pod>;
type PodStatus = NonNullable<ApplyOf<typeof Pod>["status"]>;
type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;

interface Running {
  readonly uid: string;
  readonly address: string;
  isUp: boolean;
  isReady: boolean | undefined;
  restarts: number;
  /** The flags of the last failed start. */
  tried?: string;
}

/** After this many crashes the status does not change any more, so that the world comes to rest. */
const CRASHES = 6;

/** Counts a failed start; returns whether to report it. Other flags may have another outcome. */
function crash(running: Running, flags: string): boolean {
  if (running.restarts > CRASHES && running.tried === flags) return false;
  running.tried = flags;
  running.restarts++;
  return true;
}

interface Container {
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly valueFrom?: { fieldRef?: { fieldPath: string } } }[];
}

/** The flags when the container starts: variables are resolved at that time, from the pod at that time. */
function flagsOf({ args = [], env = [] }: Container, { metadata }: PodObject): ReadonlyMap<string, string> {
  const valueOf = (name: string): string => {
    const path = env.find((variable) => variable.name === name)?.valueFrom?.fieldRef?.fieldPath ?? "";
    const key = /^metadata\.annotations\['(?<key>.*)'\]$/u.exec(path)?.groups?.["key"] ?? "";
    return metadata.annotations?.[key] ?? "";
  };
  const told = args.map((flag) => flag.replaceAll(/\$\((\w+)\)/gu, (_whole, name: string) => valueOf(name)));
  return new Map(told.map((flag) => [flag.slice(2, flag.indexOf("=")), flag.slice(flag.indexOf("=") + 1)]));
}

function versionOf({ image = "" }: Container): string {
  return /:v?(?<version>[^:]+)$/u.exec(image)?.groups?.["version"] ?? "";
}

/** The kubelet acts only when the test calls it. */
export class ScriptedKubelet {
  readonly #world: TestWorld;
  readonly #etcd: ScriptedEtcd;
  /** The disk behind each claim, by uid. */
  readonly disks = new Map<string, Disk>();
  /** Results of agents that fetched the data of first members, by the uids of their pods. */
  readonly #seeds = new Map<string, string>();
  readonly #running = new Map<string, Running>();
  /** Images that cannot be pulled. */
  readonly missingImages = new Set<string>();
  refusedImage: RegExp | undefined;
  /** Pods that run and never become ready, as with a sidecar that does not. */
  neverReady: (pod: PodObject) => boolean = () => false;
  /** The store of the agents. */
  readonly store: Store = { refusal: undefined, backups: new Map(), broken: new Set() };
  /** Milliseconds that the node's clock is ahead of the operator's. */
  ahead = 0;
  #addresses = 0;

  constructor(world: TestWorld, etcd: ScriptedEtcd) {
    this.#world = world;
    this.#etcd = etcd;
  }

  /** Acts once on all claims and pods; returns whether something changed. */
  async turn(): Promise<boolean> {
    const claims = await this.#world.list(PersistentVolumeClaim);
    const pods = await this.#world.list(Pod);
    let hasChanged = false;
    for (const claim of claims) hasChanged = (await this.#bind(claim)) || hasChanged;
    for (const [name, running] of this.#running) {
      if (pods.some(({ metadata }) => metadata.uid === running.uid)) continue;
      this.#end(name);
      hasChanged = true;
    }
    for (const pod of pods) hasChanged = (await this.#run(pod, claims)) || hasChanged;
    for (const pod of pods) hasChanged = (await this.#tell(pod)) || hasChanged;
    return hasChanged;
  }

  async #bind(claim: ClaimObject): Promise<boolean> {
    if (claim.status?.phase === "Bound" || claim.status?.phase === "Lost") return false;
    this.disks.set(claim.metadata.uid, { memberId: "", clusterId: "", isBroken: false });
    const capacity = { storage: claim.spec?.resources?.requests?.["storage"] ?? "1Gi" };
    await this.#world.applyStatus(PersistentVolumeClaim, claim.metadata.name, { phase: "Bound", capacity });
    return true;
  }

  async #run(pod: PodObject, claims: readonly ClaimObject[]): Promise<boolean> {
    const { name, uid, labels } = pod.metadata;
    const [container] = pod.spec?.containers ?? [];
    if (this.#running.get(name)?.isUp === true || container === undefined) return false;
    if (labels?.[MEMBER_LABEL] === undefined) return await this.#runAgent(pod);
    if (this.#isMissing(container.image ?? "")) return await this.#refuseImage(pod);
    const claim = claims.find(({ metadata }) => metadata.labels?.[MEMBER_LABEL] === labels?.[MEMBER_LABEL]);
    if (claim === undefined) return false;
    const refusal = this.#seed(pod, claim.metadata.uid);
    if (refusal !== undefined) return await this.#refuseSeed(pod, refusal);
    const running = this.#running.get(name) ?? this.#place(name, uid);
    const options = {
      disk: this.disks.get(claim.metadata.uid),
      address: running.address,
      version: versionOf(container),
    };
    const flags = flagsOf(container, pod);
    const disk = this.#etcd.start(flags, options);
    if (typeof disk === "string") {
      if (!crash(running, [...flags].join(" "))) return false;
    } else {
      this.disks.set(claim.metadata.uid, disk);
      running.isUp = true;
    }
    await this.#write(pod, running);
    return true;
  }

  /** A member that starts with a backup gets its data before; returns the agent's error, if it fails. */
  #seed(pod: PodObject, claim: string): string | undefined {
    const hasBegun = (this.disks.get(claim)?.clusterId ?? "") !== "";
    const backup = hasBegun ? undefined : fetched(pod, this.store);
    if (backup?.ok === false) return formatResult(backup);
    if (backup?.manifest === undefined) return undefined;
    this.#seeds.set(pod.metadata.uid, formatResult(backup));
    const restore = pod.spec?.initContainers?.find(({ name }) => name === "restore") ?? {};
    this.disks.set(claim, this.#etcd.restore(flagsOf(restore, pod), backup.manifest.revision));
    return undefined;
  }

  async #runAgent(pod: PodObject): Promise<boolean> {
    const status = pod.status?.phase === "Pending" ? agentStatus(pod, this.#etcd, this.store) : undefined;
    if (status === undefined) return false;
    await this.#apply(pod.metadata.name, status);
    return true;
  }

  #isMissing(image: string): boolean {
    return this.missingImages.has(image) || this.refusedImage?.test(image) === true;
  }

  #place(name: string, uid: string): Running {
    const address = `10.0.0.${++this.#addresses}`;
    const running: Running = { uid, address, isUp: false, isReady: undefined, restarts: 0 };
    this.#running.set(name, running);
    return running;
  }

  /** Ready means that the cluster of the process has a leader. */
  async #tell(pod: PodObject): Promise<boolean> {
    const running = this.#running.get(pod.metadata.name);
    if (running?.isUp !== true) return false;
    const process = this.#etcd.processes.get(pod.metadata.name);
    if (process === undefined) {
      running.isUp = false;
      running.restarts++;
      await this.#write(pod, running);
      return true;
    }
    const cluster = this.#etcd.clusters.get(process.disk.clusterId);
    const isReady = cluster !== undefined && this.#etcd.hasQuorum(cluster) && !this.neverReady(pod);
    if (isReady === running.isReady) return false;
    running.isReady = isReady;
    await this.#write(pod, running);
    return true;
  }

  async #write(pod: PodObject, { address, isUp, isReady, restarts }: Running): Promise<void> {
    const { name } = pod.metadata;
    const now = new Date(this.#world.clock.wall() + this.ahead).toISOString();
    const status = isUp && isReady === true ? "True" : "False";
    const former = pod.status?.conditions?.find(({ type }) => type === "Ready");
    const lastTransitionTime = former?.status === status ? former.lastTransitionTime : now;
    const message = this.#seeds.get(pod.metadata.uid);
    const agent = { name: "fetch", image: "agent", imageID: "", ready: true, restartCount: 0 };
    const fetch = { ...agent, state: { terminated: { exitCode: 0, ...(message && { message }) } } };
    await this.#apply(name, {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: [{ type: "Ready", status, lastTransitionTime: lastTransitionTime ?? now }],
      ...(message && { initContainerStatuses: [fetch] }),
      containerStatuses: [
        {
          name: "etcd",
          image: "etcd",
          imageID: "",
          ready: status === "True",
          restartCount: restarts,
          state: isUp ? { running: { startedAt: now } } : { waiting: { reason: "CrashLoopBackOff" } },
        },
      ],
    });
  }

  async #refuseImage(pod: PodObject): Promise<boolean> {
    if (pod.status?.containerStatuses?.[0]?.state?.waiting !== undefined) return false;
    const waiting = { reason: "ImagePullBackOff", message: "no such image" };
    await this.#apply(pod.metadata.name, {
      phase: "Pending",
      containerStatuses: [
        { name: "etcd", image: "etcd", imageID: "", ready: false, restartCount: 0, state: { waiting } },
      ],
    });
    return true;
  }

  /** The container that fetches the backup crashes again and again. */
  async #refuseSeed(pod: PodObject, message: string): Promise<boolean> {
    if (pod.status?.initContainerStatuses?.[0]?.state?.waiting !== undefined) return false;
    const former = { image: "agent", imageID: "", ready: false, restartCount: 1 };
    const lastTransitionTime = new Date(this.#world.clock.wall()).toISOString();
    await this.#apply(pod.metadata.name, {
      phase: "Pending",
      conditions: [{ type: "Ready", status: "False", lastTransitionTime }],
      initContainerStatuses: [
        {
          ...former,
          name: "fetch",
          state: { waiting: { reason: "CrashLoopBackOff" } },
          lastState: { terminated: { exitCode: 1, message } },
        },
      ],
      containerStatuses: [{ ...former, name: "etcd", state: { waiting: { reason: "PodInitializing" } } }],
    });
    return true;
  }

  /** The pod may have been deleted since it was listed. */
  async #apply(name: string, status: PodStatus): Promise<void> {
    await this.#world.applyStatus(Pod, name, status).catch(async (error: unknown) => {
      if ((await this.#world.get(Pod, name)) !== undefined) throw error;
    });
  }

  #end(name: string): void {
    this.#running.delete(name);
    this.#etcd.stop(name);
  }
}
