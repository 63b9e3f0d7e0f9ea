/**
 * The system calls that the default seccomp profile of container runtimes denies, with their numbers, and the capabilities that allow
 * them. A table.
 */

/** One system call. */
export interface Withheld {
  readonly name: string;
  /** Its numbers; undefined if an architecture does not have it. */
  readonly x64: number;
  readonly arm64?: number;
  /** A process with one of these capabilities may call it. */
  readonly unless?: readonly string[];
}

const admin = ["SYS_ADMIN"];
const time = ["SYS_TIME"];
const modules = ["SYS_MODULE"];
const nice = ["SYS_NICE"];
const ptrace = ["SYS_PTRACE"];
const rawIo = ["SYS_RAWIO"];

/** In alphabetical order. Calls that every current kernel rejects are left out. */
export const withheldCalls: readonly Withheld[] = [
  { name: "acct", x64: 163, arm64: 89, unless: ["SYS_PACCT"] },
  { name: "add_key", x64: 248, arm64: 217 },
  { name: "bpf", x64: 321, arm64: 280, unless: ["SYS_ADMIN", "BPF"] },
  { name: "chroot", x64: 161, arm64: 51, unless: ["SYS_CHROOT"] },
  { name: "clock_settime", x64: 227, arm64: 112, unless: time },
  { name: "delete_module", x64: 176, arm64: 106, unless: modules },
  { name: "fanotify_init", x64: 300, arm64: 262, unless: admin },
  { name: "finit_module", x64: 313, arm64: 273, unless: modules },
  { name: "fsconfig", x64: 431, arm64: 431, unless: admin },
  { name: "fsmount", x64: 432, arm64: 432, unless: admin },
  { name: "fsopen", x64: 430, arm64: 430, unless: admin },
  { name: "fspick", x64: 433, arm64: 433, unless: admin },
  { name: "get_mempolicy", x64: 239, arm64: 236, unless: nice },
  { name: "init_module", x64: 175, arm64: 105, unless: modules },
  { name: "io_uring_enter", x64: 426, arm64: 426 },
  { name: "io_uring_register", x64: 427, arm64: 427 },
  { name: "io_uring_setup", x64: 425, arm64: 425 },
  { name: "ioperm", x64: 173, unless: rawIo },
  { name: "iopl", x64: 172, unless: rawIo },
  { name: "kcmp", x64: 312, arm64: 272, unless: ptrace },
  { name: "kexec_file_load", x64: 320, arm64: 294 },
  { name: "kexec_load", x64: 246, arm64: 104 },
  { name: "keyctl", x64: 250, arm64: 219 },
  { name: "lookup_dcookie", x64: 212, arm64: 18, unless: admin },
  { name: "mbind", x64: 237, arm64: 235, unless: nice },
  { name: "migrate_pages", x64: 256, arm64: 238 },
  { name: "mount", x64: 165, arm64: 40, unless: admin },
  { name: "mount_setattr", x64: 442, arm64: 442, unless: admin },
  { name: "move_mount", x64: 429, arm64: 429, unless: admin },
  { name: "move_pages", x64: 279, arm64: 239 },
  { name: "open_by_handle_at", x64: 304, arm64: 265, unless: ["DAC_READ_SEARCH"] },
  { name: "open_tree", x64: 428, arm64: 428, unless: admin },
  { name: "perf_event_open", x64: 298, arm64: 241, unless: ["SYS_ADMIN", "PERFMON"] },
  { name: "pivot_root", x64: 155, arm64: 41 },
  { name: "quotactl", x64: 179, arm64: 60, unless: admin },
  { name: "quotactl_fd", x64: 443, arm64: 443, unless: admin },
  { name: "reboot", x64: 169, arm64: 142, unless: ["SYS_BOOT"] },
  { name: "request_key", x64: 249, arm64: 218 },
  { name: "set_mempolicy", x64: 238, arm64: 237, unless: nice },
  { name: "set_mempolicy_home_node", x64: 450, arm64: 450, unless: nice },
  { name: "setdomainname", x64: 171, arm64: 162, unless: admin },
  { name: "sethostname", x64: 170, arm64: 161, unless: admin },
  { name: "setns", x64: 308, arm64: 268, unless: admin },
  { name: "settimeofday", x64: 164, arm64: 170, unless: time },
  { name: "swapoff", x64: 168, arm64: 225 },
  { name: "swapon", x64: 167, arm64: 224 },
  { name: "sysfs", x64: 139 },
  { name: "syslog", x64: 103, arm64: 116, unless: ["SYS_ADMIN", "SYSLOG"] },
  { name: "umount2", x64: 166, arm64: 39, unless: admin },
  { name: "unshare", x64: 272, arm64: 97, unless: admin },
  { name: "uselib", x64: 134 },
  { name: "userfaultfd", x64: 323, arm64: 282 },
  { name: "ustat", x64: 136 },
  { name: "vhangup", x64: 153, arm64: 58, unless: ["SYS_TTY_CONFIG"] },
];

/** Processes may be created, but not with new namespaces. A filter cannot see the flags of `clone3`, so that returns ENOSYS. */
export const cloneCalls = { clone: { x64: 56, arm64: 220 }, clone3: { x64: 435, arm64: 435 } } as const;
