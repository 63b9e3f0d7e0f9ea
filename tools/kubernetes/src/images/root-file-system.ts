/** Puts together a root file system: Debian packages unpacked, files of ours beside them, and no installation scripts run. */

import { chmod, copyFile, mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { run } from "../command.ts";
import { KubernetesToolError } from "../errors.ts";
import { takeLock } from "../lock.ts";
import { cacheFolder } from "../paths.ts";

/** Makes the folders and users that programs expect anywhere. */
export async function makeRoot(root: string): Promise<void> {
  const folders = ["usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "usr/local/bin", "etc", "proc", "sys", "dev", "run"];
  for (const folder of [...folders, "var/lib", "var/log", "home"]) await addFolder(root, folder);
  for (const folder of ["tmp", "var/tmp"]) await addFolder(root, folder, 0o1777);
  for (const merged of ["bin", "sbin", "lib", "lib64"]) await symlink(`usr/${merged}`, join(root, merged));
  await addFile(root, "etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/sh\n");
  await addFile(root, "etc/group", "root:x:0:\nnogroup:x:65534:\n");
  await addFile(root, "etc/nsswitch.conf", "hosts: files dns\n");
}

/** Creates a folder and its parents with the given mode, whatever the umask. */
export async function addFolder(root: string, path: string, mode = 0o755): Promise<void> {
  const above = dirname(path);
  if (above !== ".") await addFolder(root, above);
  const made = await mkdir(join(root, path), { recursive: true });
  if (made !== undefined) await chmod(join(root, path), mode);
}

/** Writes a world-readable file. */
export async function addFile(root: string, path: string, content: string | Uint8Array): Promise<void> {
  await addFolder(root, dirname(path));
  await writeFile(join(root, path), content);
  await chmod(join(root, path), 0o644);
}

/** A suite of Debian besides that of this machine, such as `trixie`. */
export type Suite = "trixie";

/** Unpacks Debian packages with the libraries that they depend on but for those named, without documentation. Gives the version of each. */
export async function addPackages(
  root: string,
  names: readonly string[],
  without: readonly string[] = [],
  suite?: Suite,
): Promise<ReadonlyMap<string, string>> {
  const downloads = join(cacheFolder(), suite === undefined ? "packages" : `packages-${suite}`);
  await mkdir(downloads, { recursive: true });
  const versions = new Map<string, string>();
  const wanted = [...names];
  for (let name = wanted.shift(); name !== undefined; name = wanted.shift()) {
    if (versions.has(name) || without.includes(name)) continue;
    const file = await download(name, downloads, suite);
    const fields = await run("dpkg-deb", ["--field", file, "Version", "Depends", "Pre-Depends"]);
    versions.set(name, /^Version: (?:\d+:)?([^-+~\s]+)/m.exec(fields)?.[1] ?? "0");
    wanted.push(...libraries(fields));
    await unpack(file, root);
  }
  for (const folder of ["doc", "man", "locale", "lintian", "bug"]) {
    await rm(join(root, "usr/share", folder), { recursive: true, force: true });
  }
  return versions;
}

/** The library packages in the dependency fields of a package; programs and scripts for installation are left out. */
export function libraries(fields: string): string[] {
  const lists = [...fields.matchAll(/^(?:Pre-)?Depends: (.*)$/gm)].map((match) => match[1] ?? "");
  const first = lists.flatMap((list) => list.split(",")).map((entry) => entry.split("|")[0]?.trim() ?? "");
  return first.map((entry) => entry.split(/[\s:(]/)[0] ?? "").filter((name) => name.startsWith("lib"));
}

/** Copies a program of this machine, executable for all users. */
export async function addProgram(root: string, path: string, from: string): Promise<void> {
  await addFolder(root, dirname(path));
  await copyFile(from, join(root, path));
  await chmod(join(root, path), 0o755);
}

/** A shell and the usual tools, in one static program with many names. */
export async function addShell(root: string): Promise<ReadonlyMap<string, string>> {
  const versions = await addPackages(root, ["busybox-static"]);
  const names = (await run(join(root, "bin/busybox"), ["--list"])).split("\n").filter(Boolean);
  const present = new Set(await readdir(join(root, "usr/bin")));
  const absent = names.filter((name) => !present.has(name));
  await Promise.all(absent.map(async (name) => symlink("busybox", join(root, "usr/bin", name))));
  return versions;
}

/** A package is downloaded once; a lock keeps others from using an incomplete file. */
async function download(name: string, folder: string, suite: Suite | undefined): Promise<string> {
  await using _lock = await takeLock(folder);
  const find = async (): Promise<string | undefined> =>
    (await readdir(folder)).find((file) => file.startsWith(`${name}_`) && file.endsWith(".deb"));
  if ((await find()) === undefined) await fetchPackage(name, folder, suite);
  const file = await find();
  if (file !== undefined) return join(folder, file);
  throw new KubernetesToolError("package-install", `apt-get download ${name} gave no file: run "apt-get update"`);
}

async function fetchPackage(name: string, folder: string, suite: Suite | undefined): Promise<void> {
  const unfinished = join(folder, "unfinished");
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  const place = suite === undefined ? [] : await suiteOptions(suite, folder);
  const args = ["-o", "APT::Sandbox::User=root", ...place, "download", name];
  const fetch = async (): Promise<string> => run("apt-get", args, { cwd: unfinished, code: "package-install" });
  await fetch().catch(async () => {
    await run("apt-get", ["-o", "APT::Sandbox::User=root", ...place, "update"], { code: "package-install" });
    await fetch();
  });
  for (const file of await readdir(unfinished)) await rename(join(unfinished, file), join(folder, file));
}

/** Another suite has its own list of sources, package lists and cache, so that this machine's stay as they are. */
async function suiteOptions(suite: Suite, folder: string): Promise<readonly string[]> {
  const state = join(folder, "apt");
  for (const part of ["lists/partial", "cache/archives/partial"]) await mkdir(join(state, part), { recursive: true });
  const sources = join(state, "sources.list");
  await writeFile(sources, `deb http://deb.debian.org/debian ${suite} main\n`);
  const values = [
    `Dir::Etc::sourcelist=${sources}`,
    "Dir::Etc::sourceparts=-",
    `Dir::State::lists=${join(state, "lists")}`,
    `Dir::Cache=${join(state, "cache")}`,
  ];
  return values.flatMap((value) => ["-o", value]);
}

/** Packages may still have /lib where the root has a link to /usr/lib: tar must go through the link. */
async function unpack(file: string, root: string): Promise<void> {
  const script =
    'dpkg-deb --fsys-tarfile "$1" | tar --extract --preserve-permissions --keep-directory-symlink --directory "$2"';
  await run("bash", ["-euo", "pipefail", "-c", script, "bash", file, root], { code: "package-install" });
}
