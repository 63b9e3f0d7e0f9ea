/** Builds an image from its recipe, completely or not at all. */

import { createHash } from "node:crypto";
import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { cacheFolder } from "../paths.ts";
import type { Progress } from "../progress.ts";
import { writeOciArchive } from "./oci-archive.ts";
import type { ImageConfig } from "./oci-archive.ts";

/** The references, configuration and content of an image. */
export interface ImageRecipe {
  readonly references: readonly string[];
  readonly config: ImageConfig;
  fill(root: string, progress: Progress): Promise<void>;
}

/** The folder of an image in the making is named after its archive, so that what a killed run left is cleared by the next. */
export async function writeImage(recipe: ImageRecipe, archive: string, progress: Progress): Promise<void> {
  const workshop = join(cacheFolder(), "workshop", createHash("sha256").update(archive).digest("hex").slice(0, 12));
  await rm(workshop, { recursive: true, force: true });
  const step = progress.step(`making image ${recipe.references.join(" and ")}`);
  try {
    const root = join(workshop, "root");
    await mkdir(root, { recursive: true });
    await chmod(root, 0o755);
    await recipe.fill(root, progress);
    await writeOciArchive(archive, { references: recipe.references, root, config: recipe.config });
    step.done();
  } catch (error) {
    step.done("failed");
    throw error;
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}
