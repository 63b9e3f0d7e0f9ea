/** The Linux capabilities in the order of their numbers; runtimes ignore unknown names. */

const names =
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE".split(
    " ",
  );

/** The names of all capabilities, and `ALL`. */
export const knownCapabilities: ReadonlySet<string> = new Set(["ALL", ...names]);

/** The largest capability number. */
export const largestCapability: number = names.length - 1;

/** The number of a capability; -1 for an unknown name. */
export function capabilityNumber(name: string): number {
  return names.indexOf(name);
}
