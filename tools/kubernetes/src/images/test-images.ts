/** The images that the tests run, each made from what was built here and from Debian packages. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { buildInit, buildPrograms, programPath } from "../build.ts";
import { KubernetesToolError } from "../errors.ts";
import { etcdToolPrograms } from "../go-module.ts";
import { takeLock } from "../lock.ts";
import { cacheFolder } from "../paths.ts";
import { silentProgress } from "../progress.ts";
import type { Progress } from "../progress.ts";
import { ETCD_VERSIONS } from "../releases.ts";
import { cloudNativePgRecipes } from "./cloudnative-pg.ts";
import { mariadbRecipes } from "./mariadb.ts";
import { addPackages, addProgram, addShell, makeRoot } from "./root-file-system.ts";
import { writeImage } from "./write-image.ts";
import type { ImageRecipe } from "./write-image.ts";

/** A test image on disk. */
export interface TestImage {
  /** memcached, etcd-3.6 and so on. */
  readonly name: string;
  /** The reference in pods. */
  readonly reference: string;
  /** The path of its OCI archive. */
  readonly archive: string;
}

/** How a test image is made. */
export interface Recipe extends Omit<ImageRecipe, "references"> {
  readonly name: string;
  readonly reference: string;
}

/** The pause image, which every node has. */
export const PAUSE_IMAGE = "capstan.test/pause:1";

const RECIPES: readonly Recipe[] = [
  {
    name: "pause",
    reference: PAUSE_IMAGE,
    config: { Entrypoint: ["/pause"], User: "65535:65535" },
    fill: async (root, progress) => addProgram(root, "pause", await buildInit(progress)),
  },
  {
    name: "busybox",
    reference: "capstan.test/busybox:1",
    config: { Cmd: ["sh"] },
    fill: async (root) => {
      await makeRoot(root);
      await addShell(root);
    },
  },
  {
    name: "memcached",
    reference: "capstan.test/memcached:1.6",
    config: { Cmd: ["memcached"], User: "65534", ExposedPorts: { "11211/tcp": {} } },
    fill: async (root) => {
      await makeRoot(root);
      await addPackages(root, ["memcached"]);
      await addShell(root);
    },
  },
  {
    name: "node",
    reference: "capstan.test/node:24",
    config: { Cmd: ["node"] },
    fill: fillNode,
  },
  ...ETCD_VERSIONS.map(etcdRecipe),
  ...cloudNativePgRecipes,
  ...mariadbRecipes,
];

/** The names of the images that can be built. */
export const TEST_IMAGES: readonly string[] = RECIPES.map((recipe) => recipe.name);

/** Builds test images, all or those named; one that exists is kept. */
export async function buildTestImages(
  options: { only?: readonly string[]; folder?: string; progress?: Progress } = {},
): Promise<TestImage[]> {
  const { only = [], folder = imagesFolder(), progress = silentProgress } = options;
  const recipes = only.length === 0 ? RECIPES : only.map(findRecipe);
  const images: TestImage[] = [];
  for (const recipe of recipes) images.push(await buildImage(recipe, folder, progress));
  return images;
}

/** Builds the image of a Node program: one file without dependencies, or bundled into one. It is rebuilt each time. */
export async function buildNodeImage(options: { reference: string; program: string; archive: string }): Promise<void> {
  const { reference, program, archive } = options;
  const config = { Entrypoint: ["node", "/app/main.mjs"], User: "65534" };
  const fill = async (root: string): Promise<void> => {
    await fillNode(root);
    await addProgram(root, "app/main.mjs", program);
  };
  await using _lock = await takeLock(archive);
  await writeImage({ references: [reference], config, fill }, archive, silentProgress);
}

/** Images are kept by what makes them: the recipes of this folder and the version of Node. */
function imagesFolder(): string {
  const fingerprint = createHash("sha256").update(process.version);
  for (const file of [
    "cloudnative-pg.ts",
    "mariadb.ts",
    "oci-archive.ts",
    "root-file-system.ts",
    "test-images.ts",
    "write-image.ts",
  ]) {
    fingerprint.update(readFileSync(new URL(file, import.meta.url)));
  }
  return join(cacheFolder(), `images-${fingerprint.digest("hex").slice(0, 12)}`);
}

async function fillNode(root: string): Promise<void> {
  await makeRoot(root);
  await addPackages(root, ["libstdc++6"]);
  await addShell(root);
  await addProgram(root, "usr/local/bin/node", process.execPath);
}

function etcdRecipe(version: string): Recipe {
  const programs = etcdToolPrograms(version);
  const minor = version.split(".").slice(0, 2).join(".");
  return {
    name: `etcd-${minor}`,
    reference: `capstan.test/etcd:${version}`,
    config: { Cmd: ["etcd"], ExposedPorts: { "2379/tcp": {}, "2380/tcp": {} } },
    fill: async (root, progress) => {
      await buildPrograms(programs, progress);
      await makeRoot(root);
      await addShell(root);
      for (const program of programs) await addProgram(root, `usr/local/bin/${program.name}`, programPath(program));
    },
  };
}

function findRecipe(name: string): Recipe {
  const found = RECIPES.find((recipe) => recipe.name === name);
  if (found) return found;
  throw new KubernetesToolError("usage", `there is no image ${JSON.stringify(name)}: use ${TEST_IMAGES.join(", ")}`);
}

async function buildImage(recipe: Recipe, folder: string, progress: Progress): Promise<TestImage> {
  const archive = join(folder, `${recipe.reference.split("/").at(-1)?.replace(":", "-")}.tar`);
  await using _lock = await takeLock(archive);
  if (!existsSync(archive)) await writeImage({ ...recipe, references: [recipe.reference] }, archive, progress);
  return { name: recipe.name, reference: recipe.reference, archive };
}
