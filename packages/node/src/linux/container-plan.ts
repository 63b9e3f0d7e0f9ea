/** Plans a container before it starts: its user, its mounts and its command. */
import { totalmem } from "node:os";
import { join } from "node:path";
import type { Container } from "@capstan/kinds/v1";
import type { ImageConfig } from "@capstan/oci";
import { expand } from "../environment/expand.ts";
import { NodeError } from "../errors.ts";
import type { ContainerOrder } from "../runtime/runtime.ts";
import type { GroupFolder } from "./cgroups/groups.ts";
import { oomScore as oomScoreOf, type CgroupVersion } from "./cgroups/limits.ts";
import { kitFolder, withProgram } from "./enter-kit.ts";
import { enterProgram } from "./entering/rights.ts";
import { identityOf } from "./identity.ts";
import type { UnpackedImage } from "./images.ts";
import {
  carriedVariables,
  defaultCapabilities,
  launchCommand,
  execErrorPrefixOf,
  type Entrance,
  type LaunchPlan,
  type MaskedPlace,
  type Mount,
} from "./launch.ts";
import type { Rights } from "./shim-client.ts";
import type { MachineParts } from "./machine.ts";
import { seenProcesses } from "./seen-processes.ts";
import { toSignal } from "./stop-signal.ts";
import { hostnameOf } from "./pod-files.ts";
import type { PreparedMounts, PrepareMountsRequest, Launch, WriteFilesRequest, Program } from "./protocol.ts";
import { defaultFilter, isKnown } from "./seccomp/filter.ts";
import { knownCapabilities } from "./capabilities.ts";
import type { PodPlace } from "./pod-places.ts";
import { sharedFolders } from "./network.ts";
import { terminalVariables } from "./terminal.ts";
import { mountsOf } from "./volumes.ts";
import { withinRoot } from "./within-root.ts";

/** The inputs of a plan. */
export interface PlanSources {
  readonly order: ContainerOrder;
  readonly place: Pick<PodPlace, "folder" | "folders" | "spaces">;
  /** The cgroups of the container. */
  readonly groups: readonly GroupFolder[];
  /** A process in the PID namespace to join, if this is an ephemeral container that targets another container. */
  readonly target: number | undefined;
  readonly image: UnpackedImage;
  readonly folder: string;
  readonly id: string;
  readonly logs: string;
  readonly parts: Pick<MachineParts, "rights" | "insidePath" | "names" | "groups" | "kit" | "masked" | "secret">;
}

/** A container that is ready to be started. */
export interface PlannedContainer {
  readonly launch: Omit<Launch, "argv"> & { readonly program: Program };
  /** The folders and files that it needs on disk. */
  readonly writeFilesAndFolders: WriteFilesRequest;
  /** The commands that mount its rootfs. */
  readonly mountCommands: readonly (readonly string[])[];
  /** The mounts in its rootfs. */
  readonly prepareMounts: PrepareMountsRequest;
  /** The command that starts it, once its mounts are resolved. */
  readonly argvIn: (prepared: PreparedMounts, command?: readonly string[]) => readonly string[];
  readonly command: readonly string[];
  readonly tty: boolean;
  /** Mounts of the node that exist for this container. */
  readonly mounted: readonly string[];
  /** Files of the shim that exist only for this container. */
  readonly insideFiles: readonly string[];
  /** The file of its termination message. */
  readonly messageFile: string;
  readonly enter: Entrance;
  readonly stopSignal: number;
}

export async function planContainer(sources: PlanSources): Promise<PlannedContainer> {
  const { order, place, image, folder, parts } = sources;
  const { pod, container } = order;
  const { config = {} } = image.config;
  const { home, ...identity } = await identityOf({ pod, container, imageUser: config.User ?? "", root: image.folder });
  const own = environmentOf(order, image.config, { domain: parts.names.domain, home });
  const env = container.tty === true ? new Map([...terminalVariables, ...own]) : own;
  const messageFile = join(folder, "termination-log");
  const { rights, insidePath } = parts;
  const mounts = await allMounts(sources, env, messageFile);
  const joined = joinedProcess(sources);
  const filter = filterOf(order);
  const inside = {
    rights,
    holder: place.spaces.holder,
    identity,
    capabilities: capabilitiesOf(container),
    withheld: withheldFrom({ rights, joins: joined !== undefined }),
    env,
  };
  const { enter, program } = withOwnProgram(inside, filter, sources);
  const plan = {
    ...enter,
    processes: joined === undefined ? undefined : { pid: joined, proc: insidePath(join(folder, "proc")) },
    root: insidePath(join(folder, "root")),
    readOnlyRoot: container.securityContext?.readOnlyRootFilesystem === true,
    masked: maskedFrom(container, parts.masked),
    directory: withinRoot(container.workingDir ?? (config.WorkingDir || "/")),
    tty: container.tty === true,
    argv: commandOf(container, image.config, env),
  };
  return {
    launch: {
      ...launchOf(sources, joined),
      variables: carriedVariables(enter),
      launchers: enter.kit.programs,
      execErrorPrefix: execErrorPrefixOf(enter),
      program: programOf(plan),
    },
    writeFilesAndFolders: layOf(sources, messageFile),
    mountCommands: mountCommands(sources, joined),
    prepareMounts: {
      root: plan.root,
      mounts,
      directory: plan.directory,
      copies: insidePath(join(folder, "copies")),
      program: program && { file: program.file, base64: program.bytes.toString("base64") },
    },
    argvIn: ({ mounts: placed }, argv = plan.argv) => launchCommand({ ...plan, mounts: placed, argv }),
    command: plan.argv,
    tty: plan.tty,
    insideFiles: program === undefined ? [] : [program.file],
    mounted: [join(folder, "root"), ...(joined === undefined ? [] : [join(folder, "proc")])],
    messageFile,
    enter,
    stopSignal: toSignal(container.lifecycle?.stopSignal ?? config.StopSignal ?? "SIGTERM"),
  };
}

