/** A bundle: its objects, its ClusterServiceVersion, its CRDs and what its metadata say; read as OLM's tools read it. */
import { gzipSync } from "node:zlib";
import type { Csv } from "../csv.ts";
import { decode } from "../decode/decode.ts";
import { csvType } from "../decode/csv-type.ts";
import { builtIn } from "../decode/built-in.ts";
import type { JsonObject } from "../decode/json.ts";
import { type BundleFiles, filesIn, foldersIn } from "./files.ts";
import { readMetadata, type BundleMetadata } from "./metadata.ts";
import { type BundleObject, readObject, textAt } from "./object.ts";

/** A bundle that could be read. */
export interface Bundle {
  readonly files: BundleFiles;
  readonly metadata: BundleMetadata;
  /** Where the manifests are, from the root. */
  readonly manifests: string;
  /** The name of the ClusterServiceVersion. */
  readonly name: string;
  readonly csv: Csv;
  readonly objects: readonly BundleObject[];
  readonly crds: readonly BundleObject[];
  readonly oldCrds: readonly BundleObject[];
  /** Bytes of all manifests, as they are and compressed as OLM stores them. */
  readonly size: number;
  readonly compressedSize: number;
}

/** A bundle, or everything that kept it from being one. */
export type ReadBundle =
  | { readonly bundle: Bundle; readonly metadata: BundleMetadata }
  | { readonly problems: readonly string[]; readonly metadata: BundleMetadata };

/** Reads a bundle from its files. */
export function readBundle(files: BundleFiles): ReadBundle {
  const metadata = readMetadata(files);
  const manifests = metadata.manifests;
  const found = findCsvFolder(files, manifests);
  if (found === undefined) {
    const isThere = [...files.keys()].some((path) => path.startsWith(`${manifests}/`));
    const missing = isThere || manifests === "" ? [] : [`lstat ${manifests}: no such file or directory`];
    return { problems: [...missing, `unable to find a csv in bundle directory ${manifests}`], metadata };
  }
  const loaded = loadFolder(files, found.folder);
  const unloaded = `unable to load bundle from directory ${manifests}`;
  if ("fatal" in loaded) return { problems: [loading(loaded.fatal), "no bundle csv found", unloaded], metadata };
  const { csv, problems } = loaded;
  const first = problems.length > 0 ? [loading(aggregate(problems))] : [];
  if (csv === undefined) return { problems: [...first, "no bundle csv found", unloaded], metadata };
  if (first.length > 0) return { problems: first, metadata };
  const { size, compressedSize } = sizesOf(files, manifests);
  const { objects, crds, oldCrds } = loaded;
  return {
    metadata,
    bundle: { files, metadata, manifests, name: found.name, csv, objects, crds, oldCrds, size, compressedSize },
  };
}

function loading(problem: string): string {
  return `error loading objs in directory: ${problem}`;
}

/** One problem as it is, several in brackets, without duplicates. */
export function aggregate(problems: readonly string[]): string {
  const once = [...new Set(problems)];
  return once.length === 1 ? (once[0] ?? "") : `[${once.join(", ")}]`;
}

/** The last file with a ClusterServiceVersion decides where the manifests are; hidden files and folders do not count. */
function findCsvFolder(files: BundleFiles, root: string): { folder: string; name: string } | undefined {
  const prefix = root === "" ? "" : `${root}/`;
  let found: { folder: string; name: string } | undefined;
  for (const path of [...files.keys()].filter((one) => one.startsWith(prefix)).sort()) {
    if (
      path
        .slice(prefix.length)
        .split("/")
        .some((part) => part.startsWith("."))
    )
      continue;
    const read = readObject(files.get(path) ?? new Uint8Array());
    if ("problem" in read || textAt(read.value, "kind") !== "ClusterServiceVersion") continue;
    found = { folder: path.slice(0, Math.max(0, path.lastIndexOf("/"))), name: textAt(read.value, "metadata", "name") };
  }
  return found;
}

interface Loaded {
  readonly csv: Csv | undefined;
  readonly objects: BundleObject[];
  readonly crds: BundleObject[];
  readonly oldCrds: BundleObject[];
  readonly problems: readonly string[];
}

function loadFolder(files: BundleFiles, folder: string): Loaded | { readonly fatal: string } {
  const problems: string[] = [];
  const loaded = { objects: [] as BundleObject[], crds: [] as BundleObject[], oldCrds: [] as BundleObject[] };
  let csv: Csv | undefined;
  for (const name of namesIn(files, folder)) {
    const path = folder === "" ? name : `${folder}/${name}`;
    const bytes = files.get(path);
    if (bytes === undefined) problems.push(`bundle manifests dir contains directory: ${path}`);
    else if (name.startsWith(".")) problems.push(`bundle manifests dir has hidden file: ${path}`);
    else {
      const read = readObject(bytes);
      if ("problem" in read) {
        problems.push(`unable to decode object: ${read.problem}`);
        continue;
      }
      const object = { file: path, value: read.value };
      loaded.objects.push(object);
      const kind = textAt(read.value, "kind");
      if (kind === "ClusterServiceVersion") {
        if (csv !== undefined) return { fatal: "invalid bundle: contains multiple CSVs" };
        const parsed = parseCsv(object, name);
        if ("fatal" in parsed) return parsed;
        ({ csv } = parsed);
      } else if (kind === "CustomResourceDefinition") {
        const refused = addCrd(object, name, loaded);
        if (refused !== undefined) return { fatal: refused };
      }
    }
  }
  return { ...loaded, csv, problems };
}

function namesIn(files: BundleFiles, folder: string): string[] {
  return [...filesIn(files, folder).map(([name]) => name), ...foldersIn(files, folder)].sort();
}

const decoding = "error unmarshaling JSON: while decoding JSON: ";

function parseCsv({ value }: BundleObject, name: string): { readonly csv: Csv } | { readonly fatal: string } {
  const { value: csv, problem } = decode(value, csvType);
  if (problem !== undefined) return { fatal: `unable to parse CSV ${name}: ${decoding}${problem}` };
  // Decoding left nothing that does not have the declared type.
  return { csv: csv as Csv };
}

const crdDefinition = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition";

function addCrd(
  object: BundleObject,
  name: string,
  { crds, oldCrds }: Pick<Loaded, "crds" | "oldCrds">,
): string | undefined {
  const version = textAt(object.value, "apiVersion");
  if (version !== "apiextensions.k8s.io/v1" && version !== "apiextensions.k8s.io/v1beta1")
    return `unsupported CRD version ${version} for ${name}`;
  const { value, problem } = decode(object.value, builtIn(crdDefinition));
  const isOld = version.endsWith("v1beta1");
  // The old version has other fields and is not decoded.
  if (problem !== undefined && !isOld) return `unable to parse CRD ${name}: ${decoding}${problem}`;
  (isOld ? oldCrds : crds).push(isOld ? object : { ...object, value: value as JsonObject });
  return undefined;
}

/** Every file counts by itself: compressed, then written in base64. */
function sizesOf(files: BundleFiles, root: string): { size: number; compressedSize: number } {
  let [size, compressedSize] = [0, 0];
  for (const [path, bytes] of files) {
    if (root !== "" && !path.startsWith(`${root}/`)) continue;
    size += bytes.length;
    compressedSize += Math.ceil(gzipSync(bytes).length / 3) * 4;
  }
  return { size, compressedSize };
}
