/** The part of this machine on which pods run: one set of namespaces, with one or more nodes in it. */
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
import { Keeper, type Rights } from "./keeper-link.ts";
import { insideRoots, machineScript, shownFolders } from "./network.ts";
import { findMasked } from "./masked.ts";
import type { MaskedPlace } from "./launch.ts";
import { ownRootScript } from "./own-root.ts";
import { atSocket } from "./socket-path.ts";
import { nodeHostsFile, type ClusterNames } from "./pod-files.ts";
import { LinuxRuntime, type LinuxNode } from "./runtime.ts";

/** How to set up a machine. */
export interface MachineOptions {
  /** A folder for everything that pods leave on disk. */
  readonly state: string;
  readonly clock: Clock;
  readonly store: Store;
  /** `root` when the process may do everything, `user` otherwise. */
  readonly rights: Rights;
  readonly names?: Partial<ClusterNames>;
  /** Where the API server listens on the machine; pods reach it at the address of every node, port 6443, and nodes also on loopback. */
  readonly apiServer?: { readonly host: string; readonly port: number };
  /** Where the addresses of services are; `10.0.0.0/24` unless said otherwise, as kube-apiserver has it. */
  readonly serviceCidr?: string;
  /** A folder for the files of images; a part of the state unless several machines are to share it. */
  readonly roots?: string;
  /** How to talk to a registry; without it, only images in the store can be used. */
  readonly session?: (registry: string) => Promise<RegistrySession>;
  /** Told what went wrong and was passed over. */
  readonly report?: (error: unknown) => void;
}

