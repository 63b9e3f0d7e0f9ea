/** Checks what this machine supports: which tools are installed, and whether namespaces can be created. */
import { spawn } from "node:child_process";
import { basename } from "node:path";
import { Groups } from "./cgroups/groups.ts";
import { treeName } from "./cgroups/sweep.ts";
import { isKnown } from "./seccomp/filter.ts";

/** One requirement of real pods. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** What was found, or why it is missing. */
  readonly detail: string;
  /** How to install or enable it. */
  readonly remedy: string | undefined;
}

/** What a machine supports. */
export interface MachineReport {
  /** Whether real pods can run; if not, they have to be simulated. */
  readonly canRunPods: boolean;
  /** The rights with which pods would run. */
  readonly rights: "root" | "user";
  readonly findings: readonly Finding[];
}

/** The programs that a node runs. Those that enter containers are at a fixed path; the others are found in PATH. */
const tools: readonly { readonly command: readonly string[]; readonly package: string }[] = [
  { command: ["/usr/bin/bwrap", "--version"], package: "bubblewrap" },
  { command: ["ip", "-V"], package: "iproute2" },
  { command: ["nft", "--version"], package: "nftables" },
  { command: ["/usr/bin/nsenter", "--version"], package: "util-linux" },
  { command: ["/usr/bin/unshare", "--version"], package: "util-linux" },
  { command: ["/usr/bin/setpriv", "--version"], package: "util-linux" },
  { command: ["mount", "--version"], package: "mount" },
  { command: ["hostname", "--version"], package: "hostname" },
  { command: ["/usr/bin/script", "--version"], package: "bsdutils" },
  { command: ["mkfifo", "--version"], package: "coreutils" },
  { command: ["/usr/bin/env", "--version"], package: "coreutils" },
  { command: ["/bin/bash", "--version"], package: "bash" },
  { command: ["ldd", "--version"], package: "libc-bin" },
];

/** Inspects this machine. `machine` is `process`, or a stub in tests. */
export async function inspectMachine(machine: {
  readonly platform: string;
  readonly arch?: string;
  readonly getuid?: () => number;
}): Promise<MachineReport> {
  const rights = machine.getuid?.() === 0 ? "root" : "user";
  if (machine.platform !== "linux") {
    const remedy = "use Linux, or simulated pods";
    return { canRunPods: false, rights, findings: [{ what: "Linux", ok: false, detail: machine.platform, remedy }] };
  }
  const { arch = process.arch } = machine;
  // The program that enters containers and the seccomp filter exist for these processors only.
  if (!isKnown(arch)) {
    const remedy = "use a machine with x64 or arm64, or simulated pods";
    return { canRunPods: false, rights, findings: [{ what: "processor", ok: false, detail: arch, remedy }] };
  }
  const findings = await Promise.all(tools.map(findTool));
  if (findings.every(({ ok }) => ok)) findings.push(await findNamespaces(rights));
  const canRunPods = findings.every(({ ok }) => ok);
  // Optional features are reported only if pods can run, so that users fix the required ones first.
  if (!canRunPods) return { canRunPods, rights, findings };
  return { canRunPods, rights, findings: [...findings, await findLimits(rights), await findDelays(rights)] };
}

/** Optional: without cgroups, pods run without limits. */
async function findLimits(rights: "root" | "user"): Promise<Finding> {
  const what = "limits";
  if (rights === "user") {
    const detail = "memory and CPU limits are counted, but not enforced: control groups belong to root";
    return { what, ok: false, detail, remedy: "run as root to have them enforced" };
  }
  try {
    const groups = await Groups.open({ owner: await treeName(process.pid, "try") });
    await groups.close();
    return { what, ok: true, detail: `control groups, version ${groups.version}`, remedy: undefined };
  } catch (error) {
    const detail = `limits are counted, but not enforced: ${error instanceof Error ? error.message : String(error)}`;
    return { what, ok: false, detail, remedy: "mount control groups writable at /sys/fs/cgroup" };
  }
}

/** Only tests of slow networks need this. */
async function findDelays(rights: "root" | "user"): Promise<Finding> {
  const user = rights === "root" ? [] : ["--user", "--map-root-user"];
  const script = "ip link set lo up && tc qdisc add dev lo root netem delay 1ms";
  const { code, output } = await run(["unshare", ...user, "--net", "sh", "-c", script]);
  const what = "slow lines";
  if (code === 0) return { what, ok: true, detail: "lines of pods can be made slow", remedy: undefined };
  const detail = `lines of pods can be cut, but not made slow: ${output.trim()}`;
  return { what, ok: false, detail, remedy: "load the kernel's module sch_netem" };
}

async function findTool({ command, package: name }: (typeof tools)[number]): Promise<Finding> {
  const what = basename(command[0] ?? "");
  const { code, output } = await run(command);
  if (code === 0) return { what, ok: true, detail: output.split("\n")[0] ?? "", remedy: undefined };
  return { what, ok: false, detail: output, remedy: `install the package ${name}` };
}

/** Tries what a node does first, in temporary namespaces: overlay mounts (also with /usr below), veth pairs, nft rules and bwrap. */
async function findNamespaces(rights: "root" | "user"): Promise<Finding> {
  const user = rights === "root" ? [] : ["--user", "--map-root-user"];
  const script =
    "mount -t tmpfs tmpfs /mnt && mkdir /mnt/a /mnt/b /mnt/c /mnt/d /mnt/e && mount -t overlay overlay -o lowerdir=/mnt/a,upperdir=/mnt/b,workdir=/mnt/c /mnt/d && mount -t overlay overlay -o lowerdir=/usr:/mnt/a /mnt/e && ip link add capstan0 type veth peer name capstan1 && nft add table ip capstan && bwrap --ro-bind / / --proc /proc --dev /dev --unshare-pid true";
  const unshare = ["unshare", ...user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const { code, output } = await run([...unshare, "sh", "-c", script]);
  const what = "namespaces";
  if (code === 0)
    return { what, ok: true, detail: `network, mount and process namespaces as ${rights}`, remedy: undefined };
  if (rights === "root")
    return { what, ok: false, detail: output.trim(), remedy: `let root make namespaces and mounts (${output.trim()})` };
  const remedy =
    "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile), or run as root";
  return { what, ok: false, detail: output.trim(), remedy };
}

/** Some tools are in folders that are only in the PATH of root. */
const inSystemFolders = 'PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"; export PATH; exec "$@"';

function run(command: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", inSystemFolders, "sh", ...command], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    child.once("error", (error) => resolve({ code: 127, output: error.message }));
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
