/**
 * The namespaces of pods: a process that holds them between containers, a veth pair, and the file systems that the containers of a pod
 * share. Creating them is the slowest step before a container can start, so one spare set is ready for the next pod with default
 * settings.
 */
import type { BoundPod } from "../pod/containers.ts";
import { addressesIn } from "../simulated/addresses.ts";
import type { MachineParts } from "./machine.ts";
import { nodeSide, podScript, sharedFolders } from "./network.ts";
import type { LinuxNode } from "./runtime.ts";
import { quoted } from "./quoted.ts";
import { seenProcesses } from "./seen-processes.ts";

/** The namespaces of one pod. */
export interface PodSpaces {
  readonly id: string;
  readonly ip: string;
  /** The process that holds them. */
  readonly holder: number;
  /** The node's end of the veth pair; pods in the host network have none. */
  readonly device: string | undefined;
  /** Where the shim has the folders that the containers share. */
  readonly folder: string;
}

/** What they are created with. */
export interface SpacesOptions {
  readonly parts: MachineParts;
  readonly node: LinuxNode;
  readonly newId: (seed: string) => string;
}

/** Which namespaces a pod shares with its node or among its containers. */
interface Kind {
  readonly onNode: boolean;
  readonly nodesIpc: boolean;
  readonly ownProcesses: boolean;
}

const usual: Kind = { onNode: false, nodesIpc: false, ownProcesses: false };

/** How many milliseconds to wait before a spare is prepared: after the start of the node, and after the start of a container. */
export const pauses = { atFirst: 300, afterStart: 20 } as const;

/** The namespaces of the pods of one node. */
export class Spaces {
  readonly #options: SpacesOptions;
  readonly #addresses: ReturnType<typeof addressesIn>;
  #spare: Promise<PodSpaces | undefined> | undefined;
  #isOver = false;

  constructor(options: SpacesOptions) {
    this.#options = options;
    this.#addresses = addressesIn(options.node.podCidr);
  }

  /** Prepares a spare set after a pause. */
  prepareSpare(pause: number): void {
    const prepare = (): void => {
      if (this.#isOver || this.#spare !== undefined) return;
      // Clears only itself: the next spare may already be in progress.
      const spare: Promise<PodSpaces | undefined> = this.#makeSpare(() => {
        if (this.#spare === spare) this.#spare = undefined;
      });
      this.#spare = spare;
    };
    this.#options.parts.clock.later(pause, prepare).unref?.();
  }

  /** Namespaces for a pod; `lost` is called when their holder process is killed. */
  async take(pod: BoundPod, lost: (id: string) => void): Promise<PodSpaces> {
    const kind = kindOf(pod);
    const spare = isUsual(kind) ? this.#spare : undefined;
    if (spare === undefined) return this.#makeFor(kind, lost);
    this.#spare = undefined;
    const spaces = await spare;
    if (spaces === undefined) return this.#makeFor(kind, lost);
    this.#options.parts.exits.set(spaces.id, () => lost(spaces.id));
    return spaces;
  }

