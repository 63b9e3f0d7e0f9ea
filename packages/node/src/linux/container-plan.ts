/** Works out everything about a container before it starts: whom it runs as, what it sees, what it runs. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import type { Container } from "@capstan/kinds/v1";
import type { ImageConfig } from "@capstan/oci";
import { expand } from "../environment/expand.ts";
import { NodeError } from "../errors.ts";
import type { ContainerOrder } from "../runtime/runtime.ts";
import type { GroupFolder } from "./cgroups/groups.ts";
import { oomScore as oomScoreOf, type CgroupVersion } from "./cgroups/limits.ts";
import { withFilter } from "./enter-kit.ts";
import { identityOf } from "./identity.ts";
import type { UnpackedImage } from "./images.ts";
import { defaultCapabilities, launchCommand, waitsForUsers, type Entrance, type Mount } from "./launch.ts";
import type { MachineParts } from "./machine.ts";
import { quoted } from "./network.ts";
import { withTerminal } from "./terminal.ts";
import { hostnameOf } from "./pod-files.ts";
import type { Launch } from "./protocol.ts";
import { defaultFilter, isKnown } from "./seccomp/filter.ts";
import { filterProgram } from "./seccomp/program.ts";
import { mountsOf, type VolumeFolders } from "./volumes.ts";

/** What a plan is made from. */
export interface PlanSources {
  readonly order: ContainerOrder;
  readonly place: { readonly folder: string; readonly folders: VolumeFolders; readonly holder: number };
  /** The control groups that it goes into. */
  readonly groups: readonly GroupFolder[];
  /** The process whose companions it sees, when it was started to look at another container. */
  readonly target: number | undefined;
  readonly image: UnpackedImage;
  /** The container's own folder. */
  readonly folder: string;
  readonly id: string;
  readonly logs: string;
  readonly parts: Pick<MachineParts, "rights" | "insidePath" | "names" | "groups" | "kit">;
}

/** A container that is ready to be started. */
export interface PlannedContainer {
  readonly launch: Launch;
  /** Puts its file system together. */
  readonly mountScript: string;
  /** What is mounted for it, outside of its own view. */
  readonly mounted: readonly string[];
  /** Files of the keeper that are there for it alone. */
  readonly insideFiles: readonly string[];
  /** Where it leaves its last words. */
  readonly messageFile: string;
  readonly enter: Entrance;
  readonly stopSignal: NodeJS.Signals;
}

/** Makes the plan and the folders it needs. */
export async function planContainer(sources: PlanSources): Promise<PlannedContainer> {
  const { order, place, image, folder, parts, groups } = sources;
  const { pod, container } = order;
  const { config = {} } = image.config;
  const identity = await identityOf({ pod, container, imageUser: config.User ?? "", root: image.folder });
  const env = environmentOf(order, image.config, parts.names.domain);
  const messageFile = await makeFolders(folder, sources.logs);
  const { rights, insidePath } = parts;
  const mounts = [
    ...podMounts(container, place.folder, messageFile),
    ...groupMounts(groups, parts.groups?.version),
    ...(await mountsOf(container, place.folders, env)),
  ];
  const joined = joinedProcess(sources);
  const filter = filterOf(order);
  const filterFile = join(filtersFolder, sources.id);
  const enter = {
    rights,
    holder: place.holder,
    identity,
    capabilities: capabilitiesOf(container),
    env,
    kit: filter === undefined ? parts.kit : withFilter(parts.kit, filterFile),
  };
  const plan = {
    ...enter,
    processes: joined === undefined ? undefined : { pid: joined, proc: insidePath(join(folder, "proc")) },
    root: insidePath(join(folder, "root")),
    readOnlyRoot: container.securityContext?.readOnlyRootFilesystem === true,
    mounts: mounts.map((mount) => ({ ...mount, from: mount.from === undefined ? undefined : insidePath(mount.from) })),
    directory: container.workingDir ?? (config.WorkingDir || "/"),
    argv: commandOf(container, image.config, env),
  };
  const argv = container.tty === true ? withTerminal(launchCommand(plan)) : launchCommand(plan);
  const launch = {
    id: sources.id,
    argv,
    log: sources.logs,
    // A terminal hears, even when nobody is to speak.
    stdin: container.stdin === true || container.tty === true,
    stdinOnce: container.stdinOnce === true,
    tellsPid: true,
    waitsForUsers: waitsForUsers(plan),
    filter: filter?.bytes.toString("base64"),
    membership: {
      groups: groups.map((group) => group.folder),
      oomScore: oomScoreOf(pod.spec, container.resources, totalmem()),
    },
    joins: joined,
  };
  const stopSignal = stopSignalOf(container, config.StopSignal);
  return {
    launch,
    mountScript: mountScript(sources, joined) + (filter === undefined ? "" : fileScript(filterFile, filter.program)),
    insideFiles: filter === undefined ? [] : [filterFile],
    mounted: [join(folder, "root"), ...(joined === undefined ? [] : [join(folder, "proc")])],
    messageFile,
    enter,
    stopSignal,
  };
}

