/** A catalog whose content lies in a file: the model in memory is small, and large properties are read when they are needed. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addMeta, type CatalogConfig, configOf, emptyConfig, toMeta } from "./config.ts";
import { isObject, type JsonObject } from "../decode/json.ts";
import { schemas } from "./blobs.ts";
import { toPartialCatalog, type PartialCatalog } from "./convert.ts";
import { CatalogError } from "./errors.ts";
import { type FileDocument, type FolderReading, inFile, readFolderDocuments } from "./folder.ts";
import { escapeLines } from "./write.ts";

/** A blob in the content: a line of JSON. */
export interface ContentLine {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

/** The content of a catalog. Disposing of it closes its file; readers must be done by then. */
export interface CatalogContent extends AsyncDisposable {
  readonly catalog: PartialCatalog;
  readonly lines: readonly ContentLine[];
  /** All of it in bytes. */
  readonly size: number;
  /** The SHA-256 of all lines. */
  readonly digest: string;
  readonly read: (offset: number, length: number) => Buffer;
  /** All blobs in memory. They stay valid when the content is disposed of. */
  readonly config: () => CatalogConfig;
}

/** Reads a folder. A package with a defect is left out of the catalog; an unreadable file fails. */
export async function openContentFolder(folder: string, options: FolderReading = {}): Promise<CatalogContent> {
  return openContent(readFolderDocuments(folder, options));
}

/** Reads documents of any origin. */
export async function openContent(documents: AsyncIterable<FileDocument>): Promise<CatalogContent> {
  const file = await openNameless();
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  try {
    const content = await fill(file, documents);
    forgotten.register(content.read, file, content.read);
    const dispose = async (): Promise<void> => {
      forgotten.unregister(content.read);
      close();
    };
    return { ...content, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    close();
    throw error;
  }
}

/** Closes the file of a content that is garbage, as a replaced catalog is whose bundles may still be in use for a while. */
const forgotten = new FinalizationRegistry<number>((file) => closeSync(file));

/** A file without a name: nothing is left on disk when the process ends, however it ends. */
async function openNameless(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-catalog-"));
  try {
    return openSync(join(folder, "catalog.jsonl"), "wx+", 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(
  file: number,
  documents: AsyncIterable<FileDocument>,
): Promise<Omit<CatalogContent, typeof Symbol.asyncDispose>> {
  const config = emptyConfig();
  const lines: ContentLine[] = [];
  const hash = createHash("sha256");
  let size = 0;
  const read = (offset: number, length: number): Buffer => readAt(file, offset, length);
  for await (const { file: path, document } of documents) {
    const meta = toMetaOf(path, document);
    const bytes = Buffer.from(`${escapeLines(JSON.stringify(meta.value))}\n`);
    const line = { schema: meta.schema, package: meta.package, name: meta.name, offset: size, length: bytes.length };
    writeSync(file, bytes);
    hash.update(bytes);
    lines.push(line);
    size += bytes.length;
    const again = readerOf(read, line);
    if (isKnown(meta.schema)) inFile(path, () => addMeta(config, meta, again));
  }
  const whole = (): CatalogConfig => configOf(lines.map(({ offset, length }) => objectAt(read(offset, length))));
  return { catalog: toPartialCatalog(config), config: whole, lines, size, digest: hash.digest("hex"), read };
}

/** Apart from the loop, where its closure would keep the document alive. */
function readerOf(read: CatalogContent["read"], { offset, length }: ContentLine): () => JsonObject {
  return () => objectAt(read(offset, length));
}

function toMetaOf(path: string, document: FileDocument["document"]): ReturnType<typeof toMeta> {
  let meta: ReturnType<typeof toMeta> | undefined;
  inFile(path, () => {
    meta = toMeta(document);
  });
  if (meta === undefined) throw new TypeError("a document without meta");
  return meta;
}

/** Blobs of other schemas are served and not looked at. A missing schema is an error. */
function isKnown(schema: string): boolean {
  return schema === "" || Object.values(schemas).some((one) => one === schema);
}

function readAt(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const count = readSync(file, buffer, done, length - done, offset + done);
    if (count === 0) throw new CatalogError("Unreadable", "the content of the catalog ended early; load it again");
    done += count;
  }
  return buffer;
}

function objectAt(bytes: Buffer): JsonObject {
  const value: unknown = JSON.parse(bytes.toString("utf8"));
  return isObject(value) ? value : {};
}
