/** The images that most official tests ask for, under the names by which they ask; each made from what was built here and from Debian packages. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

import { areBuilt, buildInit, buildPrograms, programPath } from "../build.ts";
import { agnhostProgram, conformancePrograms } from "../go-module.ts";
import { takeLock } from "../lock.ts";
import { cacheFolder } from "../paths.ts";
import type { Progress } from "../progress.ts";
import { DEFAULT_RELEASE } from "../releases.ts";
import { writeOciArchive } from "./oci-archive.ts";
import type { ImageConfig } from "./oci-archive.ts";
import { addProgram, addShell, makeRoot } from "./root-file-system.ts";

interface Recipe {
  readonly reference: string;
  readonly config: ImageConfig;
  readonly fill: (root: string, progress: Progress) => Promise<void>;
}

const agnhost = agnhostProgram(DEFAULT_RELEASE.kubernetes);

const RECIPES: readonly Recipe[] = [
  {
    reference: "registry.k8s.io/pause:3.10.2",
    config: { Entrypoint: ["/pause"], User: "65535:65535" },
    fill: async (root, progress) => addProgram(root, "pause", await buildInit(progress)),
  },
  {
    reference: "registry.k8s.io/e2e-test-images/busybox:1.37.0-1",
    config: { Cmd: ["sh"] },
    fill: async (root) => {
      await makeRoot(root);
      await addShell(root);
    },
  },
  {
    reference: "registry.k8s.io/e2e-test-images/agnhost:2.63.0",
    config: { Entrypoint: ["/agnhost"], Cmd: ["pause"] },
    fill: async (root, progress) => {
      await buildPrograms([agnhost], progress);
      await makeRoot(root);
      await addShell(root);
      await addProgram(root, "agnhost", programPath(agnhost));
      await symlink("agnhost", join(root, "agnhost-2"));
    },
  },
];

/** Builds the images that are not there yet; gives the paths of their OCI archives. */
export async function buildConformanceImages(progress: Progress): Promise<string[]> {
  const fingerprint = createHash("sha256").update(readFileSync(new URL(import.meta.url)));
  const folder = join(cacheFolder(), `conformance-images-${fingerprint.digest("hex").slice(0, 12)}`);
  const archives: string[] = [];
  for (const recipe of RECIPES) archives.push(await buildOne(recipe, folder, progress));
  return archives;
}

async function buildOne({ reference, config, fill }: Recipe, folder: string, progress: Progress): Promise<string> {
  const name = reference.slice(reference.lastIndexOf("/") + 1).replace(":", "-");
  const archive = join(folder, `${name}.tar`);
  await using _lock = await takeLock(archive);
  if (existsSync(archive)) return archive;
  const root = join(folder, `${name}.root`);
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  await fill(root, progress);
  await writeOciArchive(archive, { reference, root, config });
  await rm(root, { recursive: true, force: true });
  return archive;
}

/** Whether the official tests and the program of their images were built before. */
export function areConformanceProgramsBuilt(): boolean {
  return areBuilt([...conformancePrograms(DEFAULT_RELEASE.kubernetes), agnhost]);
}