function programOf({ argv, env, directory, kit }: Entrance & Pick<LaunchPlan, "argv" | "directory">): Program {
  return { command: argv[0] ?? "", path: env.get("PATH") ?? "", directory, sign: kit.folder };
}

/** The part of the shim's launch request that does not depend on the command. */
function launchOf(
  { id, order: { pod, container }, logs, groups }: PlanSources,
  joins: number | undefined,
): Omit<Launch, "argv" | "variables" | "launchers" | "execErrorPrefix" | "program"> {
  return {
    id,
    log: logs,
    // A terminal has an input even if the container has no `stdin`.
    stdin: container.stdin === true || container.tty === true,
    stdinOnce: container.stdinOnce === true,
    reportsPid: true,
    membership: {
      groups: groups.map((group) => group.folder),
      oomScore: oomScoreOf(pod.spec, container.resources, totalmem()),
    },
    joins,
  };
}

/** A container is entered with a program that is made for it, if the processor is supported. */
function withOwnProgram(
  inside: Omit<Entrance, "kit">,
  filter: Buffer | undefined,
  { id, parts }: PlanSources,
): { readonly enter: Entrance; readonly program: { readonly file: string; readonly bytes: Buffer } | undefined } {
  const kit = parts.kit(kitFolder(parts.secret, id));
  if (!isKnown(process.arch)) return { enter: { ...inside, kit }, program: undefined };
  const program = { file: join(programsFolder, id), bytes: enterProgram(inside, filter, process.arch) };
  return { enter: { ...inside, kit: withProgram(kit, program.file) }, program };
}

/** Privileged containers, and those with `procMount: Unmasked`, see everything that the kernel exposes. */
function maskedFrom({ securityContext = {} }: Container, masked: readonly MaskedPlace[]): readonly MaskedPlace[] {
  return securityContext.privileged === true || securityContext.procMount === "Unmasked" ? [] : masked;
}

/** All mounts of a container besides its image, by their paths inside. */
async function allMounts(
  { order: { container }, place, groups, parts }: PlanSources,
  env: ReadonlyMap<string, string>,
  messageFile: string,
): Promise<readonly Mount[]> {
  const mounts = [
    ...podMounts(container, place, messageFile),
    ...groupMounts(coversKernel(container) ? [] : groups, parts.groups?.version),
    ...(await mountsOf(container, place.folders, env)),
  ];
  for (const { to } of mounts)
    if (to === "/") throw new NodeError("CreateContainerError", "nothing can be mounted on /");
  return mounts.map((mount) => ({
    ...mount,
    from: mount.from === undefined ? undefined : parts.insidePath(mount.from),
  }));
}

/** The folders and files that must exist before anything is mounted for a container. */
function layOf({ folder, parts: { insidePath } }: PlanSources, messageFile: string): WriteFilesRequest {
  const folders = ["upper", "work", "root", "proc"].map((name) => ({ path: insidePath(join(folder, name)) }));
  return { folders, files: [{ path: insidePath(messageFile), text: "", mode: 0o666 }] };
}

