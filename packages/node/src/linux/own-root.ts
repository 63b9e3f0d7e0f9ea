/**
 * The shim's own root: it contains the programs of the machine, read-only, and nothing else of it. A wrong path, or a pod that sees all
 * processes of its node, does not reach the machine's files. Pure.
 */
import { quoted } from "./quoted.ts";
import { makeReadOnly } from "./read-only.ts";

/** What the shim's root contains. */
export interface OwnRoot {
  /** Folders of the node, each at its own path. */
  readonly folders: readonly string[];
  /** The executable of the shim. */
  readonly program: string;
}

/** The folders of programs and their libraries. */
const programs = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix"];
/** Files in `/etc` that programs read: library paths and protocol names. */
const settings = ["ld.so.cache", "alternatives", "protocols", "services", "iproute2"];
const devices = ["null", "zero", "full", "random", "urandom", "tty"];

/**
 * Moves all processes of the shim's mount namespace to a new root; the machine's root is unreachable then. Programs are in an overlay
 * without an upper layer: unlike a read-only mount, it cannot be remounted writable.
 */
export function ownRootScript({ folders, program }: OwnRoot): string {
  const isShown = programs.some((name) => program.startsWith(`/${name}/`));
  return [
    "mount -t tmpfs -o mode=755 tmpfs /mnt",
    "cd /mnt",
    "mkdir dev etc mnt none old proc sys",
    "mkdir -m 1777 tmp",
    ...programs.map(
      (name) =>
        `if [ -L /${name} ]; then cp -P /${name} ${name}; elif [ -d /${name} ]; then mkdir ${name}; mount -t overlay -o lowerdir=/${name}:none overlay ${name}; fi`,
    ),
    ...settings.map((name) => `if [ -e /etc/${name} ]; then cp -RP /etc/${name} etc/${name}; fi`),
    ...folders.map((path) => `mkdir -p ${quoted(`.${path}`)}; mount --bind ${quoted(path)} ${quoted(`.${path}`)}`),
    ...(isShown ? [] : [showFile(program), makeReadOnly(`.${program}`)]),
    ...devices.map((name) => `: > dev/${name}; mount --bind /dev/${name} dev/${name}`),
    "mkdir dev/pts",
    "mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts",
    "ln -s pts/ptmx dev/ptmx; ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr",
    // The kernel allows a new proc mount in a pod only if a fully visible one already exists.
    "mount -t proc proc proc",
    "mount -t sysfs -o ro,nosuid,nodev,noexec sysfs sys 2>/dev/null || mkdir -p sys/fs/cgroup",
    "if [ -d /sys/fs/cgroup ]; then mount --rbind /sys/fs/cgroup sys/fs/cgroup; fi",
    "pivot_root . old",
    "cd /",
    "umount -l /old",
    "rmdir /old",
    "",
  ].join("\n");
}

function showFile(path: string): string {
  const to = quoted(`.${path}`);
  return `mkdir -p "$(dirname ${to})"; : > ${to}; mount --bind ${quoted(path)} ${to}`;
}
