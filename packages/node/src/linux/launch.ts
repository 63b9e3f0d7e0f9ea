/** How a container is launched and entered: the command lines for nsenter, setpriv and bubblewrap. Pure. */
import type { Rights } from "./keeper-link.ts";

/** A folder or file of the node that a container sees. */
export interface Mount {
  readonly from: string;
  readonly to: string;
  readonly readOnly: boolean;
}

/** Whom a container runs as. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** Everything that the command line needs. */
export interface LaunchPlan {
  readonly rights: Rights;
  /** The process that holds the network of the pod. */
  readonly holder: number;
  readonly root: string;
  readonly readOnlyRoot: boolean;
  readonly mounts: readonly Mount[];
  readonly identity: Identity;
  readonly capabilities: readonly string[];
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
  return [...enterPod(plan.holder), ...becomeUser(plan), ...sandbox(plan), "--", ...plan.argv];
}

/**
 * The command that makes the places on which something will be mounted, as root, because whom the container runs as may not be allowed to.
 * Its program is one that does not exist: the command always fails, but only after the places are made.
 */
export function placesCommand({
  root,
  mounts,
  directory,
}: Pick<LaunchPlan, "root" | "mounts" | "directory">): readonly string[] {
  const places = [...mountOptions(mounts), ...(directory === "/" ? [] : ["--dir", directory])];
  return ["/usr/bin/bwrap", "--bind", root, "/", "--proc", "/proc", "--dev", "/dev", ...places, "--", "/.none"];
}

function mountOptions(mounts: readonly Mount[]): readonly string[] {
  return mounts.flatMap(({ from, to, readOnly }) => [readOnly ? "--ro-bind" : "--bind", from, to]);
}

function enterPod(holder: number): readonly string[] {
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
  const { root, readOnlyRoot, mounts, directory } = plan;
  return [
    "/usr/bin/bwrap",
    "--bind",
    root,
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    ...mountOptions(mounts),
    ...(directory === "/" ? [] : ["--dir", directory]),
    // Only now: places to mount on may have to be made first.
    ...(readOnlyRoot ? ["--remount-ro", "/"] : []),
    "--unshare-pid",
    "--as-pid-1",
    "--die-with-parent",
    "--info-fd",
    "3",
    "--chdir",
    directory,
    ...rightsInside(plan),
  ];
}

function rightsInside({ rights, identity, capabilities }: LaunchPlan): readonly string[] {
  const { uid, gid } = identity;
  if (uid !== 0) {
    const renamed = rights === "user" ? ["--uid", String(uid), "--gid", String(gid)] : [];
    return ["--unshare-user", ...renamed, "--cap-drop", "ALL"];
  }
  return [
    "--cap-drop",
    "ALL",
    ...capabilities.flatMap((name) => ["--cap-add", name === "ALL" ? "ALL" : `CAP_${name}`]),
  ];
}

/**
 * The command that runs another program in a container that runs already. The keeper has the rights to enter everything below it, so it enters
 * first and becomes the user then. In a user namespace there is nobody else to become: the program sees itself as root.
 */
export function enterCommand(
  { rights, holder, identity }: Pick<LaunchPlan, "rights" | "holder" | "identity">,
  pid: number,
  argv: readonly string[],
): readonly string[] {
  const { uid, gid } = identity;
  const user = rights === "user" || uid === 0 ? [] : ["-S", String(uid), "-G", String(gid)];
  return [...enterPod(holder), "/usr/bin/nsenter", "-t", String(pid), "-m", "-p", "-r", "-w", ...user, "--", ...argv];
}
