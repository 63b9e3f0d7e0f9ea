/** What a node asks of whatever runs containers: a machine, or a pretence. */
import type { Duplex } from "node:stream";
import type { Container, NodeStatus, ResourceRequirements } from "@capstan/kinds/v1";
import type { PullLogins } from "../agent/pull-secrets.ts";
import type { BoundPod, ContainerKind } from "../pod/containers.ts";
import type { DiskUse } from "../pod/sizes.ts";

/** An image that is there. */
export interface ImageRecord {
  readonly id: string;
  readonly bytes: number;
}

/** The place in which the containers of a pod run: its network, its host name, its volumes. */
export interface Sandbox {
  readonly id: string;
  readonly ips: readonly string[];
}

/** One file of a volume that the API server's objects fill. */
export interface VolumeFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** What a volume of a pod holds; other kinds of volumes are read from the pod itself. */
export type VolumeContent =
  | { readonly type: "files"; readonly files: ReadonlyMap<string, VolumeFile> }
  | { readonly type: "claim"; readonly volume: string; readonly path: string | undefined };

/** The volumes of a pod by name. */
export type Volumes = ReadonlyMap<string, VolumeContent>;

/** What to make a sandbox of. */
export interface SandboxOrder {
  readonly pod: BoundPod;
  readonly volumes: Volumes;
  /** The way to run the pod that its RuntimeClass names; empty is the usual one. */
  readonly handler: string;
  /** A lost sandbox of the pod: what is left of it goes, but the volumes are kept. */
  readonly replaces?: Sandbox | undefined;
  /** Told when it has ended without having been removed. */
  readonly lost?: (id: string) => void;
}

/** How a container ended. */
export interface Exit {
  readonly id: string;
  readonly exitCode: number;
  readonly signal?: number;
  /** `Completed`, `Error`, `OOMKilled` and so on. */
  readonly reason: string;
  readonly message?: string;
  /** Calendar milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** What to start. */
export interface ContainerOrder {
  readonly pod: BoundPod;
  readonly sandbox: Sandbox;
  readonly container: Container;
  readonly kind: ContainerKind;
  readonly image: ImageRecord;
  /** Complete and in order, references expanded. */
  readonly env: ReadonlyMap<string, string>;
  /** How many times it was started before. */
  readonly attempt: number;
  /** Called once when it has ended, however that came about. */
  readonly exited: (exit: Exit) => void;
}

/** A container that was started. */
export interface Started {
  readonly id: string;
  readonly startedAt: number;
  /** Whom it runs as, where there are users. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };
}

/** A question over the network of a pod, from its node. */
export type NetworkCheck =
  | {
      readonly type: "http";
      readonly scheme: "HTTP" | "HTTPS";
      readonly host: string;
      readonly port: number;
      readonly path: string;
      readonly headers: readonly (readonly [string, string])[];
    }
  | { readonly type: "tcp"; readonly host: string; readonly port: number }
  | { readonly type: "grpc"; readonly host: string; readonly port: number; readonly service: string };

/** How a check or a command went; `output` is told in events. */
export interface CheckResult {
  readonly passed: boolean;
  readonly output: string;
  /** How a command ended. */
  readonly code?: number;
  /** Whether nothing was found out, because it could not even be asked. */
  readonly isUnknown?: true;
}

/** What a node has to offer. */
export interface NodeFacts {
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly capacity: { readonly [resource: string]: string };
  /** The ways to run pods, and what each of them can do. */
  readonly runtimeHandlers?: NonNullable<NodeStatus["runtimeHandlers"]>;
  readonly nodeInfo: {
    readonly operatingSystem: string;
    readonly architecture: string;
    readonly kernelVersion: string;
    readonly osImage: string;
    readonly containerRuntimeVersion: string;
  };
}

/** The ways into containers, where there are programs to reach. Connections are framed as `linux/frames.ts` says. */
export interface Doors {
  /** Runs a command in a container. */
  openExec(id: string, command: readonly string[], stdin: boolean, tty: boolean): Duplex;
  /** Joins what a container says and hears. */
  openAttach(id: string, stdin: boolean): Duplex;
  /** Connects to a port of a pod. */
  openPort(sandbox: Sandbox, port: number): Promise<Duplex>;
  /** The file with the output of one run of a container. */
  logFile(run: Pick<ContainerOrder, "pod" | "container" | "attempt">): string;
  /** What a container uses now. */
  usage(id: string): Promise<{ readonly cpuNanoseconds: number; readonly memoryBytes: number }>;
}

/** The effects of a node. Whatever fails rejects with a `NodeError`. */
export interface Runtime extends AsyncDisposable {
  /** Whether programs run that see their environment and their files. */
  readonly runsPrograms: boolean;
  /** The ways into containers; a pretence has none. */
  readonly doors?: Doors;
  facts(): Promise<NodeFacts>;
  findImage(image: string): Promise<ImageRecord | undefined>;
  /** Pulls an image for a pod, as whoever the pod is to the registry. */
  pullImage(image: string, pod: BoundPod, logins: PullLogins): Promise<ImageRecord>;
  createSandbox(order: SandboxOrder): Promise<Sandbox>;
  /** Brings the files of volumes up to date, all of a volume at once. */
  updateVolumes(sandbox: Sandbox, volumes: Volumes): Promise<void>;
  /** How much of the disk a pod takes. */
  diskUse?(sandbox: Sandbox): Promise<DiskUse>;
  removeSandbox(sandbox: Sandbox, pod: BoundPod): Promise<void>;
  /** Nobody will ask about the pod any more: its logs may go. */
  forgetPod?(pod: BoundPod): Promise<void>;
  startContainer(order: ContainerOrder): Promise<Started>;
  /** Changes what a container that runs may use to what its spec in the pod says now. */
  resizeContainer?(id: string, pod: BoundPod, resources: ResourceRequirements): Promise<void>;
  /** Asks a container to end and kills it after the grace; its end is told by `exited`. */
  stopContainer(id: string, graceMs: number): Promise<void>;
  runCommand(id: string, command: readonly string[], timeoutMs: number): Promise<CheckResult>;
  check(sandbox: Sandbox, check: NetworkCheck, timeoutMs: number): Promise<CheckResult>;
}
