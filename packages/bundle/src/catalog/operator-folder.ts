/** Catalogs from raw bundles, as OperatorHub's repositories keep them: a folder for each package with one folder for each version. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "@capstan/model";
import { compareText, isObject, type JsonObject } from "../decode/json.ts";
import { parseYaml } from "../decode/yaml.ts";
import { readFolder } from "../read/files.ts";
import type { PackageBlob } from "./blobs.ts";
import { type CatalogConfig, emptyConfig } from "./config.ts";
import { describeBundle, type DescribedBundle } from "./describe-bundle.ts";
import { CatalogError } from "./errors.ts";
import { headOf } from "./graph.ts";
import { channelsOf, sortByVersion, type UpdateGraph } from "./update-graph.ts";

/** How raw bundles become a catalog. */
export interface OperatorFolderOptions {
  /** The image of a bundle, by its package and version. */
  readonly imageOf: (bundle: { readonly package: string; readonly name: string; readonly version: string }) => string;
  /** Instead of what ci.yaml says. */
  readonly updateGraph?: UpdateGraph;
  /** Reports a folder that is left out because it contains no readable bundle. */
  readonly onProblem?: (folder: string, problem: string) => void;
}

/** Reads a package's folder, or a folder of such folders. */
export async function readOperatorFolder(folder: string, options: OperatorFolderOptions): Promise<CatalogConfig> {
  if (await isPackage(folder)) return readPackage(folder, options);
  const config = emptyConfig();
  for (const name of await foldersIn(folder)) {
    if (!(await isPackage(join(folder, name)))) continue;
    const found = await readPackage(join(folder, name), options);
    config.packages.push(...found.packages);
    config.channels.push(...found.channels);
    config.bundles.push(...found.bundles);
  }
  if (config.packages.length > 0) return config;
  throw new CatalogError(
    "NotFound",
    `there are no bundles in ${folder}; a package's folder has one folder with manifests/ and metadata/ for each version`,
  );
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new CatalogError("NotFound", `there is no folder ${folder}`, { cause });
  });
  const found: string[] = [];
  for (const entry of entries)
    if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(join(folder, entry.name)))))
      found.push(entry.name);
  return found.sort(compareText);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Whether a folder has the two folders of a bundle. */
export async function isBundleFolder(folder: string): Promise<boolean> {
  return (await isFolder(join(folder, "manifests"))) && (await isFolder(join(folder, "metadata")));
}

async function isPackage(folder: string): Promise<boolean> {
  for (const name of await foldersIn(folder)) if (await isBundleFolder(join(folder, name))) return true;
  return false;
}

async function readPackage(folder: string, options: OperatorFolderOptions): Promise<CatalogConfig> {
  const bundles: DescribedBundle[] = [];
  for (const name of await foldersIn(folder)) {
    const path = join(folder, name);
    if (!(await isBundleFolder(path))) continue;
    const bundle = await readOne(path, options);
    if (bundle !== undefined) bundles.push(bundle);
  }
  const names = [...new Set(bundles.map(({ blob }) => blob.package))];
  if (names.length > 1)
    throw new CatalogError("Invalid", `the bundles of ${folder} belong to several packages: ${names.join(", ")}`);
  const sorted = sortByVersion(bundles);
  const channels = channelsOf(bundles, options.updateGraph ?? (await updateGraphOf(folder)));
  const packages =
    bundles.length === 0
      ? []
      : [
          packageOf(
            sorted.map(({ bundle }) => bundle),
            channels,
          ),
        ];
  return { packages, channels, bundles: sorted.map(({ bundle }) => bundle.blob), deprecations: [], others: [] };
}

async function readOne(path: string, options: OperatorFolderOptions): Promise<DescribedBundle | undefined> {
  try {
    const files = await readFolder(path);
    const { blob, version } = describeBundle(files, { image: "", content: "objects" });
    const image = options.imageOf({ package: blob.package, name: blob.name, version });
    return describeBundle(files, { image, content: "csv-metadata" });
  } catch (error) {
    if (options.onProblem === undefined || !(error instanceof Error)) throw error;
    options.onProblem(path, error.message);
    return undefined;
  }
}

/** What ci.yaml says; without the key, versions decide. */
async function updateGraphOf(folder: string): Promise<UpdateGraph> {
  const text = await readFile(join(folder, "ci.yaml"), "utf8").catch(() => "");
  const parsed = parseYaml(text);
  const found = parsed.ok && isObject(parsed.value) ? parsed.value["updateGraph"] : undefined;
  if (found === "replaces-mode" || found === "semver-skippatch-mode") return found;
  return found === "semver-skippatch" ? "semver-skippatch-mode" : "semver-mode";
}

/** The package, with the description and the icon of the head of its default channel. */
function packageOf(bundles: readonly DescribedBundle[], channels: CatalogConfig["channels"]): PackageBlob {
  const { newest, defaultChannel } = defaultChannelOf(bundles, channels);
  const entries = channels.find(({ name }) => name === defaultChannel)?.entries ?? [];
  const head = headOf({ entries: new Map(entries.map((entry) => [entry.name, entry])) });
  const found = "entry" in head ? bundles.find(({ blob }) => blob.name === head.entry.name) : newest;
  const { csv = {}, blob } = found ?? newest ?? {};
  return { name: blob?.package ?? "", defaultChannel, ...displayOf(csv), properties: [] };
}

/** The default channel that the newest bundle names; a channel that does not exist does not count. */
function defaultChannelOf(
  bundles: readonly DescribedBundle[],
  channels: CatalogConfig["channels"],
): { readonly newest: DescribedBundle | undefined; readonly defaultChannel: string } {
  const names = new Set(channels.map(({ name }) => name));
  const named = bundles.findLast((bundle) => names.has(bundle.defaultChannel));
  const newest = named ?? bundles.at(-1);
  const [first = ""] = [...(newest?.channels ?? [])].sort(compareText);
  return { newest, defaultChannel: named?.defaultChannel ?? first };
}

/** The icon and the description of a ClusterServiceVersion, as a package has them. */
export function displayOf(csv: JsonObject): Pick<PackageBlob, "icon" | "description"> {
  return { ...iconOf(csv), ...descriptionOf(csv) };
}

function specOf(csv: JsonObject): JsonObject {
  return isObject(csv["spec"]) ? csv["spec"] : {};
}

function descriptionOf(csv: JsonObject): { readonly description?: string } {
  const { description } = specOf(csv);
  return typeof description === "string" && description !== "" ? { description } : {};
}

function iconOf(csv: JsonObject): Pick<PackageBlob, "icon"> {
  const { icon } = specOf(csv);
  const first: Json | undefined = Array.isArray(icon) ? (icon as readonly Json[])[0] : undefined;
  if (!isObject(first)) return {};
  const { base64data, mediatype } = first;
  if (typeof base64data !== "string" || typeof mediatype !== "string" || base64data === "") return {};
  return { icon: { base64data, mediatype } };
}