/** A machine that is set up. */
export interface Machine extends AsyncDisposable {
  /** The process that holds everything; when it ends, everything ends. */
  readonly pid: number | undefined;
  /** Resolves when that process has ended without having been told to: nothing can run here any more. */
  readonly lost: Promise<void>;
  /** A node of this machine; also one that was lost, once more. */
  addNode(node: LinuxNode): Promise<LinuxRuntime>;
  /** Replaces the rules of the packet filter. */
  setRules(ruleset: string): Promise<void>;
  /** Ends what the packet filter knows of connections with these marks: their next packets are looked at anew. */
  forgetFlows(marks: readonly number[]): Promise<void>;
  /** Who answers questions about names; nobody has a name before. */
  setNames(answer: (question: Buffer) => Promise<Buffer | undefined>): void;
  /** Runs a command in the network of the nodes. */
  run(
    argv: readonly string[],
    input?: string,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** Removes what is at a path of the nodes' disk, wherever links on the way there lead on that disk. */
  removeFromDisk(path: string): Promise<void>;
  /** A connection to an address in the network of the nodes: that of a pod, a service or a node. */
  dial(host: string, port: number): Promise<Socket>;
  close(): Promise<void>;
}

/** The port at which pods find the API server on their node. */
export const apiServerPort = 6443;

/** Where the state folder is seen from inside: a place that every user can reach. */
const inside = "/mnt/node";

/** What nodes of one machine share. */
export interface MachineParts {
  readonly keeper: Keeper;
  readonly images: Images;
  readonly clock: Clock;
  readonly rights: Rights;
  readonly state: string;
  readonly names: ClusterNames;
  /** Where limits are enforced; some machines cannot. */
  readonly groups: Groups | undefined;
  /** What containers are entered with. */
  readonly kit: Programs["kit"];
  /** What nobody in a container can guess. */
  readonly secret: string;
  /** What containers do not see of this machine. */
  readonly masked: readonly MaskedPlace[];
  /** The path of a file of the state as it is seen from inside. */
  readonly insidePath: (path: string) => string;
  /** Told when a container of any node ends. */
  readonly exits: Map<string, (end: Ending) => void>;
  /** Told what went wrong and was passed over. */
  readonly report: (error: unknown) => void;
}

/** Sets a machine up. */
export async function startMachine(options: MachineOptions): Promise<Machine> {
  const { state, clock, rights, store, session, serviceCidr = "10.0.0.0/24", roots = join(state, "roots") } = options;
  const names = { domain: "cluster.local", server: "10.0.0.10", ...options.names };
  const door = join(state, "door.sock");
  await rm(door, { force: true });
  await makeState(state);
  const exits: MachineParts["exits"] = new Map();
  let answer = (_question: Buffer): Promise<Buffer | undefined> => Promise.resolve(undefined);
  const groups = await openGroups(rights, state);
  const { promise: lost, resolve: tellLost } = Promise.withResolvers<void>();
  let isClosing = false;
  const keeper = await Keeper.start({
    door,
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
  const fittings = await furnishInside(keeper, { state, roots, server: names.server });
  const images = new Images({ store, folder: join(roots, rights), rights, session });
  const insidePath = (path: string): string => {
    const [outer, inner] = isBelow(roots, path) ? [roots, insideRoots] : [state, inside];
    return isBelow(outer, path) ? inner + path.slice(outer.length) : path;
  };
  const report = options.report ?? (() => {});
  const parts = { ...fittings, keeper, images, clock, rights, state, names, groups, insidePath, exits, report };
  await furnish(keeper, insidePath(join(state, "disk")));
  const outside = options.apiServer && (await listenOutside(join(state, "api.sock"), options.apiServer));
  // Who enters the network finds the API server also where it is outside, so that one kubeconfig serves both.
  if (options.apiServer !== undefined) await keeper.relay("127.0.0.1", options.apiServer.port, join(state, "api.sock"));
  const addNode = nodesOf(parts, { serviceCidr, hasApiServer: outside !== undefined });
  const close = async (): Promise<void> => {
    isClosing = true;
    outside?.close();
    await keeper.close();
    await groups?.close();
  };
  return {
    pid: keeper.pid,
    lost,
    addNode,
    async setRules(ruleset) {
      await keeper.must(["nft", "-f", "-"], ruleset);
    },
    forgetFlows: (marks) => forgetFlows(keeper, marks),
    setNames: (answering) => void (answer = answering),
    run: (argv, input) => keeper.run(argv, input),
    removeFromDisk: (path) => keeper.removeBelow(insidePath(join(state, "disk")), path),
    dial: (host, port) => dial(keeper.open({ to: "dial", host, port })),
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
  const { keeper, state } = parts;
  const known = new Set<string>();
  return async (node) => {
    // A node that was lost comes back to its address.
    if (known.has(node.name)) return new LinuxRuntime(parts, node);
    await keeper.must(["ip", "addr", "add", `${node.address}/32`, "dev", "lo"]);
    // Whoever speaks from the node itself needs a way to services before their addresses are rewritten; the first node's will do.
    await keeper.run(["ip", "route", "add", serviceCidr, "dev", "lo", "src", node.address]);
    if (hasApiServer) await keeper.relay(node.address, apiServerPort, join(state, "api.sock"));
    known.add(node.name);
    return new LinuxRuntime(parts, node);
  };
}

/** What containers of this machine are fitted out with. */
async function findFittings(): Promise<Pick<MachineParts, "masked" | "secret"> & { readonly programs: Programs }> {
  const chance = readFile("/proc/sys/kernel/random/uuid", "utf8");
  const [programs, masked, secret] = await Promise.all([findPrograms(), findMasked(), chance]);
  return { programs, masked, secret };
}

/** Pods leave secrets and folders that anybody may write to: nobody else on the machine gets near them. */
async function makeState(state: string): Promise<void> {
  await mkdir(state, { recursive: true });
  await chmod(state, 0o700);
  // Containers of an earlier life are gone; what they wrote into their own file systems goes with them.
  await rm(join(state, "containers"), { recursive: true, force: true });
  for (const name of shownFolders) {
    await mkdir(join(state, name), { recursive: true });
    await chmod(join(state, name), 0o755);
  }
}

interface Inside {
  readonly state: string;
  readonly roots: string;
  /** The address of the server for names. */
  readonly server: string;
}

/** Gives the namespaces their file systems, their network and their server for names; tells what containers are fitted out with. */
async function furnishInside(
  keeper: Keeper,
  { state, roots, server }: Inside,
): Promise<Pick<MachineParts, "kit" | "masked" | "secret">> {
  const { programs, ...fittings } = await findFittings();
  await mkdir(roots, { recursive: true });
  await keeper.must(["sh", "-e"], ownRootScript({ folders: [state, roots], program: process.execPath }));
  await keeper.must(["sh", "-e"], machineScript({ state, inside, roots, names: server }) + programs.script);
  await keeper.names(server);
  return { ...fittings, kit: programs.kit };
}

/** Only root has groups of its own: whoever is not would need them from whoever is. */
async function openGroups(rights: Rights, state: string): Promise<Groups | undefined> {
  if (rights !== "root") return undefined;
  const machine = createHash("sha256").update(state).digest("hex").slice(0, 8);
  try {
    return await Groups.open({ owner: await treeName(process.pid, machine), processes: await mostProcesses() });
  } catch {
    return undefined;
  }
}

/** Pods have as many processes as they like, but not all that the machine can have: half of them are left to others. */
async function mostProcesses(): Promise<number> {
  const limits = ["pid_max", "threads-max"].map((name) => readFile(`/proc/sys/kernel/${name}`, "utf8"));
  return Math.floor(Math.min(...(await Promise.all(limits)).map(Number)) / 2);
}

/**
 * What pods take for the disk of their node is not quite empty. Pods of an earlier life may have left anything there: it is furnished inside,
 * where no link leads to the machine, and what is there stays.
 */
async function furnish(keeper: Keeper, disk: string): Promise<void> {
  const script = 'mkdir -p "$0/etc"; set -C; cat > "$0/etc/hosts"';
  await keeper.run(["sh", "-c", script, disk], nodeHostsFile());
}

/** What comes out of the namespaces through this socket goes to the API server. */
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
