/** Opens what commands of catalogs are given: folders, templates, bundles and images. */
import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  bundleLabels,
  type BundleFiles,
  type CatalogConfig,
  catalogLabel,
  configOf,
  describeBundle,
  type DescribedBundle,
  emptyConfig,
  isBundleFolder,
  isTemplate,
  openContentImage,
  readBundleImage,
  readConfigFolder,
  readDocuments,
  readFolder,
  renderTemplate,
} from "@capstan/bundle";
import { type Descriptor, openStore, parseReference, type Store } from "@capstan/oci";
import { CliError } from "../errors.ts";
import { findBuilt, pull, type Transfer } from "../registry/images.ts";

/** How references become blobs. */
export interface Rendering extends Transfer {
  /** The image of a bundle's folder, with {package}, {name} and {version}. */
  readonly imageTemplate: string;
}

/** The blobs of a reference: a folder with a catalog or a bundle, a template's file, or an image of either. */
export async function renderReference(reference: string, rendering: Rendering): Promise<CatalogConfig> {
  const path = resolve(rendering.terminal.cwd, reference);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true && !(await isBundleFolder(path))) return readConfigFolder(path);
  if (found?.isFile() === true) return renderFile(path, rendering);
  if (found === undefined) return renderImage(reference, rendering);
  return { ...emptyConfig(), bundles: [(await describeReference(reference, rendering)).blob] };
}

/** A file is a template, or a part of a catalog. */
async function renderFile(path: string, rendering: Rendering): Promise<CatalogConfig> {
  const documents = await Array.fromAsync(readDocuments(createReadStream(path)));
  const [first = null] = documents;
  if (documents.length === 1 && isTemplate(first))
    return renderTemplate(first, async (image) => describeReference(image, rendering));
  return configOf(documents);
}

/** The bundle of a folder or an image. */
export async function describeReference(reference: string, rendering: Rendering): Promise<DescribedBundle> {
  const path = resolve(rendering.terminal.cwd, reference);
  if (await isBundleFolder(path)) return describeFolder(await readFolder(path), rendering.imageTemplate);
  return withImage(reference, rendering, async ({ descriptor, store }) =>
    describeBundle(await readBundleImage(descriptor, store), { image: reference, content: "objects" }),
  );
}

function describeFolder(files: BundleFiles, template: string): DescribedBundle {
  const found = describeBundle(files, { image: "", content: "objects" });
  if (template === "") return found;
  const values = { package: found.blob.package, name: found.blob.name, version: found.version };
  const image = template.replaceAll(/\{\{?\s*\.?(package|name|version)\s*\}\}?/gi, (_all, key: string) => {
    const name = key.toLowerCase();
    return name === "package" ? values.package : name === "name" ? values.name : values.version;
  });
  return describeBundle(files, { image, content: "objects" });
}

interface OpenImage {
  readonly descriptor: Descriptor;
  readonly store: Store;
}

/** Works with an image that was built here, or that is pulled into a folder that is gone afterwards. */
export async function withImage<T>(
  name: string,
  transfer: Transfer,
  work: (image: OpenImage) => Promise<T>,
): Promise<T> {
  const reference = parseReference(name);
  const built = await findBuilt(reference, transfer.terminal);
  if (built !== undefined) return work(built);
  const folder = await mkdtemp(join(tmpdir(), "capstan-catalog-pull-"));
  try {
    const store = await openStore(folder);
    return await work({ descriptor: await pull(reference, store, transfer), store });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function renderImage(name: string, rendering: Rendering): Promise<CatalogConfig> {
  return withImage(name, rendering, async ({ descriptor, store }) => {
    const { config } = await store.image(descriptor, { os: "linux", architecture: "amd64" });
    const labels = config.config?.Labels ?? {};
    if (labels[catalogLabel] !== undefined) {
      await using content = await openContentImage(descriptor, store);
      return content.config();
    }
    if (labels[bundleLabels.package] === undefined)
      throw new CliError("BadInput", `${name} is neither a catalog nor a bundle: it lacks the labels of both`);
    const files = await readBundleImage(descriptor, store);
    const { blob } = describeBundle(files, { image: name, content: "objects" });
    return { ...emptyConfig(), bundles: [blob] };
  });
}
