/** Packs packages with `npm pack`, and installed packages of others, so that a registry on loopback can serve both. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Candidate, PublishedManifest } from "./manifest-problems.ts";
import type { Stored } from "./registry.ts";
import { installedFolders, type Lock } from "./third-party.ts";

/** A packed package of ours. */
export interface Packed extends Candidate {
  /** The path of the tarball. */
  readonly tarball: string;
  readonly bytes: number;
  readonly unpackedBytes: number;
}

/** The folders of the packages that are published. */
export function publishedFolders(): readonly string[] {
  return globSync(["packages/*/package.json", "apps/*/package.json"])
    .filter((file) => !(readManifest(dirname(file)) as { readonly private?: boolean }).private)
    .map(dirname)
    .sort();
}

/** Packs our packages into a folder. They are built before; so scripts do not run. */
export function packOurs(into: string): readonly Packed[] {
  const folders = publishedFolders();
  const made = npmPack(folders, into);
  return folders.map((folder) => {
    const manifest = readManifest(folder);
    const { filename, size, unpackedSize, files } = find(made, manifest);
    const tarball = join(into, filename);
    return {
      folder,
      manifest,
      files: files.map(({ path }) => path),
      tarball,
      bytes: size,
      unpackedBytes: unpackedSize,
    };
  });
}

/** Packs what our packages and a new project need from others, as installed here. */
export function packOthers(ours: readonly Packed[], into: string): readonly Stored[] {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;
  const names = ours.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}));
  const folders = installedFolders([...names, ...ofProjects], lock).filter((folder) => isInstalled(folder));
  const made = npmPack(folders, into);
  // The version that is resolved first is the one at the top: it is stored last, so that it is the latest.
  return folders.toReversed().map((folder) => {
    const manifest = readManifest(folder);
    return { manifest, tarball: readFileSync(join(into, find(made, manifest).filename)) };
  });
}

/** The packages that `capstan init` lists in a project. */
const ofProjects = ["typescript", "@types/node"];

/** Packages for other platforms are in the lock file only. */
function isInstalled(folder: string): boolean {
  return globSync(`${folder}/package.json`).length > 0;
}

interface Made {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

function npmPack(folders: readonly string[], into: string): readonly Made[] {
  const specs = folders.map((folder) => `./${folder}`);
  const text = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", into, ...specs], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return Object.values(JSON.parse(text) as readonly Made[]);
}

function find(made: readonly Made[], { name, version }: PublishedManifest): Made {
  const found = made.find((each) => each.name === name && each.version === version);
  if (found === undefined) throw new Error(`npm pack made no tarball of ${name}@${version}`);
  return found;
}

function readManifest(folder: string): PublishedManifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PublishedManifest;
}
