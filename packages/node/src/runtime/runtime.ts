/** The interface between a node and what runs its containers: a Linux machine or a simulation. */
import type { Duplex } from "node:stream";
import type { Container, NodeStatus, ResourceRequirements } from "@capstan/kinds/v1";
import type { PullLogins } from "../agent/pull-secrets.ts";
import type { BoundPod, ContainerKind } from "../pod/containers.ts";
import type { DiskUse } from "../pod/sizes.ts";

/** A present image. */
export interface ImageRecord {
  readonly id: string;
  readonly bytes: number;
}

/** The sandbox of a pod: its network, its host name, its volumes. */
export interface Sandbox {
  readonly id: string;
  readonly ips: readonly string[];
}

/** One file of a volume that is filled from API objects. */
export interface VolumeFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** The content of a volume of a pod; other types of volumes are read from the pod itself. */
export type VolumeContent =
  | { readonly type: "files"; readonly files: ReadonlyMap<string, VolumeFile> }
  | { readonly type: "claim"; readonly volume: string; readonly path: string | undefined };

/** The volumes of a pod by name. */
export type Volumes = ReadonlyMap<string, VolumeContent>;

/** What a sandbox is created from. */
export interface SandboxOrder {
  readonly pod: BoundPod;
  readonly volumes: Volumes;
  /** The handler of the pod's RuntimeClass; empty is the default. */
  readonly handler: string;
  /** A lost sandbox of the pod: its remains are removed, but the volumes are kept. */
  readonly replaces?: Sandbox | undefined;
  /** Called when it has ended without having been removed. */
  readonly lost?: (id: string) => void;
}

export interface Exit {
  readonly id: string;
  readonly exitCode: number;
  readonly signal?: number;
  /** `Completed`, `Error`, `OOMKilled` and so on. */
  readonly reason: string;
  readonly message?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

export interface ContainerOrder {
  readonly pod: BoundPod;
  readonly sandbox: Sandbox;
  readonly container: Container;
  readonly kind: ContainerKind;
  readonly image: ImageRecord;
  /** Complete and in order, with references expanded. */
  readonly env: ReadonlyMap<string, string>;
  /** How many times it was started before. */
  readonly attempt: number;
  /** Called once when it has ended, for whatever reason. */
  readonly exited: (exit: Exit) => void;
}

export interface Started {
  readonly id: string;
  readonly startedAt: number;
  /** Its user, if the runtime has users. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };
}

/** A network probe of a pod, from its node. */
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

/** The result of a check or a command; `output` is shown in events. */
export interface CheckResult {
  readonly passed: boolean;
  readonly output: string;
  /** The exit code of a command. */
  readonly code?: number;
  /** Whether the check could not run and so has no result. */
  readonly isUnknown?: true;
}

/** The properties of a node. */
export interface NodeFacts {
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly capacity: { readonly [resource: string]: string };
  /** The runtime handlers and their features. */
  readonly runtimeHandlers?: NonNullable<NodeStatus["runtimeHandlers"]>;
  readonly nodeInfo: {
    readonly operatingSystem: string;
    readonly architecture: string;
    readonly kernelVersion: string;
    readonly osImage: string;
    readonly containerRuntimeVersion: string;
  };
}

/** Exec, attach, port-forward and logs, for runtimes with real programs. Connections use the frames of `linux/frames.ts`. */
export interface StreamingRuntime {
  /** Runs a command in a container. */
  openExec(id: string, command: readonly string[], stdin: boolean, tty: boolean): Duplex;
  /** Attaches to the streams of a container. */
  openAttach(id: string, stdin: boolean): Duplex;
  /** Connects to a port of a pod. */
  openPort(sandbox: Sandbox, port: number): Promise<Duplex>;
  /** The log file of one run of a container. */
  logFile(run: Pick<ContainerOrder, "pod" | "container" | "attempt">): string;
  /** The current usage of a container. */
  usage(id: string): Promise<{ readonly cpuNanoseconds: number; readonly memoryBytes: number }>;
}

/** The side effects of a node. Failures reject with a `NodeError`. */
export interface Runtime extends AsyncDisposable {
  /** Whether real programs run, which see their environment and their files. */
  readonly runsPrograms: boolean;
  /** Access to containers; a simulation has none. */
  readonly streaming?: StreamingRuntime;
  facts(): Promise<NodeFacts>;
  findImage(image: string): Promise<ImageRecord | undefined>;
  /** Pulls an image with the credentials of a pod. */
  pullImage(image: string, pod: BoundPod, logins: PullLogins): Promise<ImageRecord>;
  createSandbox(order: SandboxOrder): Promise<Sandbox>;
  /** Updates the files of volumes, each volume atomically. */
  updateVolumes(sandbox: Sandbox, volumes: Volumes): Promise<void>;
  /** The disk usage of a pod. */
  diskUse?(sandbox: Sandbox): Promise<DiskUse>;
  removeSandbox(sandbox: Sandbox, pod: BoundPod): Promise<void>;
  /** The pod is gone for good: its logs may be removed. */
  forgetPod?(pod: BoundPod): Promise<void>;
  startContainer(order: ContainerOrder): Promise<Started>;
  /** Changes the resources of a running container to those of its spec in the pod. */
  resizeContainer?(id: string, pod: BoundPod, resources: ResourceRequirements): Promise<void>;
  /** Stops a container and kills it after the grace period; its exit is reported with `exited`. */
  stopContainer(id: string, graceMs: number): Promise<void>;
  runCommand(id: string, command: readonly string[], timeoutMs: number): Promise<CheckResult>;
  check(sandbox: Sandbox, check: NetworkCheck, timeoutMs: number): Promise<CheckResult>;
}
