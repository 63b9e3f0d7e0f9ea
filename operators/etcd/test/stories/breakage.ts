/** What can be broken below a cluster, and repaired: networks, nodes, the API server. One interface for both clusters. */

/** How an API server is unavailable: its connections end, or it never responds. */
export type Absence = "killed" | "frozen";

/** How a node is lost: it is unreachable while its pods still run, or it is dead with all its processes. */
export type Loss = "cut off" | "killed";

/** The functions of one cluster. */
export interface Breakage {
  /** Cuts these pods off from all traffic except the probes of their own kubelets. */
  cut(pods: readonly string[]): Promise<void>;
  /** Restores all connections. */
  heal(): Promise<void>;
  loseNode(node: string, how: Loss): Promise<void>;
  returnNode(node: string, how: Loss): Promise<void>;
  stopApiServer(how: Absence): Promise<void>;
  startApiServer(): Promise<void>;
  /** The folder of a volume on this machine. */
  folderOf(volume: VolumeSpec): string;
}

/** The part of a PersistentVolume's spec that has its location. */
export interface VolumeSpec {
  readonly hostPath?: { readonly path: string };
  readonly local?: { readonly path: string };
}
