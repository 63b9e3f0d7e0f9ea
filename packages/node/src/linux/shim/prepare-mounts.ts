/**
 * Resolves the mounts of a container. The launcher follows links, and links of a pod could lead to the node, so it gets only paths
 * without links. A mount inside a volume, where other pods may change links at any time, is made here on an open file descriptor, and the
 * launcher gets the volume with its inner mounts.
 */
import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Mount } from "../launch.ts";
import { makeFolders } from "../make-folders.ts";
import type { PrepareMountsRequest, PreparedMounts } from "../protocol.ts";
import { findInRoot, type Place } from "./in-root.ts";
import { walkInside } from "./inside-walk.ts";
import type { Run } from "./volumes.ts";

/** A resolved mount. */
interface Placed {
  mount: Mount;
  /** Whether only the kernel and the launcher determine its content. */
  readonly isPlain: boolean;
  /** Its prepared copy for the launcher, with inner mounts. */
  copy?: string;
}

/** Resolves all mounts and the working directory. */
export async function prepareMounts(request: PrepareMountsRequest, run: Run): Promise<PreparedMounts> {
  keepProgram(request.program);
  const preparation = new MountPreparation(request, run);
  // The launcher mounts these two itself; in the image they must not be links.
  for (const path of ["/proc", "/dev"]) preparation.expectFolder(path);
  for (const mount of request.mounts.toSorted((a, b) => depthOf(a.to) - depthOf(b.to))) await preparation.put(mount);
  await preparation.makeFolder(request.directory);
  return preparation.prepared();
}

/** Here and not by a script, which would cost three more processes for each container. */
function keepProgram(program: PrepareMountsRequest["program"]): void {
  if (program === undefined) return;
  makeFolders(dirname(program.file));
  writeFileSync(program.file, Buffer.from(program.base64, "base64"), { mode: 0o555, flag: "wx" });
  chmodSync(program.file, 0o555);
}

class MountPreparation {
  readonly #request: PrepareMountsRequest;
  readonly #run: Run;
  readonly #placed = new Map<string, Placed>();
  readonly #copies: string[] = [];

  constructor(request: PrepareMountsRequest, run: Run) {
    this.#request = request;
    this.#run = run;
  }

