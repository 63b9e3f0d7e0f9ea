/** Works out everything about a container before it starts: whom it runs as, what it sees, what it runs. */
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
  refusalOf,
  type Entrance,
  type LaunchPlan,
  type MaskedPlace,
  type Mount,
} from "./launch.ts";
import type { Rights } from "./keeper-link.ts";
import type { MachineParts } from "./machine.ts";
import { seenProcesses } from "./seen-processes.ts";
import { toSignal } from "./stop-signal.ts";
import { hostnameOf } from "./pod-files.ts";
import type { Furnished, FurnishRequest, Launch, LayRequest, Program } from "./protocol.ts";
import { defaultFilter, isKnown } from "./seccomp/filter.ts";
import { knownCapabilities } from "./capabilities.ts";
import type { PodPlace } from "./pod-places.ts";
import { sharedFolders } from "./network.ts";
import { terminalVariables } from "./terminal.ts";
import { mountsOf } from "./volumes.ts";
import { withinRoot } from "./within-root.ts";

/** What a plan is made from. */
export interface PlanSources {
  readonly order: ContainerOrder;
  readonly place: Pick<PodPlace, "folder" | "folders" | "spaces">;
  /** The control groups that it goes into. */
  readonly groups: readonly GroupFolder[];
  /** The process whose companions it sees, when it was started to look at another container. */
  readonly target: number | undefined;
  readonly image: UnpackedImage;
  /** The container's own folder. */
  readonly folder: string;
  readonly id: string;
  readonly logs: string;
  readonly parts: Pick<MachineParts, "rights" | "insidePath" | "names" | "groups" | "kit" | "masked" | "secret">;
}

/** A container that is ready to be started. */
export interface PlannedContainer {
  readonly launch: Omit<Launch, "argv"> & { readonly program: Program };
  /** What it needs on disk. */
  readonly lay: LayRequest;
  /** Makes its root. */
  readonly mountCommands: readonly (readonly string[])[];
  /** What it sees in there. */
  readonly furnish: FurnishRequest;
  /** The command that starts it, once everything has its place. */
  readonly argvIn: (furnished: Furnished, command?: readonly string[]) => readonly string[];
  /** Its own command. */
  readonly command: readonly string[];
  readonly tty: boolean;
  /** What is mounted for it, outside of its own view. */
  readonly mounted: readonly string[];
  /** Files of the keeper that are there for it alone. */
  readonly insideFiles: readonly string[];
  /** Where it leaves its last words. */
  readonly messageFile: string;
  readonly enter: Entrance;
  readonly stopSignal: number;
}

/** Makes the plan. */
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
      refusal: refusalOf(enter),
      program: programOf(plan),
    },
    lay: layOf(sources, messageFile),
    mountCommands: mountCommands(sources, joined),
    furnish: {
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

/** What the keeper has to know about it whatever its command is. */
function launchOf(
  { id, order: { pod, container }, logs, groups }: PlanSources,
  joins: number | undefined,
): Omit<Launch, "argv" | "variables" | "launchers" | "refusal" | "program"> {
  return {
    id,
    log: logs,
    // A terminal hears, even when nobody is to speak.
    stdin: container.stdin === true || container.tty === true,
    stdinOnce: container.stdinOnce === true,
    tellsPid: true,
    membership: {
      groups: groups.map((group) => group.folder),
      oomScore: oomScoreOf(pod.spec, container.resources, totalmem()),
    },
    joins,
  };
}

/** A container is entered with a program that was made for it, where one can be made for this processor. */
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

/** Some containers see all that their kernel shows. */
function maskedFrom({ securityContext = {} }: Container, masked: readonly MaskedPlace[]): readonly MaskedPlace[] {
  return securityContext.privileged === true || securityContext.procMount === "Unmasked" ? [] : masked;
}

/** All that a container sees beside its image, by the paths inside. */
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

/** What a container needs on disk before anything can be mounted for it. */
function layOf({ folder, parts: { insidePath } }: PlanSources, messageFile: string): LayRequest {
  const folders = ["upper", "work", "root", "proc"].map((name) => ({ path: insidePath(join(folder, name)) }));
  return { folders, files: [{ path: insidePath(messageFile), text: "", mode: 0o666 }] };
}

/** Not a script: a shell would be one more program to wait for. */
function mountCommands(
  { image, folder, parts: { insidePath } }: PlanSources,
  joined: number | undefined,
): readonly (readonly string[])[] {
  const [lower, upper, work, root] = [image.folder, ...["upper", "work", "root"].map((name) => join(folder, name))].map(
    insidePath,
  );
  // In a user namespace only attributes of users can say that a folder of the image is gone; root's nodes live in one, too.
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work},userxattr`;
  const overlay = ["mount", "-t", "overlay", "overlay", "-o", options, root ?? ""];
  if (joined === undefined) return [overlay];
  const proc = ["mount", "-t", "proc", "proc", insidePath(join(folder, "proc"))];
  return [overlay, ["nsenter", "-t", String(joined), "-p", ...proc]];
}

/** Where the keeper has the programs that enter containers. The state may be where nothing can be executed. */
const programsFolder = "/mnt/programs";

/** Among whose processes a container starts, if it is not to see only its own: another container's, or its pod's. */
function joinedProcess({ order: { pod }, place, target }: PlanSources): number | undefined {
  switch (seenProcesses(pod)) {
    case "of the pod":
      return place.spaces.holder;
    case "own":
      return target;
  }
}

/** Where a volume takes the place of what the kernel shows of itself, the volume wins. */
function coversKernel({ volumeMounts = [] }: Container): boolean {
  return volumeMounts.some(({ mountPath }) => ["/sys", "/sys/fs", "/sys/fs/cgroup"].includes(withinRoot(mountPath)));
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
    list.map((name) => name.toUpperCase().replace(/^CAP_/, "")).filter((name) => knownCapabilities.has(name));
  const dropped = names(drop);
  const kept = dropped.includes("ALL") ? [] : defaultCapabilities.filter((name) => !dropped.includes(name));
  return [...new Set([...kept, ...names(add)])];
}

/**
 * What would lead out of the node. Who may trace a process has its files and rights: whoever enters a container has all rights of the node
 * until it gives them up, and among the processes that a container sees beside its own are the node's. Who may mount could lay open the
 * settings of the machine's kernel, which ask for root's number alone. Where root of the node is not root of the machine, only the node is
 * at stake.
 */
function withheldFrom({ rights, joins }: { readonly rights: Rights; readonly joins: boolean }): readonly string[] {
  return rights === "root" ? ["SYS_PTRACE", "SYS_ADMIN"] : joins ? ["SYS_PTRACE"] : [];
}

/** The filter that is asked for; without a word there is none, as kubelets have it. */
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
