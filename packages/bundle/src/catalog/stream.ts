/** Splits a stream of JSON objects or YAML documents into its documents, so that a catalog is never in memory as one text. */
import type { Json } from "@capstan/model";
import { parseYaml } from "../decode/yaml.ts";
import { CatalogError } from "./errors.ts";

/** A single blob larger than this is an attack or a mistake: etcd takes 1.5 MiB. */
const maxDocument = 64 * 2 ** 20;

/** The documents of a stream. A stream that begins with a brace is JSON, every other one YAML. */
export async function* readDocuments(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Json> {
  const json = new JsonSplitter();
  const yaml = new YamlSplitter();
  let isYaml = false;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (!isYaml) {
      for (;;) {
        const split = json.next(rest);
        if (split.document !== undefined) yield parseJsonText(split.document);
        rest = split.rest;
        isYaml = split.isYaml;
        if (split.document === undefined) break;
      }
    }
    if (isYaml) for (const text of yaml.add(rest)) yield parseYamlText(text);
  }
  const open = json.open();
  if (open !== undefined) throw unreadable(`unexpected EOF: the JSON object at the end is not closed (${open} bytes)`);
  for (const text of yaml.end()) yield parseYamlText(text);
}

function parseJsonText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw unreadable(cause instanceof Error ? cause.message : "invalid JSON", { cause });
  }
}

function parseYamlText(text: string): Json {
  // JSON is YAML, and JSON.parse is many times faster.
  if (text.trimStart().startsWith("{")) {
    try {
      return JSON.parse(text) as Json;
    } catch {
      // A flow mapping of YAML.
    }
  }
  const parsed = parseYaml(text);
  if (parsed.ok) return parsed.value;
  throw unreadable(`error converting YAML to JSON: yaml: ${parsed.problem}`);
}

function unreadable(problem: string, options?: ErrorOptions): CatalogError {
  return new CatalogError("Unreadable", problem, options);
}

interface Split {
  readonly document: string | undefined;
  readonly rest: Buffer;
  readonly isYaml: boolean;
}

const [openBrace, closeBrace, openBracket, closeBracket, quote, backslash] = [...Buffer.from('{}[]"\\')];

/** Finds the ends of JSON objects by their brackets. */
class JsonSplitter {
  #parts: Buffer[] = [];
  #size = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;

  /** The bytes of an object that is not closed yet. */
  open(): number | undefined {
    return this.#size === 0 ? undefined : this.#size;
  }

  /** The next whole object of the bytes, or none; text that is neither space nor an object is YAML. */
  next(bytes: Buffer): Split {
    const start = this.#depth === 0 ? firstVisible(bytes) : 0;
    if (start === bytes.length) return { document: undefined, rest: bytes.subarray(start), isYaml: false };
    if (this.#depth === 0 && bytes[start] !== openBrace)
      return { document: undefined, rest: bytes.subarray(start), isYaml: true };
    const end = this.#findEnd(bytes, start);
    this.#keep(bytes.subarray(start, end ?? bytes.length));
    if (end === undefined) return { document: undefined, rest: bytes.subarray(bytes.length), isYaml: false };
    const document = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#size = 0;
    return { document, rest: bytes.subarray(end), isYaml: false };
  }

  #keep(part: Buffer): void {
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size > maxDocument) throw tooLarge();
  }

  #findEnd(bytes: Buffer, start: number): number | undefined {
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#inText) this.#readText(byte);
      else if (byte === quote) this.#inText = true;
      else if (byte === openBrace || byte === openBracket) this.#depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --this.#depth === 0) return at + 1;
    }
    return undefined;
  }

  #readText(byte: number | undefined): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inText = false;
  }
}

function firstVisible(bytes: Buffer): number {
  let at = 0;
  for (let byte = bytes[at]; byte !== undefined && isSpace(byte); byte = bytes[at]) at++;
  return at;
}

/** Spaces, and the byte order mark of UTF-8. */
function isSpace(byte: number): boolean {
  return (
    byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0xef || byte === 0xbb || byte === 0xbf
  );
}

/** Finds the lines that separate YAML documents. */
class YamlSplitter {
  #decoder = new TextDecoder();
  #partial = "";
  #lines: string[] = [];
  #size = 0;

  *add(bytes: Uint8Array): Generator<string> {
    const lines = (this.#partial + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#partial = lines.pop() ?? "";
    for (const line of lines) yield* this.#take(line);
  }

  *end(): Generator<string> {
    yield* this.#take(this.#partial + this.#decoder.decode());
    if (this.#lines.length > 0) yield* this.#flush();
  }

  *#take(line: string): Generator<string> {
    if (line.startsWith("---") && line.slice(3).trim() === "") yield* this.#flush();
    else {
      this.#lines.push(line);
      this.#size += line.length + 1;
      if (this.#size > maxDocument) throw tooLarge();
    }
  }

  *#flush(): Generator<string> {
    const text = this.#lines.join("\n");
    this.#lines = [];
    this.#size = 0;
    if (text.trim() !== "") yield text;
  }
}

function tooLarge(): CatalogError {
  return new CatalogError(
    "TooLarge",
    `a document has more than ${maxDocument / 2 ** 20} MiB; no catalog needs one that large`,
  );
}
