/** How a container is launched and entered: the command lines for nsenter and bubblewrap. Pure. */
import { NodeError } from "../errors.ts";
import type { EnterKit } from "./enter-kit.ts";
import type { Rights } from "./shim-client.ts";

/** A mount of a container: a folder or file of the node, or a tmpfs. */
export interface Mount {
  readonly from: string | undefined;
  readonly to: string;
  readonly readOnly: boolean;
  /** Whether only the kernel determines its content. */
  readonly isKernels?: boolean;
}

/** A file or folder of the machine's kernel that containers must not see. */
export interface MaskedPlace {
  readonly path: string;
  readonly isFolder: boolean;
}

/** The user of a container. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** What is needed to enter a container. */
export interface Entrance {
  readonly rights: Rights;
  /** The process that holds the network namespace of the pod. */
  readonly holder: number;
  readonly identity: Identity;
  /** Its capabilities, `ALL` for all of them. */
  readonly capabilities: readonly string[];
  /** Capabilities that it never gets, even if they are listed above. */
  readonly withheld: readonly string[];
  /** The variables of its programs. The node's own programs never see them, because some variables name libraries to load. */
  readonly env: ReadonlyMap<string, string>;
  readonly kit: EnterKit;
}

/** Everything that the command line needs. */
export interface LaunchPlan extends Entrance {
  /** The PID namespace that it joins, and the `/proc` of it; without this it has its own. */
  readonly processes: { readonly pid: number; readonly proc: string } | undefined;
  readonly root: string;
  readonly readOnlyRoot: boolean;
  /** Paths of the kernel that are masked. */
  readonly masked: readonly MaskedPlace[];
  /** All targets are paths without links. */
  readonly mounts: readonly Mount[];
  readonly directory: string;
  readonly tty: boolean;
  readonly argv: readonly string[];
}

/** The default capabilities of containers. */
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
 * The command that starts a container: it enters the pod's network namespace, then own mount and PID namespaces, and only then switches
 * to the user. Only the node creates namespaces: the creator of a namespace has all rights over it, also from outside.
 */
export function launchCommand(plan: LaunchPlan): readonly string[] {
  return [...enterPod(plan), ...joinProcesses(plan), ...sandbox(plan), "--", ...becomeProgram(plan, plan.argv)];
}

/**
 * The launcher stays outside of the joined PID namespace; only its child is in it. A process of the same user in there could otherwise
 * reach the files of the node through the launcher.
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
    // A signal of a program to its process group must not reach its launcher; with a terminal they share a session, which owns the
    // terminal.
    ...(plan.tty ? [] : ["--new-session"]),
    // Reports the first process, and whether the program was executed.
    "--json-status-fd",
    "3",
    // The shim moves the processes into their cgroups before the program begins.
    "--block-fd",
    "4",
    "--chdir",
    directory,
    ...ownNames(plan),
  ];
}

/**
 * Settings of the whole machine are read-only: the kernel checks for uid 0 there, not for capabilities. Not every kernel has all of them.
 */
function closedParts(proc: string): readonly string[] {
  const parts = ["sys", "sysrq-trigger", "irq", "bus", "fs"];
  return parts.flatMap((name) => ["--ro-bind-try", `${proc}/${name}`, `/proc/${name}`]);
}

/**
 * Root of the machine can switch to any user once the setup is complete. A user namespace of a user maps only that user: a non-root
 * container gets another user namespace, in which it has its uid and no capabilities.
 */
function ownNames({ rights, identity: { uid, gid } }: LaunchPlan): readonly string[] {
  if (rights === "root" || uid === 0) return [];
  return ["--unshare-user", "--uid", String(uid), "--gid", String(gid), "--cap-drop", "ALL"];
}

/**
 * The command line that runs another program in a running container. The shim has the rights to enter all namespaces below it, so it
 * enters first, and this follows the options of `nsenter`.
 */
export function entryOf(entrance: Entrance, argv: readonly string[]): readonly string[] {
  // Enters the root of the mount namespace, not that of the container's program: a program can chroot to any folder of its own.
  return [...ownUsers(entrance), "--", ...becomeProgram(entrance, argv)];
}

/**
 * Executes a program within a container: programs of the node drop the rights that the container may not have, and only then the
 * container's variables are set and its program is executed.
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
  // A name with an equals sign would be taken for a variable.
  const become = program.includes("=") ? [...kit.setpriv, "--no-new-privs", "--"] : [];
  return [...kit.enter, ...setVariables, ...become, ...argv];
}

/**
 * Carries the variables of a command through the node's own programs, as values of variables that have no meaning to them. Other users
 * cannot read the environment of a process, but all users of the machine can read its command line.
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

/** The kernel limits one argument to 128 KiB; a value of that length leaves no space for the name of a carrier. */
function carriedParts([name, value]: readonly [string, string]): readonly string[] {
  return `${name}=${value}`.match(/[^]{1,30000}/gu) ?? [];
}

/** The prefix of the error line of the last program before the container's own. */
export function execErrorPrefixOf({ kit }: Pick<Entrance, "kit">): string {
  return `${kit.env.at(-1)}: `;
}

/** Short, because all of them have to fit into one argument. */
function carrierOf(index: number, part: number): string {
  return `_${index.toString(36)}${"_".repeat(part)}`;
}

/** The owner of a terminal: root may open any terminal, and a user's cluster has only one user. */
export function terminalOwner({
  rights,
  identity: { uid },
}: Pick<Entrance, "rights" | "identity">): number | undefined {
  return rights === "root" && uid !== 0 ? uid : undefined;
}

/** A user's cluster has no other user to switch to, but a process that enters the user namespace of the container gets its uid. */
function ownUsers({ rights, identity: { uid } }: Entrance): readonly string[] {
  return rights === "user" && uid !== 0 ? ["-U", "--preserve-credentials"] : [];
}