/** Makes what a container needs on disk; gives the file for its last words. */
async function makeFolders(folder: string, logs: string): Promise<string> {
  for (const name of ["upper", "work", "root", "proc"])
    await mkdir(join(folder, name), { recursive: true, mode: 0o755 });
  await mkdir(dirname(logs), { recursive: true });
  const messageFile = join(folder, "termination-log");
  await writeFile(messageFile, "");
  await chmod(messageFile, 0o666);
  return messageFile;
}

function mountScript(
  { image, folder, parts: { rights, insidePath } }: PlanSources,
  joined: number | undefined,
): string {
  const [lower, upper, work, root] = [image.folder, ...["upper", "work", "root"].map((name) => join(folder, name))].map(
    insidePath,
  );
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}${rights === "user" ? ",userxattr" : ""}`;
  const overlay = `mount -t overlay overlay -o ${quoted(options)} ${quoted(root ?? "")}\n`;
  if (joined === undefined) return overlay;
  return `${overlay}nsenter -t ${joined} -p mount -t proc proc ${quoted(insidePath(join(folder, "proc")))}\n`;
}

/** Where the keeper has the filters of containers as programs. The state may be where nothing can be executed. */
const filtersFolder = "/mnt/filters";

function fileScript(path: string, program: Buffer): string {
  const folder = dirname(path);
  return `mkdir -p ${folder}\nbase64 -d > ${path} <<'program'\n${program.toString("base64")}\nprogram\nchmod 555 ${path}\n`;
}

/** Whose processes a container sees, if not only its own: those of another container, of its pod, or of its node, whose first is the keeper. */
function joinedProcess({ order: { pod }, place, target }: PlanSources): number | undefined {
  if (pod.spec.hostPID === true) return 1;
  return pod.spec.shareProcessNamespace === true ? place.holder : target;
}

/** A container sees its own groups where programs look for their limits. */
function groupMounts(groups: readonly GroupFolder[], version: CgroupVersion | undefined): readonly Mount[] {
  if (version === 2) return groups.map(({ folder }) => ({ from: folder, to: "/sys/fs/cgroup", readOnly: true }));
  if (groups.length === 0) return [];
  const own = groups.map(({ controller, folder }) => ({
    from: folder,
    to: `/sys/fs/cgroup/${controller}`,
    readOnly: true,
  }));
  return [{ from: undefined, to: "/sys/fs/cgroup", readOnly: false }, ...own];
}

/** The files that every container of a pod sees, unless it mounts something over them. */
function podMounts(container: Container, podFolder: string, messageFile: string): readonly Mount[] {
  const own = new Set((container.volumeMounts ?? []).map(({ mountPath }) => mountPath));
  const files = [
    { from: join(podFolder, "sys"), to: "/sys", readOnly: container.securityContext?.privileged !== true },
    { from: join(podFolder, "shm"), to: "/dev/shm", readOnly: false },
    { from: join(podFolder, "hosts"), to: "/etc/hosts", readOnly: false },
    { from: join(podFolder, "resolv.conf"), to: "/etc/resolv.conf", readOnly: false },
    { from: join(podFolder, "hostname"), to: "/etc/hostname", readOnly: false },
    { from: messageFile, to: container.terminationMessagePath ?? "/dev/termination-log", readOnly: false },
  ];
  return files.filter(({ to }) => !own.has(to));
}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function environmentOf(
  { pod, env }: ContainerOrder,
  { config = {} }: ImageConfig,
  domain: string,
): ReadonlyMap<string, string> {
  const all = new Map([
    ["PATH", defaultPath],
    ["HOSTNAME", hostnameOf(pod, domain)],
    ["HOME", "/"],
  ]);
  for (const line of config.Env ?? []) {
    const at = line.indexOf("=");
    all.set(line.slice(0, at), line.slice(at + 1));
  }
  for (const [name, value] of env) all.set(name, value);
  return all;
}

/** The pod's command replaces the image's entrypoint and its arguments; the pod's arguments replace only the image's. */
function commandOf(
  container: Container,
  { config = {} }: ImageConfig,
  env: ReadonlyMap<string, string>,
): readonly string[] {
  const { command = [], args = [] } = container;
  const entry = command.length > 0 ? command.map((part) => expand(part, env)) : (config.Entrypoint ?? []);
  const ownArgs = args.map((part) => expand(part, env));
  const rest = args.length > 0 || command.length > 0 ? ownArgs : (config.Cmd ?? []);
  const argv = [...entry, ...rest];
  if (argv.length === 0) throw new NodeError("CreateContainerError", "no command specified");
  return argv;
}

function capabilitiesOf({ securityContext = {} }: Container): readonly string[] {
  if (securityContext.privileged === true) return ["ALL"];
  const { add = [], drop = [] } = securityContext.capabilities ?? {};
  const names = (list: readonly string[]): readonly string[] =>
    list.map((name) => name.toUpperCase().replace(/^CAP_/, ""));
  const dropped = names(drop);
  const kept = dropped.includes("ALL") ? [] : defaultCapabilities.filter((name) => !dropped.includes(name));
  return [...new Set([...kept, ...names(add)])];
}

/** A filter of system calls: for the launcher, and for whoever comes in later. */
interface Filter {
  readonly bytes: Buffer;
  readonly program: Buffer;
}

/** The filter that is asked for; without a word there is none, as kubelets have it. */
function filterOf({ pod, container }: ContainerOrder): Filter | undefined {
  const { privileged, seccompProfile = pod.spec.securityContext?.seccompProfile } = container.securityContext ?? {};
  if (privileged === true || seccompProfile === undefined || seccompProfile.type === "Unconfined") return undefined;
  if (seccompProfile.type === "RuntimeDefault") return runtimeFilter(process.arch, capabilitiesOf(container));
  const file = `/var/lib/kubelet/seccomp/${seccompProfile.localhostProfile ?? ""}`;
  throw new NodeError(
    "CreateContainerError",
    `failed to create container: cannot load seccomp profile "${file}": open ${file}: no such file or directory`,
  );
}

function runtimeFilter(architecture: string, capabilities: readonly string[]): Filter | undefined {
  if (!isKnown(architecture)) return undefined;
  const bytes = defaultFilter(architecture, capabilities);
  return bytes && { bytes, program: filterProgram(bytes, architecture) };
}

function stopSignalOf({ lifecycle }: Container, ofImage: string | undefined): NodeJS.Signals {
  const name = lifecycle?.stopSignal ?? ofImage ?? "SIGTERM";
  return (name.startsWith("SIG") ? name : `SIG${name}`) as NodeJS.Signals;
}
