/** The shim client: starts the shim in its own namespaces, sends requests and receives events. */
import { spawn, type ChildProcess } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { NodeError } from "../errors.ts";
import { keyringProgram } from "./entering/rights.ts";
import type { Found } from "./shim/inside-walk.ts";
import type {
  BindRequest,
  ShimConnection,
  VolumeFilesRequest,
  ShimMessage,
  PreparedMounts,
  PrepareMountsRequest,
  ShimRequest,
  Launch,
  WriteFilesRequest,
  NamesAnswer,
  RunResult,
  ShimCall,
  Usage,
} from "./protocol.ts";
import { isKnown } from "./seccomp/filter.ts";
import { atSocket } from "./socket-path.ts";

/** How the namespaces are created: with the rights of root, or in a user namespace that maps the user to root. */
export type Rights = "root" | "user";

/** How to start a shim. */
export interface ShimOptions {
  /** The path of its socket. */
  readonly socketPath: string;
  /** The cgroups to remove when everything has ended. */
  readonly groups: readonly string[];
  readonly rights: Rights;
  /** Responds to a DNS query. */
  readonly answer: (question: Buffer) => Promise<Buffer | undefined>;
  readonly exited: (event: Extract<ShimMessage, { readonly event: "exit" }>) => void;
  /** The shim has ended, and all processes in its namespaces with it. */
  readonly gone: () => void;
}

/** The shim is mostly idle and lives as long as its node: a small young generation saves memory. */
const shimNodeOptions = ["--max-semi-space-size=1"];

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The client of a shim. */
export class ShimClient {
  readonly #process: ChildProcess;
  readonly #options: ShimOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #gone: Promise<void>;
  #number = 0;
  #isGone = false;

