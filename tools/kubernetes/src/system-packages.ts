/** Installs missing Debian packages, or fails with the command to run. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { run } from "./command.ts";
import { KubernetesToolError } from "./errors.ts";

/** Packages of a node besides the built programs: runc, the network plugins and their tools. */
export const NODE_PACKAGES: readonly string[] = ["runc", "containernetworking-plugins", "nftables", "iptables"];

/** What every cluster needs; part of most systems. */
export const BASE_PACKAGES: readonly string[] = ["iproute2", "util-linux"];

/** The program by which a package is known where it is not called by the same name. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "busybox-static": "busybox",
  "containernetworking-plugins": "/usr/lib/cni/ptp",
  bubblewrap: "bwrap",
  iproute2: "ip",
  nftables: "nft",
  "util-linux": "nsenter",
};

/**
 * Ensures that packages are installed. As root on Debian or Ubuntu it installs missing ones; elsewhere it fails with the command to run.
 * `report` receives the names of packages being installed.
 */
export async function ensureSystemPackages(
  names: readonly string[],
  report: (line: string) => void = () => {},
): Promise<void> {
  const debian = await isDebian();
  const isThere = debian ? isInstalled : async (name: string) => hasProgram(name);
  const missing = (await Promise.all(names.map(async (name) => ((await isThere(name)) ? [] : [name])))).flat();
  if (missing.length === 0) return;
  const command = `apt-get install --yes --no-install-recommends ${missing.join(" ")}`;
  if (!debian) {
    throw new KubernetesToolError(
      "package-install",
      `these packages of Debian are needed, or what your system calls them: ${missing.join(", ")}`,
    );
  }
  if (process.getuid?.() !== 0) {
    throw new KubernetesToolError("package-install", `packages are missing: run "sudo ${command}"`);
  }
  report(`installing ${missing.join(", ")}`);
  await install(missing);
}

async function isInstalled(name: string): Promise<boolean> {
  const status = await run("dpkg-query", ["--show", "--showformat=${db:Status-Status}", name]).catch(() => "absent");
  return status === "installed";
}

/** Elsewhere packages have other names, so what counts is the program. */
function hasProgram(packageName: string): boolean {
  const program = PROGRAMS[packageName] ?? packageName;
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return program.startsWith("/") ? existsSync(program) : folders.some((folder) => existsSync(join(folder, program)));
}

async function isDebian(): Promise<boolean> {
  if (!existsSync("/usr/bin/apt-get")) return false;
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release);
}

/** A fresh machine has no package lists, and old lists name files that are gone: when it fails, fetch them and try again. */
async function install(names: readonly string[]): Promise<void> {
  const args = ["install", "--yes", "--no-install-recommends", ...names];
  try {
    await apt(args);
  } catch {
    await apt(["update"]);
    await apt(args);
  }
}

/** Run level 1 is what keeps the services of freshly installed packages from being started. */
async function apt(args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  await run("apt-get", ["-o", "DPkg::Lock::Timeout=300", ...args], { env, code: "package-install" });
}