  #makeFor(kind: Kind, lost: (id: string) => void): Promise<PodSpaces> {
    const id = this.#options.newId("sandbox");
    this.#options.parts.exits.set(id, () => lost(id));
    return this.#make(kind, id);
  }

  /** Sets the pod's host name and its sysctls. */
  async dress({ holder }: PodSpaces, pod: BoundPod, hostname: string): Promise<void> {
    const settings = (pod.spec.securityContext?.sysctls ?? []).map(
      ({ name, value }) => `echo ${quoted(value)} > ${quoted(`/proc/sys/${name.replaceAll(".", "/")}`)}`,
    );
    const { shim } = this.#options.parts;
    const enter = ["nsenter", "-t", String(holder)];
    if (settings.length === 0) return void (await shim.must([...enter, "-u", "hostname", hostname]));
    // As one quoted argument: values of a pod may contain newlines.
    const script = [`hostname ${quoted(hostname)}`, ...settings].join("\n");
    await shim.must([...enter, "-n", "-i", "-u", "sh", "-e", "-c", script]);
  }

  /** Removes them and releases the address. */
  async remove({ id, device, folder, ip }: Omit<PodSpaces, "holder">): Promise<void> {
    const { shim, exits } = this.#options.parts;
    exits.delete(id);
    await shim.signal(id, "SIGKILL");
    const unplug = device === undefined ? "" : `ip link del ${device}\n`;
    const mounts = sharedFolders(folder).join(" ");
    await shim.run(["sh"], `${unplug}umount -l ${mounts} 2>/dev/null\nrmdir ${mounts} ${folder}\n`);
    if (device !== undefined) this.#addresses.giveBack(ip);
  }

  /** Stops preparing spares, and removes the current one. */
  async close(): Promise<void> {
    this.#isOver = true;
    const spare = await this.#spare;
    if (spare === undefined) return;
    await this.remove(spare).catch(() => {});
  }

  /**
   * If the holder of the spare is killed, the spare is dropped. An error here is not reported: it recurs for the pod that needs the
   * namespaces.
   */
  async #makeSpare(forget: () => void): Promise<PodSpaces | undefined> {
    const { newId, parts } = this.#options;
    const id = newId("sandbox");
    let isLost = false;
    parts.exits.set(id, () => (isLost = true));
    try {
      const spaces = await this.#make(usual, id);
      const lose = (): void => {
        forget();
        void this.remove(spaces).catch(() => {});
      };
      parts.exits.set(id, lose);
      if (!isLost) return spaces;
      lose();
    } catch {
      forget();
    }
    return undefined;
  }

  async #make(kind: Kind, id: string): Promise<PodSpaces> {
    const { node, parts } = this.#options;
    const ip = kind.onNode ? node.address : this.#addresses.take();
    const folder = `/mnt/shared/${id.slice(0, 16)}`;
    const device = kind.onNode ? undefined : `v${id.slice(0, 12)}`;
    try {
      const holder = await this.#hold(id, kind);
      const line = device === undefined ? undefined : { device, ip, gateway: node.address, holder };
      const inner = podScript({ line, folder });
      const outer = line === undefined ? "" : `ip -batch - <<'line'\n${nodeSide(line)}line\n`;
      await parts.shim.must(["sh", "-e"], `${outer}nsenter -t ${holder} -n -i -u sh -e -c ${quoted(inner)}\n`);
      return { id, ip, holder, device, folder };
    } catch (thrown) {
      // Some of it may already exist.
      await this.remove({ id, ip, device, folder }).catch(() => {});
      throw thrown;
    }
  }

  async #hold(id: string, { onNode, nodesIpc, ownProcesses }: Kind): Promise<number> {
    const spaces = [
      "--uts",
      ...(onNode ? [] : ["--net"]),
      ...(nodesIpc ? [] : ["--ipc"]),
      ...(ownProcesses ? ["--pid", "--fork", "--kill-child"] : []),
    ];
    // The first process of a pod's PID namespace reaps its orphans. Its pid differs outside of the namespace; /proc still shows that one.
    const rest = ownProcesses ? "while :; do sleep 1000 & wait; done" : "exec sleep infinity";
    const script = `read -r pid rest < /proc/self/stat; echo "{\\"child-pid\\": $pid }" >&3; exec 3>&-; ${rest}`;
    const argv = ["unshare", ...spaces, "sh", "-c", script];
    const { pid } = await this.#options.parts.shim.start({
      id,
      argv,
      log: "/dev/null",
      stdin: false,
      reportsPid: true,
    });
    return pid;
  }
}

function kindOf(pod: BoundPod): Kind {
  return {
    onNode: pod.spec.hostNetwork === true,
    nodesIpc: pod.spec.hostIPC === true,
    ownProcesses: seenProcesses(pod) === "of the pod",
  };
}

function isUsual({ onNode, nodesIpc, ownProcesses }: Kind): boolean {
  return !onNode && !nodesIpc && !ownProcesses;
}