  private constructor(child: ChildProcess, options: ShimOptions) {
    this.#process = child;
    this.#options = options;
    this.#gone = new Promise((resolve) => child.once("exit", () => this.#end(resolve)));
    child.on("message", (message) => this.#receive(message as ShimMessage));
  }

  /** Starts a shim and waits until it listens. */
  static async start(options: ShimOptions): Promise<ShimClient> {
    const program = new URL(`./shim/main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url).pathname;
    const [command = "", ...args] = commandOf(options, [
      process.execPath,
      ...shimNodeOptions,
      ...process.execArgv.filter(isForPrograms),
      program,
      options.socketPath,
      ...options.groups,
    ]);
    // The working directory would stay reachable, even after the shim has changed its root.
    const child = spawn(command, args, { cwd: "/", stdio: ["pipe", "pipe", "pipe", "ipc"], detached: true });
    child.stdout?.once("data", () => void mapIds(child));
    let words = "";
    child.stderr?.on("data", (chunk: Buffer) => (words = (words + chunk.toString("utf8")).slice(-4096)));
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) =>
        reject(
          new NodeError("MachineUnfit", `could not make the namespaces of a node (exit ${code}): ${words.trim()}`),
        ),
      );
    });
    return new ShimClient(child, options);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  async run(argv: readonly string[], input?: string): Promise<RunResult> {
    return (await this.#ask({ do: "run", argv, input })) as RunResult;
  }

  /** Runs a command that must succeed. */
  async must(argv: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(argv, input);
    if (code === 0) return stdout;
    throw new NodeError("Internal", `${argv.slice(0, 4).join(" ")} failed (exit ${code}): ${stderr.trim()}`);
  }

  /** Starts a container; it may have ended already when this resolves. */
  async start(launch: Launch): Promise<{ readonly pid: number; readonly isOver: boolean }> {
    return (await this.#ask({ do: "start", launch })) as { readonly pid: number; readonly isOver: boolean };
  }

  async signal(id: string, signal: NodeJS.Signals | number): Promise<boolean> {
    return (await this.#ask({ do: "signal", id, signal })) as boolean;
  }

  async relay(host: string, port: number, socket: string): Promise<void> {
    await this.#ask({ do: "relay", host, port, socket });
  }

  async names(host: string): Promise<void> {
    await this.#ask({ do: "names", host });
  }

  async usage(id: string): Promise<Usage> {
    return (await this.#ask({ do: "usage", id })) as Usage;
  }

  /** Bind-mounts a path below a folder elsewhere; returns its type. */
  async bind(what: BindRequest): Promise<Found> {
    return (await this.#ask({ do: "bind", what })) as Found;
  }

  /** Resolves the mounts of a container. */
  async prepareMounts(what: PrepareMountsRequest): Promise<PreparedMounts> {
    return (await this.#ask({ do: "prepareMounts", what })) as PreparedMounts;
  }

  /** Creates folders and files. */
  async writeFilesAndFolders(what: WriteFilesRequest): Promise<void> {
    await this.#ask({ do: "writeFilesAndFolders", what });
  }

  /** Makes a volume contain exactly these files. */
  async writeVolumeFiles(what: VolumeFilesRequest): Promise<void> {
    await this.#ask({ do: "files", what });
  }

  async give(folder: string, group: number): Promise<void> {
    await this.#ask({ do: "give", folder, group });
  }

  /** Removes a path below a folder. */
  async removeBelow(root: string, path: string): Promise<void> {
    await this.#ask({ do: "remove", root, path });
  }

  /** Opens a connection to the shim server; the protocol depends on the request. */
  open(request: ShimConnection): Socket {
    const socket = atSocket(this.#options.socketPath, (path) => connect({ path, allowHalfOpen: true }));
    socket.write(`${JSON.stringify(request)}\n`);
    return socket;
  }

  /** Ends everything in the namespaces. */
  async close(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    await this.#gone;
  }

  #ask(request: ShimRequest): Promise<unknown> {
    if (this.#isGone) return Promise.reject(lost());
    const n = this.#number++;
    return new Promise((resolve, reject) => {
      this.#pending.set(n, { resolve, reject });
      const message: ShimCall = { n, request };
      this.#process.send(message, (error) => {
        if (error !== null && this.#pending.delete(n)) reject(lost());
      });
    });
  }

  #receive(message: ShimMessage): void {
    if ("event" in message) {
      if (message.event === "exit") this.#options.exited(message);
      if (message.event === "question") this.#answer(message.q, message.bytes);
      return;
    }
    const pending = this.#pending.get(message.n);
    this.#pending.delete(message.n);
    if ("error" in message) pending?.reject(new NodeError("Internal", message.error));
    else pending?.resolve(message.value);
  }

  #answer(q: number, bytes: string): void {
    const reply = (answer: Buffer | undefined): void => {
      const message: NamesAnswer = { q, bytes: answer?.toString("base64") };
      if (this.#process.connected) this.#process.send(message);
    };
    this.#options.answer(Buffer.from(bytes, "base64")).then(reply, () => reply(undefined));
  }

  #end(resolve: () => void): void {
    this.#isGone = true;
    for (const { reject } of this.#pending.values()) reject(lost());
    this.#pending.clear();
    this.#options.gone();
    resolve();
  }
}

/** The shim needs the import conditions of this process; other options of Node do not apply to it. */
function isForPrograms(option: string): boolean {
  return option.startsWith("--conditions=");
}

function lost(): NodeError {
  return new NodeError("Internal", "the process that keeps the node's namespaces has ended; start the node again");
}

/**
 * Nodes of root also run in a user namespace, so that root in a container has no rights outside: it cannot mount disks or create devices.
 * There all ids map to themselves; for other users only the user is mapped, to root.
 */
function commandOf({ rights, socketPath }: ShimOptions, program: readonly string[]): readonly string[] {
  // Close inherited file descriptors: only the standard ones and the IPC channel are kept for the namespaces.
  const shut = 'for file in /proc/self/fd/*; do n=${file##*/}; ((n > 3)) && eval "exec $n>&-"; done';
  const keyring = isKnown(process.arch) ? keyringProgram(process.arch).toString("base64") : "";
  const unshare = [
    "bash",
    "-c",
    `${systemFolders}\n${shut}\n${joinKeyring}`,
    join(dirname(socketPath), "keyring"),
    keyring,
    "unshare",
    "--user",
    "--net",
    "--ipc",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
  ];
  // The first process has to reap orphans, or their containers could never end: a shell does that.
  const reap = '"$0" "$@"; exit "$?"';
  if (rights === "user") return [...unshare, "--map-root-user", "--mount-proc", "sh", "-c", reap, ...program];
  // A process has no capabilities before its ids are mapped; it gains them with the next exec after that.
  const wait = 'echo; read -r line; exec "$0" "$@"';
  return [...unshare, "sh", "-c", wait, "sh", "-c", `mount -t proc proc /proc || exit; ${reap}`, ...program];
}

/** The user that starts a cluster may have a PATH without the system folders. */
const systemFolders = 'export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"';

/** Joins an own session keyring first. The shell writes the file, because it has no other threads that could hold it open. */
const joinKeyring = `keyring=$1 program=$(command -v "$2"); shift 2
rm -f "$0"; [ -e /proc/keys ] && base64 -d <<< "$keyring" > "$0" && chmod 700 "$0"
[ -s "$0" ] && [ -x "$0" ] || exec "$program" "$@"
"$0" "$program" --version > /dev/null && exec "$0" "$program" "$@"
echo "there is no room for a ring of keys; end what holds keys of this user, or raise /proc/sys/kernel/keys/maxkeys" >&2; exit 1`;

const allIds = "0 0 4294967295";

async function mapIds({ pid, stdin }: ChildProcess): Promise<void> {
  await writeFile(`/proc/${pid}/uid_map`, allIds);
  await writeFile(`/proc/${pid}/gid_map`, allIds);
  stdin?.end("go\n");
}
