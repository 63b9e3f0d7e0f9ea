/** The files of a file-based catalog: all of a folder, but those that an .indexignore file excludes. */
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { Json } from "@capstan/model";
import { compareText } from "../decode/json.ts";
import { addMeta, type CatalogConfig, emptyConfig, toMeta } from "./config.ts";
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

/** The documents of a folder in the order of their paths. */
export async function* readFolderDocuments(folder: string): AsyncGenerator<FileDocument> {
  const found = await stat(folder).catch((cause: unknown) => {
    throw new CatalogError("NotFound", `there is no catalog at ${folder}; name its folder`, { cause });
  });
  if (!found.isDirectory())
    throw new CatalogError("NotFound", `"${folder}" is not a directory; a catalog is a folder with JSON or YAML files`);
  for await (const file of walk({ root: folder, path: "", ignores: [] })) {
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
  readonly ignores: readonly { readonly base: string; readonly rules: Ignore }[];
}

async function* walk({ root, path, ignores }: Place): AsyncGenerator<string> {
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
    const kind = entry.isSymbolicLink() ? await stat(join(root, below)).catch(() => entry) : entry;
    if (kind.isDirectory()) {
      if (!isIgnored(`${below}/`, all)) yield* walk({ root, path: below, ignores: all });
    } else if (kind.isFile() && entry.name !== ignoreFile && !isIgnored(below, all)) yield below;
  }
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
