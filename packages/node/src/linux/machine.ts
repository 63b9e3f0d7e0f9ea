/** The part of this machine that runs pods: one set of namespaces, with one or more nodes in it. */
import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, rm } from "node:fs/promises";
import { createServer, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "@capstan/client";
import type { RegistrySession, Store } from "@capstan/oci";
import { dial } from "./checks.ts";
import { Groups } from "./cgroups/groups.ts";
import { treeName } from "./cgroups/sweep.ts";
import { findPrograms, type Programs } from "./enter-kit.ts";
import type { Ending } from "./exit.ts";
import { forgetFlows } from "./forget-flows.ts";
import { Images } from "./images.ts";
import { ShimClient, type Rights } from "./shim-client.ts";
import { insideRoots, machineScript, shownFolders } from "./network.ts";
import { findMasked } from "./masked.ts";
import type { MaskedPlace } from "./launch.ts";
import { ownRootScript } from "./own-root.ts";
import { atSocket } from "./socket-path.ts";
import { nodeHostsFile, type ClusterNames } from "./pod-files.ts";
import { LinuxRuntime, type LinuxNode } from "./runtime.ts";

/** How to set up a machine. */
export interface MachineOptions {
  /** A folder for everything that pods store on disk. */
  readonly state: string;
  readonly clock: Clock;
  readonly store: Store;
  /** `root` if the process runs as root, `user` otherwise. */
  readonly rights: Rights;
  readonly names?: Partial<ClusterNames>;
  /**
   * Where the API server listens on the machine. Pods reach it at the address of every node, port 6443; nodes also reach it on loopback.
   */
  readonly apiServer?: { readonly host: string; readonly port: number };
  /** The range of service addresses. Default: `10.0.0.0/24`, as in kube-apiserver. */
  readonly serviceCidr?: string;
  /** A folder for the files of images. Default: a part of the state. Several machines can share one. */
  readonly roots?: string;
  /** Opens a session with a registry; without it, only images in the store can be used. */
  readonly session?: (registry: string) => Promise<RegistrySession>;
  /** Receives errors that do not stop the machine. */
  readonly report?: (error: unknown) => void;
}

/** A machine that is set up. */
export interface Machine extends AsyncDisposable {
  /** The shim; when it ends, everything ends. */
  readonly pid: number | undefined;
  /** Resolves when the shim has ended unexpectedly: the machine cannot run pods any more. */
  readonly lost: Promise<void>;
  /** Adds a node to this machine. A lost node can be added again. */
  addNode(node: LinuxNode): Promise<LinuxRuntime>;
  /** Replaces the nftables rules. */
  setRules(ruleset: string): Promise<void>;
  /** Deletes conntrack entries with these marks, so that the nftables rules apply to the next packets of their connections. */
  forgetFlows(marks: readonly number[]): Promise<void>;
  /** Sets the DNS handler; before that, queries get no response. */
  setNames(answer: (question: Buffer) => Promise<Buffer | undefined>): void;
  /** Runs a command in the network of the nodes. */
  run(
    argv: readonly string[],
    input?: string,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** Removes a path on the nodes' disk; links resolve within that disk. */
  removeFromDisk(path: string): Promise<void>;
  /** Connects to an address in the network of the nodes: that of a pod, a service or a node. */
  dial(host: string, port: number): Promise<Socket>;
  close(): Promise<void>;
}

/** The port at which pods find the API server on their node. */
export const apiServerPort = 6443;

/** Where the state folder is mounted in the namespaces of the machine: a path that every user can reach. */
const inside = "/mnt/node";

/** The parts of a machine that its nodes share. */
export interface MachineParts {
  readonly shim: ShimClient;
  readonly images: Images;
  readonly clock: Clock;
  readonly rights: Rights;
  readonly state: string;
  readonly names: ClusterNames;
  /** The cgroups; undefined if the machine has none. */
  readonly groups: Groups | undefined;
  /** The programs that enter containers. */
  readonly kit: Programs["kit"];
  /** A secret that containers cannot guess. */
  readonly secret: string;
  /** Paths in /proc that are masked in containers. */
  readonly masked: readonly MaskedPlace[];
  /** The path of a file of the state in the namespaces of the machine. */
  readonly insidePath: (path: string) => string;
  /** Callbacks for the end of each container, by id. */
  readonly exits: Map<string, (end: Ending) => void>;
  /** Receives errors that do not stop the machine. */
  readonly report: (error: unknown) => void;
}

/** Sets up a machine. */
export async function startMachine(options: MachineOptions): Promise<Machine> {
  const { state, clock, rights, store, session, serviceCidr = "10.0.0.0/24", roots = join(state, "roots") } = options;
  const names = { domain: "cluster.local", server: "10.0.0.10", ...options.names };
  const socketPath = join(state, "shim.sock");
  await rm(socketPath, { force: true });
  await makeState(state);
  const exits: MachineParts["exits"] = new Map();
  let answer = (_question: Buffer): Promise<Buffer | undefined> => Promise.resolve(undefined);
  const groups = await openGroups(rights, state);
  const { promise: lost, resolve: tellLost } = Promise.withResolvers<void>();
  let isClosing = false;
  const shim = await ShimClient.start({
    socketPath,
    rights,
    groups: groups?.roots ?? [],
    answer: (question) => answer(question),
    exited: ({ id, ...end }) => exits.get(id)?.(end),
    gone: () => {
      void groups?.close();
      for (const exited of exits.values()) exited({ code: null, signal: "SIGKILL" });
      if (!isClosing) tellLost();
    },
  });
  const fittings = await prepareNode(shim, { state, roots, server: names.server });
  const images = new Images({ store, folder: join(roots, rights), rights, session });
  const insidePath = (path: string): string => {
    const [outer, inner] = isBelow(roots, path) ? [roots, insideRoots] : [state, inside];
    return isBelow(outer, path) ? inner + path.slice(outer.length) : path;
  };
  const report = options.report ?? (() => {});
  const parts = { ...fittings, shim, images, clock, rights, state, names, groups, insidePath, exits, report };
  await prepareMounts(shim, insidePath(join(state, "disk")));
  const outside = options.apiServer && (await listenOutside(join(state, "api.sock"), options.apiServer));
  // Processes in the node's network also find the API server at its outside port, so that one kubeconfig serves both.
  if (options.apiServer !== undefined) await shim.relay("127.0.0.1", options.apiServer.port, join(state, "api.sock"));
  const addNode = nodesOf(parts, { serviceCidr, hasApiServer: outside !== undefined });
  const close = async (): Promise<void> => {
    isClosing = true;
    outside?.close();
    await shim.close();
    await groups?.close();
  };
  return {
    pid: shim.pid,
    lost,
    addNode,
    async setRules(ruleset) {
      await shim.must(["nft", "-f", "-"], ruleset);
    },
    forgetFlows: (marks) => forgetFlows(shim, marks),
    setNames: (answering) => void (answer = answering),
    run: (argv, input) => shim.run(argv, input),
    removeFromDisk: (path) => shim.removeBelow(insidePath(join(state, "disk")), path),
    dial: (host, port) => dial(shim.open({ to: "dial", host, port })),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

interface NodeSettings {
  readonly serviceCidr: string;
  readonly hasApiServer: boolean;
}

function nodesOf(parts: MachineParts, { serviceCidr, hasApiServer }: NodeSettings): Machine["addNode"] {
  const { shim, state } = parts;
  const known = new Set<string>();
  return async (node) => {
    // A lost node keeps its address.
    if (known.has(node.name)) return new LinuxRuntime(parts, node);
    await shim.must(["ip", "addr", "add", `${node.address}/32`, "dev", "lo"]);
    // Processes of the node itself need a route to service addresses before these are rewritten; that of the first node is enough.
    await shim.run(["ip", "route", "add", serviceCidr, "dev", "lo", "src", node.address]);
    if (hasApiServer) await shim.relay(node.address, apiServerPort, join(state, "api.sock"));
    known.add(node.name);
    return new LinuxRuntime(parts, node);
  };
}

/** Finds the programs and masked paths for the containers of this machine. */
async function findFittings(): Promise<Pick<MachineParts, "masked" | "secret"> & { readonly programs: Programs }> {
  const chance = readFile("/proc/sys/kernel/random/uuid", "utf8");
  const [programs, masked, secret] = await Promise.all([findPrograms(), findMasked(), chance]);
  return { programs, masked, secret };
}

/** Pods store secrets and world-writable folders: no other user of the machine may reach them. */
async function makeState(state: string): Promise<void> {
  await mkdir(state, { recursive: true });
  await chmod(state, 0o700);
  // Containers of an earlier run are gone; their writable layers are removed.
  await rm(join(state, "containers"), { recursive: true, force: true });
  for (const name of shownFolders) {
    await mkdir(join(state, name), { recursive: true });
    await chmod(join(state, name), 0o755);
  }
}

interface Inside {
  readonly state: string;
  readonly roots: string;
  /** The address of the DNS server. */
  readonly server: string;
}

/** Sets up the file systems, the network and the DNS server of the namespaces; returns what containers need. */
async function prepareNode(
  shim: ShimClient,
  { state, roots, server }: Inside,
): Promise<Pick<MachineParts, "kit" | "masked" | "secret">> {
  const { programs, ...fittings } = await findFittings();
  await mkdir(roots, { recursive: true });
  await shim.must(["sh", "-e"], ownRootScript({ folders: [state, roots], program: process.execPath }));
  await shim.must(["sh", "-e"], machineScript({ state, inside, roots, names: server }) + programs.script);
  await shim.names(server);
  return { ...fittings, kit: programs.kit };
}

/** Only root can create cgroups: other users would need delegation. */
async function openGroups(rights: Rights, state: string): Promise<Groups | undefined> {
  if (rights !== "root") return undefined;
  const machine = createHash("sha256").update(state).digest("hex").slice(0, 8);
  try {
    return await Groups.open({ owner: await treeName(process.pid, machine), processes: await mostProcesses() });
  } catch {
    return undefined;
  }
}

/** Pods are not limited in processes one by one, but together they may have only half of what the machine supports. */
async function mostProcesses(): Promise<number> {
  const limits = ["pid_max", "threads-max"].map((name) => readFile(`/proc/sys/kernel/${name}`, "utf8"));
  return Math.floor(Math.min(...(await Promise.all(limits)).map(Number)) / 2);
}

/**
 * Creates the files of the disk that `hostPath` volumes see as that of the node. Pods of an earlier run may have left symbolic links there:
 * this runs in the namespaces of the machine, where no link leads to the host, and existing files stay.
 */
async function prepareMounts(shim: ShimClient, disk: string): Promise<void> {
  const script = 'mkdir -p "$0/etc"; set -C; cat > "$0/etc/hosts"';
  await shim.run(["sh", "-c", script, disk], nodeHostsFile());
}

/** Listens on a Unix socket, and forwards its connections to the API server. */
async function listenOutside(path: string, to: { readonly host: string; readonly port: number }): Promise<Server> {
  await rm(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect({ ...to, allowHalfOpen: true });
    inner.pipe(outer).pipe(inner);
    inner.on("error", () => outer.destroy());
    outer.on("error", () => inner.destroy());
    inner.once("close", () => outer.destroy());
    outer.once("close", () => inner.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    atSocket(path, (name) => server.listen(name, resolve));
  });
  return server;
}
