/** What can be broken below a cluster, and mended: lines, nodes, the API server. The same words for both grounds. */

/** How an API server is away: its connections end, or it never answers. */
export type Absence = "killed" | "frozen";

/** How a node is lost: nobody hears of it and its pods any more, though they run on; or it is dead with all that ran on it. */
export type Loss = "cut off" | "killed";

/** The means of one ground. */
export interface Breakage {
  /** Nobody reaches these pods or hears of them any more, but for the probes of their own kubelets. */
  cut(pods: readonly string[]): Promise<void>;
  /** Everybody reaches everybody again. */
  heal(): Promise<void>;
  loseNode(node: string, how: Loss): Promise<void>;
  returnNode(node: string, how: Loss): Promise<void>;
  stopApiServer(how: Absence): Promise<void>;
  startApiServer(): Promise<void>;
  /** Where the files of a volume are on this machine. */
  folderOf(volume: VolumeSpec): string;
}

/** The part of a PersistentVolume's spec that tells where it is. */
export interface VolumeSpec {
  readonly hostPath?: { readonly path: string };
  readonly local?: { readonly path: string };
}
