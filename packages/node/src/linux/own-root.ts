/**
 * The root of the keeper: its own, with the programs of the machine to be read and nothing else of it, so that a path that leads astray, or
 * a pod that may look at all processes of its node, does not end among the machine's files. Pure.
 */
import { quoted } from "./quoted.ts";
import { makeReadOnly } from "./read-only.ts";

/** What the keeper takes along. */
export interface OwnRoot {
  /** Folders of the node, each at its own path. */
  readonly folders: readonly string[];
  /** The program that the keeper itself is. */
  readonly program: string;
}

/** Where programs and their libraries are. */
const programs = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix"];
/** What programs read: where libraries are, and what protocols are called. */
const settings = ["ld.so.cache", "alternatives", "protocols", "services", "iproute2"];
const devices = ["null", "zero", "full", "random", "urandom", "tty"];

/**
 * Moves all processes of the keeper's mount namespace to a root of their own; the machine's is out of reach then. Programs are shown by a
 * file system without an upper layer: unlike a mount that is only marked so, nobody can make it writable.
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
    // Pods get theirs only where one that shows everything is to be seen already.
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
