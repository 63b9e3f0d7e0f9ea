/** What the node says to the process that lives in its namespaces, and what that one says back. */
import type { Walk } from "./keeper/inside-walk.ts";

/** A request. The keeper is simple on purpose: it runs, starts, signals and listens; what and why is decided outside. */
export type KeeperRequest =
  | { readonly do: "run"; readonly argv: readonly string[]; readonly input?: string | undefined }
  | { readonly do: "start"; readonly launch: Launch }
  | { readonly do: "signal"; readonly id: string; readonly signal: "SIGTERM" | "SIGKILL" | NodeJS.Signals }
  /** Connections to this address of the node are handed to the outside. */
  | { readonly do: "relay"; readonly host: string; readonly port: number; readonly socket: string }
  /** Questions to this address come as events. */
  | { readonly do: "names"; readonly host: string }
  | { readonly do: "usage"; readonly id: string }
  | { readonly do: "bind"; readonly what: BindRequest }
  /** Gives all files of a folder to a group. */
  | { readonly do: "give"; readonly folder: string; readonly group: number };

/** A place below a folder that is to be shown at another path. */
export interface BindRequest extends Walk {
  readonly to: string;
  /** What it must be, if that matters. */
  readonly expect?: "folder" | "file" | undefined;
  /** Who may do what with it, if it has to be made. */
  readonly modeIfNew?: number | undefined;
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
  /** The file for its output, in CRI format. */
  readonly log: string;
  readonly stdin: boolean;
  /** Whether its input ends with the first who has spoken to it. */
  readonly stdinOnce?: boolean;
  /** Whether the program is expected to report its process over file descriptor 3, as bubblewrap does. */
  readonly tellsPid: boolean;
  /** Whether its process waits at file descriptor 4 until the users of its namespace are known. */
  readonly waitsForUsers: boolean;
  /** The process among whose companions it starts: the process that it tells is numbered as they are. */
  readonly joins?: number | undefined;
  /** The filter of its system calls, in base64, which its launcher reads from file descriptor 6. */
  readonly filter?: string | undefined;
  /** What it belongs to; its process waits at file descriptor 5 until it does. */
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
      /** The last words on standard error, where the launcher says why it could not start. */
      readonly tail: string;
      /** Whether its program is known to have run: then those words are its own. */
      readonly hasRun: boolean;
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
      readonly argv: readonly string[];
      readonly stdin: boolean;
      readonly membership?: Membership | undefined;
    }
  | { readonly to: "attach"; readonly id: string; readonly stdin: boolean };

/** The channels of a framed connection, numbered as the API server's stream protocol numbers them. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, exit: 3, resize: 4, closeStdin: 255 } as const;