  /** Reserves a folder that the launcher mounts. */
  expectFolder(path: string): void {
    const found = findInRoot({ root: this.#request.root, path, make: "folder", isCovered: () => false });
    if (found.path !== path) throw new Error(`${path} must be mounted on ordinary directory`);
    this.#placed.set(path, { mount: { from: undefined, to: path, readOnly: false }, isPlain: true });
  }

  async put(mount: Mount): Promise<void> {
    const make = mount.from === undefined || statSync(mount.from).isDirectory() ? "folder" : "file";
    const { path, rest } = this.#find(mount.to, make);
    if (path === "/") throw new Error("nothing can be mounted on /");
    // Paths of processes in there lead to the launcher's own files.
    if (path === "/proc") throw new Error(`"${mount.to}" cannot be mounted because it is inside /proc`);
    if (rest.includes("..")) throw new Error(`the links in ${mount.to} lead out of ${path}`);
    const volume = this.#volumeOn(path, rest);
    if (volume !== undefined) return this.#putInto(volume.outer, { mount, rest: volume.rest, make });
    const to = join(path, ...rest);
    if (this.#hasLink(to)) throw new Error(`the links in ${mount.to} cannot be followed`);
    this.#placed.delete(to);
    this.#placed.set(to, { mount: { ...mount, to }, isPlain: mount.from === undefined || mount.isKernels === true });
  }

  /** A missing working directory is created. If that is impossible, the start of the program fails. */
  async makeFolder(path: string): Promise<void> {
    const found = this.#findFolder(path);
    const volume = found && this.#volumeOn(found.path, found.rest);
    const root = volume?.outer.copy ?? volume?.outer.mount.from;
    if (volume === undefined || root === undefined) return;
    const walk = { root, path: volume.rest.join("/"), links: "volume", make: "folder" } as const;
    const end = await walkInside(walk).catch(() => undefined);
    await end?.[Symbol.asyncDispose]();
  }

  prepared(): PreparedMounts {
    const all = [...this.#placed.values()];
    return {
      mounts: all.map(({ mount }) => mount).filter(({ to, from }) => from !== undefined || !isLaunchers(to)),
      copies: this.#copies,
    };
  }

  /** The outermost volume that contains the remaining path. */
  #volumeOn(
    path: string,
    rest: readonly string[],
  ): { readonly outer: Placed; readonly rest: readonly string[] } | undefined {
    for (const index of rest.keys()) {
      const outer = this.#placed.get(join(path, ...rest.slice(0, index)));
      if (outer !== undefined && !outer.isPlain) return { outer, rest: rest.slice(index) };
    }
    return undefined;
  }

  /** Undefined if the path cannot be resolved: the program fails to start there, and reports it. */
  #findFolder(path: string): Place | undefined {
    try {
      return this.#find(path, "folder");
    } catch {
      return undefined;
    }
  }

  /** Whether the launcher would follow a link on the path, which it must not; so the path is checked once more. */
  #hasLink(to: string): boolean {
    const steps = to.split("/").slice(1);
    for (const index of steps.keys()) {
      const at = `/${steps.slice(0, index + 1).join("/")}`;
      if (this.#placed.has(at)) return false;
      if (lstatSync(this.#request.root + at, { throwIfNoEntry: false })?.isSymbolicLink() === true) return true;
    }
    return false;
  }

  #find(path: string, make: "folder" | "file"): Place {
    return findInRoot({ root: this.#request.root, path, make, isCovered: (at) => this.#placed.has(at) });
  }

  async #putInto(
    outer: Placed,
    {
      mount,
      rest,
      make,
    }: { readonly mount: Mount; readonly rest: readonly string[]; readonly make: "folder" | "file" },
  ): Promise<void> {
    const root = (outer.copy ??= await this.#copy(outer.mount));
    // The copy is already read-only if needed, and inner mounts may be writable.
    outer.mount = { ...outer.mount, from: root, readOnly: false };
    await using end = await walkInside({ root, path: rest.join("/"), links: "volume", make }).catch(asWords(mount.to));
    if (end.found === "outside") throw new Error(`the links in ${mount.to} lead out of ${outer.mount.to}`);
    const inner = await this.#copy(mount);
    await this.#mount(["--rbind", inner, end.path.replace("self", String(process.pid))]);
  }

  /** Bind-mounts the source of a mount in the copies folder, to hold inner mounts. */
  async #copy({ from, readOnly, to }: Mount): Promise<string> {
    const copy = join(this.#request.copies, String(this.#copies.length));
    if (from === undefined) throw new Error(`${to} cannot be in a volume`);
    const isFolder = statSync(from).isDirectory();
    makeFolders(this.#request.copies);
    if (isFolder) mkdirSync(copy);
    else await this.#must(["touch", copy]);
    this.#copies.push(copy);
    await this.#mount(["--rbind", from, copy]);
    if (readOnly) await this.#mount(["-o", `remount,bind,ro,${flagsOf(copy)}`, copy]);
    return copy;
  }

  #mount(words: readonly string[]): Promise<void> {
    return this.#must(["mount", "--no-canonicalize", ...words]);
  }

  async #must(argv: readonly string[]): Promise<void> {
    const { code, stderr } = await this.#run(argv);
    if (code !== 0) throw new Error(`could not mount a volume: ${stderr.trim()}`);
  }
}

function isLaunchers(path: string): boolean {
  return path === "/proc" || path === "/dev";
}

function depthOf(path: string): number {
  return path.split("/").length;
}

/** Error messages must not reveal paths of the node. */
function asWords(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    const why = /^E[A-Z]+: ([^,]*)/.exec(error.message)?.[1] ?? error.message;
    throw new Error(`mkdir ${path}: ${why}`, { cause: error });
  };
}

/** The other flags of a mount: a remount that changes one flag must repeat the others. */
function flagsOf(path: string): string {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  const fields = lines.map((line) => line.split(" ")).findLast((line) => line[4] === path);
  return (fields?.[5] ?? "")
    .split(",")
    .filter((flag) => flag !== "rw" && flag !== "ro")
    .join(",");
}
