/** Opens a bundle: a folder, an image layout on disk, or an image in a registry. */
import { access } from "node:fs/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type BundleFiles, readBundleImage, readFolder } from "@capstan/bundle";
import { openStore, parseReference } from "@capstan/oci";
import { CliError } from "../errors.ts";
import { readText } from "../project/disk.ts";
import { brokenFiles } from "./broken-files.ts";
import { findBuilt, pull, type Transfer } from "../registry/images.ts";

/** The default bundle: the output folder of `capstan bundle generate`. */
export const ownBundle = "./bundle";

/** Reads the files of a bundle and logs those that cannot be parsed. */
export async function openBundle(name: string, transfer: Transfer): Promise<BundleFiles> {
  const files = await find(name, transfer);
  for (const line of brokenFiles(files)) transfer.terminal.err(`capstan: ${line}\n`);
  return files;
}

async function find(name: string, transfer: Transfer): Promise<BundleFiles> {
  const folder = resolve(transfer.terminal.cwd, name);
  if (await isThere(join(folder, "oci-layout"))) return fromLayout(folder);
  if (await isThere(folder)) return readFolder(folder);
  return fromImage(name, transfer);
}

async function fromLayout(folder: string): Promise<BundleFiles> {
  await mustBeLayout(folder);
  const store = await openStore(folder);
  const [only, ...more] = await store.list();
  if (only === undefined || more.length > 0)
    throw new CliError(
      "BadInput",
      `${folder} has ${more.length === 0 ? "no" : "several"} images; name a layout with one`,
    );
  return readBundleImage(only.descriptor, store);
}

/** Opening a store creates missing files, which must not happen in an arbitrary folder. */
async function mustBeLayout(folder: string): Promise<void> {
  for (const name of ["oci-layout", "index.json"]) {
    const text = await readText(join(folder, name));
    try {
      JSON.parse(text);
    } catch (cause) {
      throw new CliError(
        "BadInput",
        `${folder} is no image layout: ${name} cannot be read, it may have been cut short`,
        { cause },
      );
    }
  }
}

/** A locally built image needs no registry. */
async function fromImage(name: string, transfer: Transfer): Promise<BundleFiles> {
  const reference = parseName(name);
  const built = await findBuilt(reference, transfer.terminal);
  if (built !== undefined) return readBundleImage(built.descriptor, built.store);
  const folder = await mkdtemp(join(tmpdir(), "capstan-pull-"));
  try {
    const store = await openStore(folder);
    return await readBundleImage(await pull(reference, store, transfer), store);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parseName(name: string): ReturnType<typeof parseReference> {
  if (/^(\.|\/|~)/.test(name)) {
    const advice = name === ownBundle ? ": make it with capstan bundle generate, or name another bundle" : "";
    throw new CliError("BadInput", `there is no folder ${name}${advice}`);
  }
  return parseReference(name);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
