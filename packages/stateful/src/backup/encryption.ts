/**
 * Encryption of a stream: AES-256-GCM over chunks, each authenticated, in the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár
 * 2015): the nonce counts the chunks and marks the last one, so that chunks can be neither changed, moved, dropped nor cut off. Each
 * backup has its own key, derived from the Secret's key, a random salt and the backup's identity, so that counting from zero is safe and the
 * content of one backup does not open as that of another.
 */
import { isUtf8 } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { BackupError } from "./errors.ts";

/** Version of the encrypted format. The manifest's `format` changes with it. */
const MAGIC = Buffer.from("CPSTNBK2");
const SALT = 32;
const TAG = 16;
const CHUNK = 64 << 10;
const KEY = 32;

/**
 * Reads a key from a Secret: 32 bytes in base64, in hexadecimal, or raw.
 *
 * @example
 * assert.equal(parseKey(Buffer.from("00ff".repeat(16))).length, 32);
 */
export function parseKey(content: Buffer): Buffer {
  const text = content.toString("utf8").trim();
  const key = [content, fromBase64(text), fromHex(text)].find((template) => template?.length === KEY);
  if (key !== undefined && !isText(key)) return key;
  throw new BackupError(
    "BadKey",
    "the encryption key is not 32 random bytes in base64, in hexadecimal or as they are (text of 32 letters is weaker): make one with `openssl rand -base64 32`",
  );
}

function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

function fromHex(text: string): Buffer | undefined {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : undefined;
}

/** Whether the bytes are printable text: a password, or a hexadecimal key of half the length. 32 random bytes never are. */
function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !/[^\P{C}\s]/u.test(bytes.toString("utf8"));
}

/**
 * A fingerprint that identifies a key without revealing it.
 *
 * @example
 * const isSame = (one: Buffer, other: Buffer) => keyPrint(one) === keyPrint(other);
 */
export function keyPrint(key: Buffer): string {
  return createHash("sha256").update("capstan backup key\0").update(key).digest("hex").slice(0, 16);
}

/**
 * The key for proofs of manifests. It differs from the keys of the content.
 *
 * @example
 * import { createHmac } from "node:crypto";
 *
 * const prove = (text: string, key: Buffer) => createHmac("sha256", manifestKey(key)).update(text).digest("hex");
 */
export function manifestKey(key: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", "capstan backup manifest 2", KEY));
}

/**
 * The key of one encrypted stream.
 *
 * @example
 * const keyOf = (key: Buffer, name: string): StreamKey => ({ key, identity: name });
 */
export interface StreamKey {
  readonly key: Buffer;
  /** The identity of the backup. The content does not decrypt under another identity. */
  readonly identity: string;
}

/**
 * Encrypts a stream. The caller provides the salt: 32 random bytes that are never reused.
 *
 * @example
 * const sealed = (content: AsyncIterable<Buffer>, secret: StreamKey, salt: Buffer) => encrypt(content, { ...secret, salt });
 */
export async function* encrypt(
  content: AsyncIterable<Uint8Array>,
  { salt, ...secret }: StreamKey & { readonly salt: Buffer },
): AsyncGenerator<Buffer, void, void> {
  const streamKey = deriveKey(secret, salt);
  yield Buffer.concat([MAGIC, salt]);
  let count = 0;
  for await (const { chunk, isLast } of inChunks(content, CHUNK)) {
    const cipher = createCipheriv("aes-256-gcm", streamKey, nonce(count++, isLast));
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  }
}

/**
 * Decrypts a stream. It yields authenticated bytes only, and ends only after the chunk marked as last.
 *
 * @example
 * async function* opened(content: AsyncIterable<Buffer>, secret: StreamKey) {
 *   yield* decrypt(content, secret);
 * }
 */
export async function* decrypt(
  content: AsyncIterable<Uint8Array>,
  secret: StreamKey,
): AsyncGenerator<Buffer, void, void> {
  let streamKey: Buffer | undefined;
  let count = 0;
  for await (const { chunk, isLast } of inChunks(
    afterHead(content, (salt) => (streamKey = deriveKey(secret, salt))),
    CHUNK + TAG,
  )) {
    if (streamKey === undefined || chunk.length < TAG) throw truncated();
    yield open(chunk, streamKey, nonce(count, isLast)) ?? refuse(chunk, { streamKey, count, isLast });
    count++;
  }
}

function open(chunk: Buffer, streamKey: Buffer, iv: Buffer): Buffer | undefined {
  const decipher = createDecipheriv("aes-256-gcm", streamKey, iv);
  decipher.setAuthTag(chunk.subarray(chunk.length - TAG));
  try {
    return Buffer.concat([decipher.update(chunk.subarray(0, chunk.length - TAG)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** If the last chunk decrypts as one in the middle, the remaining chunks are missing. */
function refuse(chunk: Buffer, at: { streamKey: Buffer; count: number; isLast: boolean }): never {
  if (at.isLast && open(chunk, at.streamKey, nonce(at.count, false))) throw truncated();
  if (at.count > 0) {
    throw new BackupError("Corrupt", "the encrypted content was changed or broke off: name another backup");
  }
  const message = "the encrypted content is not that of this backup, or was made with another key: name another backup";
  throw new BackupError("Corrupt", message);
}

function truncated(): BackupError {
  return new BackupError("Truncated", "the encrypted content breaks off: name another backup");
}

/** Eleven bytes of chunk count, and one byte that marks the last chunk. */
function nonce(count: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(count, 5, 6);
  bytes[11] = isLast ? 1 : 0;
  return bytes;
}

/** The identity is hashed, because HKDF takes at most 1024 bytes of info. */
function deriveKey({ key, identity }: StreamKey, salt: Buffer): Buffer {
  const info = Buffer.concat([
    Buffer.from("capstan backup content 2\0"),
    createHash("sha256").update(identity).digest(),
  ]);
  return Buffer.from(hkdfSync("sha256", key, salt, info, KEY));
}

/** Strips the header from a stream and reports its salt. */
async function* afterHead(
  content: AsyncIterable<Uint8Array>,
  useSalt: (salt: Buffer) => void,
): AsyncGenerator<Uint8Array, void, void> {
  const size = MAGIC.length + SALT;
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const part of content) {
    if (head === undefined) {
      yield part;
      continue;
    }
    head = Buffer.concat([head, part]);
    if (head.length < size) continue;
    if (!head.subarray(0, MAGIC.length).equals(MAGIC)) {
      throw new BackupError(
        "Corrupt",
        "the content is not encrypted, though its manifest says so: name another backup",
      );
    }
    useSalt(head.subarray(MAGIC.length, size));
    yield head.subarray(size);
    head = undefined;
  }
  if (head !== undefined) throw truncated();
}

/** Splits a stream into chunks of one size and marks the last one. An empty stream has one empty chunk. */
async function* inChunks(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly chunk: Buffer; readonly isLast: boolean }, void, void> {
  let held = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const part of content) {
    for (let at = 0; at < part.length;) {
      // A full chunk is held back until more comes: it may be the last.
      if (filled === size) {
        yield { chunk: held, isLast: false };
        held = Buffer.allocUnsafe(size);
        filled = 0;
      }
      const taken = Math.min(size - filled, part.length - at);
      held.set(part.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
    }
  }
  yield { chunk: held.subarray(0, filled), isLast: true };
}
