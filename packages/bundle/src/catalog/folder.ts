/** The files of a file-based catalog: all of a folder, but those that an .indexignore file excludes. */
import { createReadStream } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { Json } from "@capstan/model";
import { compareText } from "../decode/json.ts";
import { type Meta, schemas } from "./blobs.ts";
import { addMeta, type CatalogConfig, configOf, emptyConfig, toMeta } from "./config.ts";
import { CatalogError } from "./errors.ts";
import { readDocuments } from "./stream.ts";

const ignoreFile = ".indexignore";
const maxDepth = 32;

/** Reads all blobs of a folder. */
export async function readConfigFolder(folder: string): Promise<CatalogConfig> {
  const config = emptyConfig();
  for await (const { file, document } of readFolderDocuments(folder))
    inFile(file, () => {
      addMeta(config, toMeta(document));
    });
  return config;
}

/** The files of a folder that have blobs of a package, each with all its blobs. */
export async function filesOfPackage(folder: string, name: string): Promise<Map<string, CatalogConfig>> {
  const documents = await Array.fromAsync(readFolderDocuments(folder));
  const byFile = Map.groupBy(documents, ({ file }) => file);
  const own = [...byFile].filter(([, found]) => found.some(({ document }) => belongsTo(toMeta(document), name)));
  return new Map(own.map(([file, found]) => [file, configOf(found.map(({ document }) => document))]));
}

function belongsTo(meta: Meta, name: string): boolean {
  return meta.package === name || (meta.schema === schemas.package && meta.name === name);
}

/** Reads all blobs of a stream, such as a file or the standard input. */
export async function readConfigStream(chunks: AsyncIterable<Uint8Array>): Promise<CatalogConfig> {
  const config = emptyConfig();
  for await (const document of readDocuments(chunks)) addMeta(config, toMeta(document));
  return config;
}

/** A document with the path of its file in the folder. */
export interface FileDocument {
  readonly file: string;
  readonly document: Json;
}

/** How a folder is read. */
export interface FolderReading {
  /** Rejects links that lead out of the folder, as the folder of an untrusted image needs. */
  readonly confined?: boolean;
}

/** The documents of a folder in the order of their paths. */
export async function* readFolderDocuments(
  folder: string,
  { confined = false }: FolderReading = {},
): AsyncGenerator<FileDocument> {
  const found = await stat(folder).catch((cause: unknown) => {
    throw new CatalogError("NotFound", `there is no catalog at ${folder}; name its folder`, { cause });
  });
  if (!found.isDirectory())
    throw new CatalogError("NotFound", `"${folder}" is not a directory; a catalog is a folder with JSON or YAML files`);
  const limit = confined ? await realpath(folder) : undefined;
  for await (const file of walk({ root: folder, path: "", ignores: [], limit })) {
    const documents = readDocuments(createReadStream(join(folder, file), { highWaterMark: 2 ** 18 }));
    for (;;) {
      const next = await documents.next().catch((error: unknown) => {
        throw located(file, error);
      });
      if (next.done === true) break;
      yield { file, document: next.value };
    }
  }
}

/** Names the file in an error of its content. */
export function inFile(file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    throw located(file, error);
  }
}

function located(file: string, error: unknown): unknown {
  if (!(error instanceof CatalogError)) return error;
  return new CatalogError(error.code, `${file}: ${error.message}`, { cause: error });
}

interface Place {
  readonly root: string;
  readonly path: string;
  /** The folder that no link may leave. */
  readonly limit: string | undefined;
  readonly ignores: readonly { readonly base: string; readonly rules: Ignore }[];
}

async function* walk({ root, path, ignores, limit }: Place): AsyncGenerator<string> {
  if (path.split("/").length > maxDepth)
    throw new CatalogError("TooLarge", `${path} lies deeper than ${maxDepth} folders; flatten the catalog`);
  const entries = (await readdir(join(root, path), { withFileTypes: true })).sort((a, b) =>
    compareText(a.name, b.name),
  );
  const own = entries.some(({ name }) => name === ignoreFile)
    ? [{ base: path, rules: ignore().add(await readFile(join(root, path, ignoreFile), "utf8")) }]
    : [];
  const all = [...ignores, ...own];
  for (const entry of entries) {
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isSymbolicLink() && limit !== undefined) await mustBeInside(join(root, below), limit);
    const kind = entry.isSymbolicLink() ? await stat(join(root, below)).catch(() => entry) : entry;
    if (kind.isDirectory()) {
      if (!isIgnored(`${below}/`, all)) yield* walk({ root, path: below, ignores: all, limit });
    } else if (kind.isFile() && entry.name !== ignoreFile && !isIgnored(below, all)) yield below;
  }
}

async function mustBeInside(link: string, limit: string): Promise<void> {
  const real = await realpath(link).catch(() => limit);
  if (real === limit || real.startsWith(`${limit}${sep}`)) return;
  throw new CatalogError("BadReference", `${link} is a link that leads out of the catalog; do not use this image`);
}

/** The rules of the deepest folder decide first. */
function isIgnored(path: string, ignores: Place["ignores"]): boolean {
  for (const { base, rules } of ignores.toReversed()) {
    const verdict = rules.test(base === "" ? path : path.slice(base.length + 1));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}