/** Not a script: a shell would be one more process to wait for. */
function mountCommands(
  { image, folder, parts: { insidePath } }: PlanSources,
  joined: number | undefined,
): readonly (readonly string[])[] {
  const [lower, upper, work, root] = [image.folder, ...["upper", "work", "root"].map((name) => join(folder, name))].map(
    insidePath,
  );
  // In a user namespace overlayfs marks deleted folders only with `user.` attributes; nodes of root also run in a user namespace.
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work},userxattr`;
  const overlay = ["mount", "-t", "overlay", "overlay", "-o", options, root ?? ""];
  if (joined === undefined) return [overlay];
  const proc = ["mount", "-t", "proc", "proc", insidePath(join(folder, "proc"))];
  return [overlay, ["nsenter", "-t", String(joined), "-p", ...proc]];
}

/** Where the shim keeps the programs that enter containers. The state folder may be mounted `noexec`. */
const programsFolder = "/mnt/programs";

/** A process in the PID namespace that a container joins instead of an own one: that of another container, or of its pod. */
function joinedProcess({ order: { pod }, place, target }: PlanSources): number | undefined {
  switch (seenProcesses(pod)) {
    case "of the pod":
      return place.spaces.holder;
    case "own":
      return target;
  }
}

/** A volume that is mounted over `/sys` or its cgroup folder replaces the cgroup mounts. */
function coversKernel({ volumeMounts = [] }: Container): boolean {
  return volumeMounts.some(({ mountPath }) => ["/sys", "/sys/fs", "/sys/fs/cgroup"].includes(withinRoot(mountPath)));
}

/** A container sees its own cgroups where programs look for their limits. */
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

/** The files that every container of a pod sees, except where it mounts something over them. */
function podMounts(
  container: Container,
  { folder: podFolder, spaces }: PlanSources["place"],
  messageFile: string,
): readonly Mount[] {
  const [sys, memory] = sharedFolders(spaces.folder);
  const own = new Set((container.volumeMounts ?? []).map(({ mountPath }) => withinRoot(mountPath)));
  const files = [
    {
      from: sys,
      to: "/sys",
      readOnly: container.securityContext?.privileged !== true,
      isKernels: true,
    },
    { from: memory, to: "/dev/shm", readOnly: false },
    { from: join(podFolder, "hosts"), to: "/etc/hosts", readOnly: false },
    { from: join(podFolder, "resolv.conf"), to: "/etc/resolv.conf", readOnly: false },
    { from: join(podFolder, "hostname"), to: "/etc/hostname", readOnly: false },
    { from: messageFile, to: withinRoot(container.terminationMessagePath ?? "/dev/termination-log"), readOnly: false },
  ];
  return files.filter(({ to }) => !own.has(to));
}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function environmentOf(
  { pod, env }: ContainerOrder,
  { config = {} }: ImageConfig,
  { domain, home }: { readonly domain: string; readonly home: string },
): ReadonlyMap<string, string> {
  const all = new Map([
    ["PATH", defaultPath],
    ["HOSTNAME", hostnameOf(pod, domain)],
    ["HOME", home],
  ]);
  for (const line of config.Env ?? []) {
    const at = line.indexOf("=");
    all.set(line.slice(0, at), line.slice(at + 1));
  }
  for (const [name, value] of env) all.set(name, value);
  return all;
}

/** The pod's command replaces the image's entrypoint and arguments; the pod's arguments replace only the image's arguments. */
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
    list.map((name) => name.toUpperCase().replace(/^CAP_/, "")).filter((name) => knownCapabilities.has(name));
  const dropped = names(drop);
  const kept = dropped.includes("ALL") ? [] : defaultCapabilities.filter((name) => !dropped.includes(name));
  return [...new Set([...kept, ...names(add)])];
}

/**
 * Capabilities that would allow an escape from the node. SYS_PTRACE gives access to the files and rights of a process: the entering
 * program holds all rights of the node until it drops them, and a shared PID namespace contains processes of the node. SYS_ADMIN could
 * expose kernel settings of the machine, which check only for uid 0. Without root on the machine, only the node is at risk.
 */
function withheldFrom({ rights, joins }: { readonly rights: Rights; readonly joins: boolean }): readonly string[] {
  return rights === "root" ? ["SYS_PTRACE", "SYS_ADMIN"] : joins ? ["SYS_PTRACE"] : [];
}

/** The requested seccomp filter; without a profile there is no filter, as with the kubelet. */
function filterOf({ pod, container }: ContainerOrder): Buffer | undefined {
  const { privileged, seccompProfile = pod.spec.securityContext?.seccompProfile } = container.securityContext ?? {};
  if (privileged === true || seccompProfile === undefined || seccompProfile.type === "Unconfined") return undefined;
  if (seccompProfile.type === "RuntimeDefault")
    return isKnown(process.arch) ? defaultFilter(process.arch, capabilitiesOf(container)) : undefined;
  const file = `/var/lib/kubelet/seccomp/${seccompProfile.localhostProfile ?? ""}`;
  throw new NodeError(
    "CreateContainerError",
    `failed to create containerd container: cannot load seccomp profile "${file}": open ${file}: no such file or directory`,
  );
}
