/** How a container is launched and entered: the command lines for nsenter, setpriv and bubblewrap. Pure. */
import type { EnterKit } from "./enter-kit.ts";
import type { Rights } from "./keeper-link.ts";

/** What a container sees at some place: a folder or file of the node, or an empty folder in memory. */
export interface Mount {
  readonly from: string | undefined;
  readonly to: string;
  readonly readOnly: boolean;
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
  readonly capabilities: readonly string[];
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
  readonly mounts: readonly Mount[];
  readonly directory: string;
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

/** The command that starts a container: into the pod's network, to its user, into its own file system and processes. */
export function launchCommand(plan: LaunchPlan): readonly string[] {
  return [...enterPod(plan), ...joinProcesses(plan), ...becomeUser(plan), ...sandbox(plan), "--", ...plan.argv];
}

/** Among the processes of others, bubblewrap has to find itself where it looks: their processes are shown to it before it begins. */
function joinProcesses({ processes }: LaunchPlan): readonly string[] {
  if (processes === undefined) return [];
  const show = 'mount --bind "$0" /proc && exec "$@"';
  const enter = ["/usr/bin/nsenter", "-t", String(processes.pid), "-p", "--"];
  return [...enter, "/usr/bin/unshare", "--mount", "/bin/bash", "-c", show, processes.proc];
}

function mountOptions(mounts: readonly Mount[]): readonly string[] {
  return mounts.flatMap(({ from, to, readOnly }) =>
    from === undefined ? ["--tmpfs", to] : [readOnly ? "--ro-bind" : "--bind", from, to],
  );
}

function enterPod({ holder }: Entrance): readonly string[] {
  return ["/usr/bin/nsenter", "-t", String(holder), "-n", "-u", "-i", "--"];
}

/** Root of the machine can become anybody; root of a user namespace has nobody else to become, so the sandbox renames it. */
function becomeUser({ rights, identity }: Pick<LaunchPlan, "rights" | "identity">): readonly string[] {
  const { uid, gid, groups } = identity;
  if (rights === "user" || uid === 0) return [];
  const others = groups.length === 0 ? ["--clear-groups"] : ["--groups", groups.join(",")];
  return ["/usr/bin/setpriv", "--reuid", String(uid), "--regid", String(gid), ...others, "--"];
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
    ...mountOptions(mounts),
    ...plan.kit.files.flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...(directory === "/" ? [] : ["--dir", directory]),
    // Only now: places to mount on may have to be made first.
    ...(readOnlyRoot ? ["--remount-ro", "/"] : []),
    ...(processes === undefined ? ["--unshare-pid", "--as-pid-1"] : []),
    "--die-with-parent",
    "--info-fd",
    "3",
    // The keeper has something to do before the program begins: it puts the processes into their groups.
    "--block-fd",
    "5",
    ...(plan.kit.filter.length > 0 ? ["--seccomp", "6"] : []),
    "--chdir",
    directory,
    "--clearenv",
    ...[...plan.env].flatMap(([name, value]) => ["--setenv", name, value]),
    ...rightsInside(plan),
  ];
}

/** What belongs to the whole machine may be read only: the kernel asks who somebody is there, not what they may. Not every kernel has all. */
function closedParts(proc: string): readonly string[] {
  const parts = ["sys", "sysrq-trigger", "irq", "bus"];
  return parts.flatMap((name) => ["--ro-bind-try", `${proc}/${name}`, `/proc/${name}`]);
}

/**
 * Whoever is not root gets a user namespace of its own, in which it may put its file system together before it gives up all rights. As a user
 * there is one id to rename; as root the keeper says who is who: everybody keeps the id they have, so that owners and groups stay what they are.
 */
function rightsInside({ rights, identity, capabilities }: LaunchPlan): readonly string[] {
  const { uid, gid } = identity;
  const user = rights === "user" ? ["--uid", String(uid), "--gid", String(gid)] : ["--userns-block-fd", "4"];
  if (uid !== 0) return ["--unshare-user", ...user, "--cap-drop", "ALL"];
  return [
    "--cap-drop",
    "ALL",
    ...capabilities.flatMap((name) => ["--cap-add", name === "ALL" ? "ALL" : `CAP_${name}`]),
  ];
}

/** Whether the keeper has to say who is who before the container goes on. */
export function waitsForUsers({ rights, identity }: Pick<LaunchPlan, "rights" | "identity">): boolean {
  return rights === "root" && identity.uid !== 0;
}

/**
 * The command that runs another program in a container that runs already. The keeper has the rights to enter everything below it, so it enters
 * first; then programs of the node give up what the container may not have, and only then come the container's variables and its program.
 */
export function enterCommand(entrance: Entrance, pid: number, argv: readonly string[]): readonly string[] {
  const { kit, env } = entrance;
  const enter = ["/usr/bin/nsenter", "-t", String(pid), "-m", "-p", "-r", "-w", ...ownUsers(entrance), "--"];
  const variables = [...env].map(([name, value]) => `${name}=${value}`);
  const giveUp = [...kit.setpriv, ...rightsEntered(entrance), "--"];
  const setVariables = [...kit.env, "-i", "--", ...variables];
  return [...enterPod(entrance), ...enter, ...giveUp, ...kit.filter, ...setVariables, ...argv];
}

/** As a user there is nobody else to become, but whoever enters the container's own users is called as they are. */
function ownUsers({ rights, identity: { uid } }: Entrance): readonly string[] {
  return rights === "user" && uid !== 0 ? ["-U", "--preserve-credentials"] : [];
}

function rightsEntered({ rights, identity: { uid, gid, groups }, capabilities }: Entrance): readonly string[] {
  const forGood = ["--no-new-privs"];
  // Entering the users of a container as one of them, all rights are gone already.
  if (rights === "user" && uid !== 0) return forGood;
  const kept = uid === 0 ? capabilities : [];
  const bounds = kept.includes("ALL")
    ? []
    : ["--inh-caps", "-all", "--bounding-set", ["-all", ...kept.map((name) => `+${name.toLowerCase()}`)].join(",")];
  if (uid === 0) return [...bounds, ...forGood];
  const others = groups.length === 0 ? ["--clear-groups"] : ["--groups", groups.join(",")];
  return ["--reuid", String(uid), "--regid", String(gid), ...others, ...bounds, ...forGood];
}
