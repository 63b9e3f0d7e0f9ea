/** The images that the official tests ask for, under the names by which they ask: made when a run wants them, and kept. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { areBuilt, buildOwn, buildPrograms, moduleFolder, programPath } from "../build.ts";
import { run } from "../command.ts";
import { KubernetesToolError } from "../errors.ts";
import { agnhostProgram, conformancePrograms } from "../go-module.ts";
import { takeLock } from "../lock.ts";
import { cacheFolder } from "../paths.ts";
import type { Progress } from "../progress.ts";
import { DEFAULT_RELEASE } from "../releases.ts";
import { CONFORMANCE_RECIPES } from "./conformance-recipes.ts";
import type { ConformanceRecipe, Sources } from "./conformance-recipes.ts";
import { writeImage } from "./write-image.ts";

/** An image and all names under which tests ask for it. */
export interface ConformanceImage {
  readonly recipe: ConformanceRecipe;
  readonly references: readonly string[];
}

/** Tests want images of other registries not to be there. */
const REGISTRY = "registry.k8s.io/";

const programs = conformancePrograms(DEFAULT_RELEASE.kubernetes);

/** The images that most tests get along with, and which are made quickly. */
export const COMMON_CONFORMANCE_IMAGES: readonly string[] = ["pause", "busybox", "agnhost"];

/** Builds the images that are not there yet, all or those named; gives the paths of their OCI archives. */
export async function buildConformanceImages(progress: Progress, only?: readonly string[]): Promise<string[]> {
  const images = toImages(await listReferences(progress)).filter(({ recipe }) => only?.includes(recipe.name) ?? true);
  const archives: string[] = [];
  for (const image of images) archives.push(await buildOne(image, progress));
  return archives;
}

/** The image names that the test program prints; its tests use them by release. */
export async function listReferences(progress: Progress): Promise<string[]> {
  const [tests] = programs;
  if (tests === undefined) return [];
  await buildPrograms([tests], progress);
  const told = await run(programPath(tests), ["--list-images"]);
  return told.split("\n").filter(Boolean).toSorted();
}

/** Finds the names of every image that can be built; an unused recipe is an error. */
export function toImages(told: readonly string[]): ConformanceImage[] {
  const byName = Map.groupBy(
    told.filter((reference) => reference.startsWith(REGISTRY)),
    (reference) => parseReference(reference).name,
  );
  return CONFORMANCE_RECIPES.map((recipe) => {
    const references = byName.get(recipe.name);
    if (references !== undefined) return { recipe, references };
    throw new KubernetesToolError("usage", `the official tests know no image ${recipe.name}: take its recipe away`);
  });
}

/** The last part of a name and its tag: etcd and 3.6.8-0 of registry.k8s.io/etcd:3.6.8-0. */
function parseReference(reference: string): { readonly name: string; readonly tag: string } {
  const [name = "", tag = ""] = reference.slice(reference.lastIndexOf("/") + 1).split(":");
  return { name, tag };
}

async function buildOne({ recipe, references }: ConformanceImage, progress: Progress): Promise<string> {
  const archive = join(imagesFolder(), `${recipe.name}.tar`);
  const whenWaiting = (): void => progress.note(`waiting for another to make image ${recipe.name}`);
  await using _lock = await takeLock(archive, { whenWaiting });
  if (existsSync(archive)) return archive;
  const { tag } = parseReference(references[0] ?? "");
  const fill = async (root: string): Promise<void> => recipe.fill(root, sourcesHere(progress), tag);
  await writeImage({ references, config: recipe.config, fill }, archive, progress);
  return archive;
}

/** Images are cached by their recipes and the release. */
function imagesFolder(): string {
  const fingerprint = createHash("sha256").update(DEFAULT_RELEASE.kubernetes);
  const files = ["conformance-images.ts", "conformance-recipes.ts", "oci-archive.ts", "root-file-system.ts"];
  for (const file of [...files, "write-image.ts", "../../go/init/main.go", "../../go/shell/main.go"]) {
    fingerprint.update(readFileSync(new URL(file, import.meta.url)));
  }
  return join(cacheFolder(), `conformance-images-${fingerprint.digest("hex").slice(0, 12)}`);
}

function sourcesHere(progress: Progress): Sources {
  return {
    program: async (program) => {
      await buildPrograms([program], progress);
      return programPath(program);
    },
    own: async (name) => buildOwn(name, progress),
    folder: moduleFolder,
  };
}

/** Whether the official tests and the program of their images were built before. */
export function areConformanceProgramsBuilt(): boolean {
  return areBuilt([...programs, agnhostProgram(DEFAULT_RELEASE.kubernetes)]);
}
