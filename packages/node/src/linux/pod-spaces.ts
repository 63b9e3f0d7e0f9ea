/**
 * The namespaces of pods: a process that holds them while containers come and go, a line to the node, and the file systems that the containers
 * of a pod share. Making them takes longer than all else before a container can start, so one set waits for the next pod that wants nothing special.
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
  /** The node's end of the line; pods in the node's network have none. */
  readonly device: string | undefined;
  /** Where the keeper has what the containers share. */
  readonly folder: string;
}

/** What they are made with. */
export interface SpacesOptions {
  readonly parts: MachineParts;
  readonly node: LinuxNode;
  readonly newId: (seed: string) => string;
}

/** What a pod shares with its node or among its containers. */
interface Kind {
  readonly onNode: boolean;
  readonly nodesIpc: boolean;
  readonly ownProcesses: boolean;
}

const usual: Kind = { onNode: false, nodesIpc: false, ownProcesses: false };

/** How long a node has other things to do, in milliseconds: when it has come up, and when a container has just started. */
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

  /** Sees to it that a set waits, in a moment. */
  prepareSpare(pause: number): void {
    const prepare = (): void => {
      if (this.#isOver || this.#spare !== undefined) return;
      // Only itself: whoever waited for it may have had the next one begun.
      const spare: Promise<PodSpaces | undefined> = this.#makeSpare(() => {
        if (this.#spare === spare) this.#spare = undefined;
      });
      this.#spare = spare;
    };
    this.#options.parts.clock.later(pause, prepare).unref?.();
  }

  /** The namespaces for a pod; whoever takes them is told when somebody ends their process. */
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

  /** Gives them the pod's name and its kernel settings. */
  async dress({ holder }: PodSpaces, pod: BoundPod, hostname: string): Promise<void> {
    const settings = (pod.spec.securityContext?.sysctls ?? []).map(
      ({ name, value }) => `echo ${quoted(value)} > ${quoted(`/proc/sys/${name.replaceAll(".", "/")}`)}`,
    );
    const { keeper } = this.#options.parts;
    const enter = ["nsenter", "-t", String(holder)];
    if (settings.length === 0) return void (await keeper.must([...enter, "-u", "hostname", hostname]));
    // As one word: what a pod asks for may have any lines.
    const script = [`hostname ${quoted(hostname)}`, ...settings].join("\n");
    await keeper.must([...enter, "-n", "-i", "-u", "sh", "-e", "-c", script]);
  }

  /** Ends them; the address is for others then. */
  async remove({ id, device, folder, ip }: Omit<PodSpaces, "holder">): Promise<void> {
    const { keeper, exits } = this.#options.parts;
    exits.delete(id);
    await keeper.signal(id, "SIGKILL");
    const unplug = device === undefined ? "" : `ip link del ${device}\n`;
    const mounts = sharedFolders(folder).join(" ");
    await keeper.run(["sh"], `${unplug}umount -l ${mounts} 2>/dev/null\nrmdir ${mounts} ${folder}\n`);
    if (device !== undefined) this.#addresses.giveBack(ip);
  }

  /** Makes no more, and ends the set that waits. */
  async close(): Promise<void> {
    this.#isOver = true;
    const spare = await this.#spare;
    if (spare === undefined) return;
    await this.remove(spare).catch(() => {});
  }

  /** Somebody may end its process while it waits: then there is none. What cannot be made now is made, or fails, for the pod that needs it. */
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
      await parts.keeper.must(["sh", "-e"], `${outer}nsenter -t ${holder} -n -i -u sh -e -c ${quoted(inner)}\n`);
      return { id, ip, holder, device, folder };
    } catch (thrown) {
      // Some of it may be there already.
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
    // The first process of a pod's namespace waits for the orphans in it. Outside of it, its number is another: /proc still shows that one.
    const rest = ownProcesses ? "while :; do sleep 1000 & wait; done" : "exec sleep infinity";
    const script = `read -r pid rest < /proc/self/stat; echo "{\\"child-pid\\": $pid }" >&3; exec 3>&-; ${rest}`;
    const argv = ["unshare", ...spaces, "sh", "-c", script];
    const { pid } = await this.#options.parts.keeper.start({
      id,
      argv,
      log: "/dev/null",
      stdin: false,
      tellsPid: true,
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
