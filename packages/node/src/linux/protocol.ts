/** What the node says to the process that lives in its namespaces, and what that one says back. */
import type { Found, Walk } from "./keeper/inside-walk.ts";
import type { CommandSearch } from "./keeper/look-path.ts";
import type { Mount } from "./launch.ts";
import type { ExecFailure } from "./unexecutable.ts";

/** A request. The keeper is simple on purpose: it runs, starts, signals and listens; what and why is decided outside. */
export type KeeperRequest =
  | { readonly do: "run"; readonly argv: readonly string[]; readonly input?: string | undefined }
  | { readonly do: "start"; readonly launch: Launch }
  | { readonly do: "signal"; readonly id: string; readonly signal: NodeJS.Signals | number }
  /** Connections to this address of the node are handed to the outside. */
  | { readonly do: "relay"; readonly host: string; readonly port: number; readonly socket: string }
  /** Questions to this address come as events. */
  | { readonly do: "names"; readonly host: string }
  | { readonly do: "usage"; readonly id: string }
  | { readonly do: "bind"; readonly what: BindRequest }
  | { readonly do: "furnish"; readonly what: FurnishRequest }
  | { readonly do: "lay"; readonly what: LayRequest }
  | { readonly do: "files"; readonly what: FilesRequest }
  /** Gives all files of a folder to a group. */
  | { readonly do: "give"; readonly folder: string; readonly group: number }
  /** Removes what is at a path below a folder, with all that is in it. */
  | { readonly do: "remove"; readonly root: string; readonly path: string };

/** A place below a folder that is to be shown at another path. */
export interface BindRequest extends Walk {
  readonly to: string;
  /** What it must be, if that matters. */
  readonly expect?: Found | undefined;
  /** Who may do what with it, if it has to be made: the same as with the folder where the walk begins, or what is said here. */
  readonly modeIfNew?: number | "the root's" | undefined;
}

/** Folders, each with those above it, and files that are to be there. */
export interface LayRequest {
  /** With another mode than that which lets everybody pass, if it is new. */
  readonly folders: readonly { readonly path: string; readonly mode?: number }[];
  readonly files: readonly { readonly path: string; readonly text: string; readonly mode: number }[];
}

/** The files of a volume, all of them, which change at once. */
export interface FilesRequest {
  readonly folder: string;
  readonly files: readonly (readonly [path: string, file: { readonly base64: string; readonly mode: number }])[];
  /** Names the new ones. */
  readonly stamp: string;
  /** Whose they are to be. */
  readonly group: number | undefined;
}

/** What a container is to see beside its image, whose files are at the root. */
export interface FurnishRequest {
  readonly root: string;
  readonly mounts: readonly Mount[];
  /** Where its program begins. */
  readonly directory: string;
  /** A folder for what has to be put together before the container starts. */
  readonly copies: string;
  /** The program by which it is entered, for the keeper to have. */
  readonly program: { readonly file: string; readonly base64: string } | undefined;
}

/** Where everything comes to lie. */
export interface Furnished {
  readonly mounts: readonly Mount[];
  /** What was mounted for it and has to be unmounted when it has ended. */
  readonly copies: readonly string[];
}

/** A program, and why the kernel would not execute it whatever it is. */
export interface Program extends CommandSearch {
  readonly doom?: ExecFailure | undefined;
  /** What its container sees only once it sees everything. */
  readonly sign: string;
}

/** A program that was found and cannot be executed: its container has started all the same. */
export interface Unexecuted {
  readonly file: string;
  readonly failure: ExecFailure;
}

/** What processes belong to: their control groups, and how soon they go when memory runs out. */
export interface Membership {
  readonly groups: readonly string[];
  readonly oomScore: number;
}

/** A container to start. */
export interface Launch {
  readonly id: string;
  readonly argv: readonly string[];
  /** Variables of its launcher: nobody else can read them, while everybody can read command lines. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How the line begins in which the last program before its own says that it cannot become that. */
  readonly refusal?: string;
  /** Its own program, to be looked at before it begins. */
  readonly program?: Program;
  /** The files of the programs that it goes through before it becomes its own. */
  readonly launchers?: readonly string[];
  /** The file for its output, in CRI format. */
  readonly log: string;
  readonly stdin: boolean;
  /** Whether its input ends with the first who has spoken to it. */
  readonly stdinOnce?: boolean;
  /** Whether the program is expected to report its process over file descriptor 3, as bubblewrap does. */
  readonly tellsPid: boolean;
  /** The process among whose companions it starts. */
  readonly joins?: number | undefined;
  /** What it belongs to; its process waits at file descriptor 4 until it does. */
  readonly membership?: Membership | undefined;
}

/** How a command went. */
export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a container uses. */
export interface Usage {
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

/** A message to the keeper. */
export interface ToKeeper {
  readonly n: number;
  readonly request: KeeperRequest;
}

/** A message from the keeper. */
export type FromKeeper =
  | { readonly n: number; readonly value: unknown }
  | { readonly n: number; readonly error: string }
  | { readonly event: "ready" }
  | {
      readonly event: "exit";
      readonly id: string;
      readonly code: number | null;
      readonly signal: string | null;
      /** The line in which the launcher, or what sets the variables, says that the program could not be run. */
      readonly refused?: string | undefined;
      readonly unexecuted?: Unexecuted | undefined;
      /** Where its program was found. */
      readonly file?: string | undefined;
    }
  | { readonly event: "question"; readonly q: number; readonly bytes: string };

/** The answer to a question about names; it needs no answer itself. */
export interface NamesAnswer {
  readonly q: number;
  readonly bytes: string | undefined;
}

/** The first line on a connection to the keeper's door. */
export type DoorRequest =
  | { readonly to: "dial"; readonly host: string; readonly port: number }
  /** Connects from inside the network of a process. */
  | { readonly to: "dial-in"; readonly pid: number; readonly port: number }
  | {
      readonly to: "exec";
      /** The container. */
      readonly id: string;
      /** What follows the options of `nsenter` that say which namespaces those are. */
      readonly entry: readonly string[];
      readonly tty: boolean;
      /** Whose the terminal is to be. */
      readonly owner?: number | undefined;
      readonly variables: Readonly<Record<string, string>>;
      /** How the line begins in which the last program before the command says that it cannot become it. */
      readonly refusal: string;
      readonly program: CommandSearch;
      readonly stdin: boolean;
      readonly membership?: Membership | undefined;
    }
  | { readonly to: "attach"; readonly id: string; readonly stdin: boolean };

/** What the last frame of a connection tells. */
export interface CommandEnd {
  /** With a signal it is 128 and the signal's number, as in shells. */
  readonly code?: number;
  /** Why there was nothing to run. */
  readonly error?: string;
  /** Why the command could not be run, in the words of whoever tried. */
  readonly refused?: string;
}

/** The channels of a framed connection, numbered as the API server's stream protocol numbers them. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, exit: 3, resize: 4, closeStdin: 255 } as const;
