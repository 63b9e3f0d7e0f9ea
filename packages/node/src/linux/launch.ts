/** How a container is launched and entered: the command lines for nsenter and bubblewrap. Pure. */
import { NodeError } from "../errors.ts";
import type { EnterKit } from "./enter-kit.ts";
import type { Rights } from "./keeper-link.ts";

/** What a container sees at some place: a folder or file of the node, or an empty folder in memory. */
export interface Mount {
  readonly from: string | undefined;
  readonly to: string;
  readonly readOnly: boolean;
  /** Whether only the kernel decides what is in it. */
  readonly isKernels?: boolean;
}

/** Something of the machine's kernel that is no business of a container: a file or a folder. */
export interface MaskedPlace {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Whom a container runs as. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** What it takes to come into the place of a container. */
export interface Entrance {
  readonly rights: Rights;
  /** The process that holds the network of the pod. */
  readonly holder: number;
  readonly identity: Identity;
  /** What it may do, `ALL` for everything. */
  readonly capabilities: readonly string[];
  /** What it may not, whatever it may otherwise. */
  readonly withheld: readonly string[];
  /** The variables of its programs. The node's own programs never see them: some say what a program is to load. */
  readonly env: ReadonlyMap<string, string>;
  readonly kit: EnterKit;
}

/** Everything that the command line needs. */
export interface LaunchPlan extends Entrance {
  /** Whose processes it sees, and where those are shown; without it, only its own. */
  readonly processes: { readonly pid: number; readonly proc: string } | undefined;
  readonly root: string;
  readonly readOnlyRoot: boolean;
  /** What it does not see of the machine, though it is there. */
  readonly masked: readonly MaskedPlace[];
  /** Each at a place without links on the way. */
  readonly mounts: readonly Mount[];
  readonly directory: string;
  readonly tty: boolean;
  readonly argv: readonly string[];
}

/** What containers get unless they ask for more or less. */
export const defaultCapabilities: readonly string[] = [
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "SETGID",
  "SETUID",
  "SETPCAP",
  "NET_BIND_SERVICE",
  "NET_RAW",
  "SYS_CHROOT",
  "AUDIT_WRITE",
  "SETFCAP",
];

/**
 * The command that starts a container: into the pod's network, into its own file system and processes, and only there to its user. Nobody but
 * the node makes namespaces: whoever makes one has all rights over it, also from outside.
 */
export function launchCommand(plan: LaunchPlan): readonly string[] {
  return [...enterPod(plan), ...joinProcesses(plan), ...sandbox(plan), "--", ...becomeProgram(plan, plan.argv)];
}

/**
 * The launcher stays outside of the processes that the container sees, only what it starts is among them: whoever is the same user there could
 * otherwise look through the launcher at the files of the node.
 */
function joinProcesses({ processes }: LaunchPlan): readonly string[] {
  return processes === undefined ? [] : ["/usr/bin/nsenter", "-t", String(processes.pid), "-p", "--no-fork", "--"];
}

function mountOptions(mounts: readonly Mount[]): readonly string[] {
  return mounts.flatMap(({ from, to, readOnly }) =>
    from === undefined ? ["--tmpfs", to] : [readOnly ? "--ro-bind" : "--bind", from, to],
  );
}

function enterPod({ holder }: Entrance): readonly string[] {
  return ["/usr/bin/nsenter", "-t", String(holder), "-n", "-u", "-i", "--"];
}

function sandbox(plan: LaunchPlan): readonly string[] {
  const { root, readOnlyRoot, mounts, directory, processes } = plan;
  return [
    "/usr/bin/bwrap",
    "--bind",
    root,
    "/",
    ...(processes === undefined
      ? ["--proc", "/proc", ...closedParts("/proc")]
      : ["--bind", processes.proc, "/proc", ...closedParts(processes.proc)]),
    "--dev",
    "/dev",
    ...plan.kit.shown.flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...mountOptions(mounts),
    ...plan.masked.flatMap(({ path, isFolder }) => (isFolder ? ["--tmpfs", path] : ["--dev-bind", "/dev/null", path])),
    ...(readOnlyRoot ? ["--remount-ro", "/"] : []),
    ...(processes === undefined ? ["--unshare-pid", "--as-pid-1"] : []),
    "--die-with-parent",
    // A program that signals all of its group does not mean its launcher; on a terminal they have one session, which that belongs to.
    ...(plan.tty ? [] : ["--new-session"]),
    // It tells its process, and whether that came to its program.
    "--json-status-fd",
    "3",
    // The keeper has something to do before the program begins: it puts the processes into their groups.
    "--block-fd",
    "4",
    "--chdir",
    directory,
    ...ownNames(plan),
  ];
}

/** What belongs to the whole machine may be read only: the kernel asks who somebody is there, not what they may. Not every kernel has all. */
function closedParts(proc: string): readonly string[] {
  const parts = ["sys", "sysrq-trigger", "irq", "bus", "fs"];
  return parts.flatMap((name) => ["--ro-bind-try", `${proc}/${name}`, `/proc/${name}`]);
}

/**
 * Root of the machine can become anybody once everything is in its place. Root of a user namespace has nobody else to become: who is not root
 * gets one more, in which it is called as it should be and has no rights.
 */
function ownNames({ rights, identity: { uid, gid } }: LaunchPlan): readonly string[] {
  if (rights === "root" || uid === 0) return [];
  return ["--unshare-user", "--uid", String(uid), "--gid", String(gid), "--cap-drop", "ALL"];
}

/**
 * What runs another program in a container that runs already. The keeper has the rights to enter everything below it, so it enters first, and
 * this comes after the options that say where.
 */
export function entryOf(entrance: Entrance, argv: readonly string[]): readonly string[] {
  // To the root of its files, not to that of its program: a program can take any folder of its own for its root.
  return [...ownUsers(entrance), "--", ...becomeProgram(entrance, argv)];
}

/**
 * What becomes a program, within a container: programs of the node give up what the container may not have, and only then come the container's
 * variables and its program.
 */
function becomeProgram({ kit, env }: Entrance, argv: readonly string[]): readonly string[] {
  const [program = ""] = argv;
  if (kit.enter.length === 0)
    throw new NodeError("MachineUnfit", "containers can be run on x64 and arm64 only, not on this processor");
  const variables = [...env].map((variable, index) => {
    const carriers = carriedParts(variable).map((_, part) => `\${${carrierOf(index, part)}}`);
    return carriers.join("");
  });
  const setVariables = [...kit.env, "-S", `-i -- ${variables.join(" ")}`];
  // A name with an equals sign would be taken for one more variable.
  const become = program.includes("=") ? [...kit.setpriv, "--no-new-privs", "--"] : [];
  return [...kit.enter, ...setVariables, ...become, ...argv];
}

/**
 * The variables of a command on their way through the node's own programs: as values of variables that mean nothing to those. Nobody else can
 * read the variables of a process, while everybody on the machine can read its command line.
 */
export function carriedVariables({ env }: Pick<Entrance, "env">): Readonly<Record<string, string>> {
  for (const [name, value] of env)
    if (name === "" || `${name}${value}`.includes("\0"))
      throw new NodeError("CreateContainerError", `invalid environment variable: ${badVariable(name, value)}`);
  return Object.fromEntries(
    [...env].flatMap((variable, index) =>
      carriedParts(variable).map((text, part) => [carrierOf(index, part), text] as const),
    ),
  );
}

function badVariable(name: string, value: string): string {
  return name === "" ? `no name before "=${value.slice(0, 20)}"` : `contains nul byte (\\x00): ${JSON.stringify(name)}`;
}

/** The longest text that the kernel hands to a program has 128 KiB; one of that length has no room for the name of a carrier. */
function carriedParts([name, value]: readonly [string, string]): readonly string[] {
  return `${name}=${value}`.match(/[^]{1,30000}/gu) ?? [];
}

/** How the line begins in which the last program before the container's own says that it cannot become that. */
export function refusalOf({ kit }: Pick<Entrance, "kit">): string {
  return `${kit.env.at(-1)}: `;
}

/** Short, because all of them have to fit into one word. */
function carrierOf(index: number, part: number): string {
  return `_${index.toString(36)}${"_".repeat(part)}`;
}

/** Whose a terminal has to be: who is root may open any, and as a user there is nobody else. */
export function terminalOwner({
  rights,
  identity: { uid },
}: Pick<Entrance, "rights" | "identity">): number | undefined {
  return rights === "root" && uid !== 0 ? uid : undefined;
}

/** As a user there is nobody else to become, but whoever enters the container's own users is called as they are. */
function ownUsers({ rights, identity: { uid } }: Entrance): readonly string[] {
  return rights === "user" && uid !== 0 ? ["-U", "--preserve-credentials"] : [];
}
