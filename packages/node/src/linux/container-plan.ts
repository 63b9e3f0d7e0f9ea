/** Works out everything about a container before it starts: whom it runs as, what it sees, what it runs. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Container } from "@capstan/kinds/v1";
import type { ImageConfig } from "@capstan/oci";
import { expand } from "../environment/expand.ts";
import { NodeError } from "../errors.ts";
import type { ContainerOrder } from "../runtime/runtime.ts";
import { identityOf } from "./identity.ts";
import type { UnpackedImage } from "./images.ts";
import { defaultCapabilities, launchCommand, placesCommand, type LaunchPlan, type Mount } from "./launch.ts";
import type { MachineParts } from "./machine.ts";
import { quoted } from "./network.ts";
import { hostnameOf } from "./pod-files.ts";
import type { Launch } from "./protocol.ts";
import { mountsOf, type VolumeFolders } from "./volumes.ts";

/** What a plan is made from. */
export interface PlanSources {
  readonly order: ContainerOrder;
  readonly place: { readonly folder: string; readonly folders: VolumeFolders; readonly holder: number };
  readonly image: UnpackedImage;
  /** The container's own folder. */
  readonly folder: string;
  readonly id: string;
  readonly logs: string;
  readonly parts: Pick<MachineParts, "rights" | "insidePath">;
}

/** A container that is ready to be started. */
export interface PlannedContainer {
  readonly launch: Launch;
  /** Puts its file system together. */
  readonly mountScript: string;
  /** Where its file system is. */
  readonly root: string;
  /** Where it leaves its last words. */
  readonly messageFile: string;
  readonly enter: Pick<LaunchPlan, "rights" | "holder" | "identity">;
  readonly stopSignal: NodeJS.Signals;
}

/** Makes the plan and the folders it needs. */
export async function planContainer(sources: PlanSources): Promise<PlannedContainer> {
  const { order, place, image, folder, parts } = sources;
  const { pod, container } = order;
  const { config = {} } = image.config;
  const identity = await identityOf({ pod, container, imageUser: config.User ?? "", root: image.folder });
  const env = environmentOf(order, image.config);
  const messageFile = join(folder, "termination-log");
  for (const name of ["upper", "work", "root"]) await mkdir(join(folder, name), { recursive: true, mode: 0o755 });
  await mkdir(dirname(sources.logs), { recursive: true });
  await writeFile(messageFile, "");
  await chmod(messageFile, 0o666);
  const { rights, insidePath } = parts;
  const mounts = [
    ...podMounts(container, place.folder, messageFile),
    ...(await mountsOf(container, place.folders, env)),
  ];
  const enter = { rights, holder: place.holder, identity };
  const plan = {
    ...enter,
    root: insidePath(join(folder, "root")),
    readOnlyRoot: container.securityContext?.readOnlyRootFilesystem === true,
    mounts: mounts.map((mount) => ({ ...mount, from: insidePath(mount.from) })),
    capabilities: capabilitiesOf(container),
    directory: container.workingDir ?? (config.WorkingDir || "/"),
    argv: commandOf(container, image.config, env),
  };
  const argv = launchCommand(plan);
  const launch = {
    id: sources.id,
    argv,
    env: Object.fromEntries(env),
    log: sources.logs,
    stdin: container.stdin === true,
    tellsPid: true,
  };
  const stopSignal = stopSignalOf(container, config.StopSignal);
  return {
    launch,
    mountScript: mountScript(sources, plan),
    root: join(folder, "root"),
    messageFile,
    enter,
    stopSignal,
  };
}

function mountScript({ image, folder, parts: { rights, insidePath } }: PlanSources, plan: LaunchPlan): string {
  const [lower, upper, work, root] = [image.folder, ...["upper", "work", "root"].map((name) => join(folder, name))].map(
    insidePath,
  );
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}${rights === "user" ? ",userxattr" : ""}`;
  const mount = `mount -t overlay overlay -o ${quoted(options)} ${quoted(root ?? "")}\n`;
  if (plan.identity.uid === 0) return mount;
  return `${mount}${placesCommand(plan).map(quoted).join(" ")} 2>/dev/null || true\n`;
}

/** The files that every container of a pod sees, unless it mounts something over them. */
function podMounts(container: Container, podFolder: string, messageFile: string): readonly Mount[] {
  const own = new Set((container.volumeMounts ?? []).map(({ mountPath }) => mountPath));
  const files = [
    { from: join(podFolder, "hosts"), to: "/etc/hosts", readOnly: false },
    { from: join(podFolder, "resolv.conf"), to: "/etc/resolv.conf", readOnly: false },
    { from: join(podFolder, "hostname"), to: "/etc/hostname", readOnly: false },
    { from: messageFile, to: container.terminationMessagePath ?? "/dev/termination-log", readOnly: false },
  ];
  return files.filter(({ to }) => !own.has(to));
}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function environmentOf({ pod, env }: ContainerOrder, { config = {} }: ImageConfig): ReadonlyMap<string, string> {
  const all = new Map([
    ["PATH", defaultPath],
    ["HOSTNAME", hostnameOf(pod)],
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

function stopSignalOf({ lifecycle }: Container, ofImage: string | undefined): NodeJS.Signals {
  const name = lifecycle?.stopSignal ?? ofImage ?? "SIGTERM";
  return (name.startsWith("SIG") ? name : `SIG${name}`) as NodeJS.Signals;
}
