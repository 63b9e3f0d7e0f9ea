/** The messages between the node and its shim. */
import type { Found, Walk } from "./shim/inside-walk.ts";
import type { CommandSearch } from "./shim/look-path.ts";
import type { Mount } from "./launch.ts";
import type { ExecFailure } from "./exec-failure.ts";

/** A request to the shim. The shim is simple on purpose: it runs, starts, signals and listens; all decisions are made outside. */
export type ShimRequest =
  | { readonly do: "run"; readonly argv: readonly string[]; readonly input?: string | undefined }
  | { readonly do: "start"; readonly launch: Launch }
  | { readonly do: "signal"; readonly id: string; readonly signal: NodeJS.Signals | number }
  /** Relays connections to this address of the node to the outside. */
  | { readonly do: "relay"; readonly host: string; readonly port: number; readonly socket: string }
  /** Serves DNS at this address; queries arrive as events. */
  | { readonly do: "names"; readonly host: string }
  | { readonly do: "usage"; readonly id: string }
  | { readonly do: "bind"; readonly what: BindRequest }
  | { readonly do: "prepareMounts"; readonly what: PrepareMountsRequest }
  | { readonly do: "writeFilesAndFolders"; readonly what: WriteFilesRequest }
  | { readonly do: "files"; readonly what: VolumeFilesRequest }
  /** Changes the group of all files of a folder. */
  | { readonly do: "give"; readonly folder: string; readonly group: number }
  /** Removes a path below a folder recursively. */
  | { readonly do: "remove"; readonly root: string; readonly path: string };

/** A path below a folder to bind-mount at another path. */
export interface BindRequest extends Walk {
  readonly to: string;
  /** The required type, if any. */
  readonly expect?: Found | undefined;
  /** The mode of a new folder: that of the folder where the walk begins, or the given one. */
  readonly modeIfNew?: number | "the root's" | undefined;
}

/** Folders, each with its parents, and files to create. */
export interface WriteFilesRequest {
  /** A new folder may have another mode than the default, which lets all users enter. */
  readonly folders: readonly { readonly path: string; readonly mode?: number }[];
  readonly files: readonly { readonly path: string; readonly text: string; readonly mode: number }[];
}

/** All files of a volume, which change atomically. */
export interface VolumeFilesRequest {
  readonly folder: string;
  readonly files: readonly (readonly [path: string, file: { readonly base64: string; readonly mode: number }])[];
  /** Names the new folder. */
  readonly stamp: string;
  /** The group of the files. */
  readonly group: number | undefined;
}

/** The mounts of a container in its rootfs `root`. */
export interface PrepareMountsRequest {
  readonly root: string;
  readonly mounts: readonly Mount[];
  /** The working directory of its program. */
  readonly directory: string;
  /** A folder for mounts that are assembled before the container starts. */
  readonly copies: string;
  /** The program that enters the container, to be stored by the shim. */
  readonly program: { readonly file: string; readonly base64: string } | undefined;
}

/** The resolved mounts. */
export interface PreparedMounts {
  readonly mounts: readonly Mount[];
  /** What was mounted for the container and must be unmounted after its end. */
  readonly copies: readonly string[];
}

/** A program, and the exec error that is certain in advance, if any. */
export interface Program extends CommandSearch {
  readonly execFailure?: ExecFailure | undefined;
  /** A path that exists in the container only when its setup is complete. */
  readonly sign: string;
}

/** A program that was found and cannot be executed: its container counts as started all the same. */
export interface Unexecuted {
  readonly file: string;
  readonly failure: ExecFailure;
}

/** The cgroups of processes, and their `oom_score_adj`. */
export interface Membership {
  readonly groups: readonly string[];
  readonly oomScore: number;
}

export interface Launch {
  readonly id: string;
  readonly argv: readonly string[];
  /** Variables of its launcher: other users cannot read them, but all users can read command lines. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The prefix of the error line of the last program before the container's own. */
  readonly execErrorPrefix?: string;
  /** Its own program, to be checked before it begins. */
  readonly program?: Program;
  /** The files of the programs that are executed before the container's own. */
  readonly launchers?: readonly string[];
  /** The file for its output, in CRI format. */
  readonly log: string;
  readonly stdin: boolean;
  /** Whether its input closes when the first attached client ends its input. */
  readonly stdinOnce?: boolean;
  /** Whether the program reports its process over file descriptor 3, as bubblewrap does. */
  readonly reportsPid: boolean;
  /** A process in the PID namespace that it joins. */
  readonly joins?: number | undefined;
  /** Its cgroups; the process waits at file descriptor 4 until it has been moved there. */
  readonly membership?: Membership | undefined;
}

/** The result of a command. */
export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The usage of a container. */
export interface Usage {
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

/** A message to the shim. */
export interface ShimCall {
  readonly n: number;
  readonly request: ShimRequest;
}

/** A message from the shim. */
export type ShimMessage =
  | { readonly n: number; readonly value: unknown }
  | { readonly n: number; readonly error: string }
  | { readonly event: "ready" }
  | {
      readonly event: "exit";
      readonly id: string;
      readonly code: number | null;
      readonly signal: string | null;
      /** The line in which the launcher, or the program that sets the variables, reports that the program could not be executed. */
      readonly refused?: string | undefined;
      readonly unexecuted?: Unexecuted | undefined;
      /** Where the program was found. */
      readonly file?: string | undefined;
    }
  | { readonly event: "question"; readonly q: number; readonly bytes: string };

/** The response to a DNS query; the shim does not acknowledge it. */
export interface NamesAnswer {
  readonly q: number;
  readonly bytes: string | undefined;
}

/** The first line on a connection to the shim server. */
export type ShimConnection =
  | { readonly to: "dial"; readonly host: string; readonly port: number }
  /** Connects from inside the network namespace of a process. */
  | { readonly to: "dial-in"; readonly pid: number; readonly port: number }
  | {
      readonly to: "exec";
      readonly id: string;
      /** The command that follows the namespace options of `nsenter`. */
      readonly entry: readonly string[];
      readonly tty: boolean;
      /** The owner of the terminal. */
      readonly owner?: number | undefined;
      readonly variables: Readonly<Record<string, string>>;
      /** The prefix of the error line of the last program before the command. */
      readonly execErrorPrefix: string;
      readonly program: CommandSearch;
      readonly stdin: boolean;
      readonly membership?: Membership | undefined;
    }
  | { readonly to: "attach"; readonly id: string; readonly stdin: boolean };

/** The content of the last frame of a connection. */
export interface CommandEnd {
  /** 128 plus the signal number for a signal, as in shells. */
  readonly code?: number;
  /** Why the command was not run at all, for example because the container has ended. */
  readonly error?: string;
  /** Why the command could not be executed, in the words of the program that tried. */
  readonly refused?: string;
}

/** The channels of a framed connection, with the numbers of the API server's stream protocol. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, exit: 3, resize: 4, closeStdin: 255 } as const;
