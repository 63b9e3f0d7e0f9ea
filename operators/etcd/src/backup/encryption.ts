/**
 * Encryption of a stream: AES-256-GCM over chunks, each authenticated, in the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár
 * 2015): the nonce counts the chunks and marks the last one, so that chunks can be neither changed, moved, dropped nor cut off. Each
 * backup has a key of its own, derived from the Secret's key and a random salt, so that counting from zero is safe.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { BackupError } from "./errors.ts";

const MAGIC = Buffer.from("CPSTNBK1");
const SALT = 32;
const TAG = 16;
const CHUNK = 64 << 10;

/** Reads a key from a Secret: 32 bytes as they are, in hexadecimal or in base64. */
export function parseKey(content: Buffer): Buffer {
  if (content.length === 32) return content;
  const text = content.toString("utf8").trim();
  const forms = [/^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : undefined, Buffer.from(text, "base64")];
  const key = forms.find((form) => form?.length === 32);
  if (key) return key;
  throw new BackupError(
    "BadKey",
    "the encryption key is not 32 bytes, plain, in hexadecimal or base64: make one with `openssl rand -hex 32`",
  );
}

/** Tells keys apart without telling them. */
export function keyPrint(key: Buffer): string {
  return createHash("sha256").update("capstan etcd backup key\0").update(key).digest("hex").slice(0, 16);
}

/** Encrypts; the salt comes from outside, 32 random bytes that are never used twice. */
export async function* encrypt(
  content: AsyncIterable<Uint8Array>,
  { key, salt }: { readonly key: Buffer; readonly salt: Buffer },
): AsyncGenerator<Buffer, void, void> {
  const streamKey = deriveKey(key, salt);
  yield Buffer.concat([MAGIC, salt]);
  let count = 0;
  for await (const { chunk, isLast } of inChunks(content, CHUNK)) {
    const cipher = createCipheriv("aes-256-gcm", streamKey, nonce(count++, isLast));
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Decrypts; nothing is given out that was not authenticated, and the end only when it is the end. */
export async function* decrypt(content: AsyncIterable<Uint8Array>, key: Buffer): AsyncGenerator<Buffer, void, void> {
  let streamKey: Buffer | undefined;
  let count = 0;
  for await (const { chunk, isLast } of inChunks(
    afterHead(content, (salt) => (streamKey = deriveKey(key, salt))),
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

/** A last chunk that opens as one in the middle was not the last: the rest is missing. The first that does not open: another key. */
function refuse(chunk: Buffer, at: { streamKey: Buffer; count: number; isLast: boolean }): never {
  if (at.isLast && open(chunk, at.streamKey, nonce(at.count, false))) throw truncated();
  if (at.count > 0 || at.isLast) {
    throw new BackupError("Corrupt", "the encrypted backup was changed or broke off: take an older one");
  }
  throw new BackupError("WrongKey", "the backup does not open with this key: give the one it was made with");
}

function truncated(): BackupError {
  return new BackupError("Truncated", "the encrypted backup breaks off: take an older one");
}

/** Eleven bytes of count, one that says whether it is the last. */
function nonce(count: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(count, 5, 6);
  bytes[11] = isLast ? 1 : 0;
  return bytes;
}

function deriveKey(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, "capstan etcd backup", 32));
}

/** Takes the head off a stream and tells its salt. */
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
      throw new BackupError("WrongKey", "the backup is not encrypted, or not by this operator: leave out the key");
    }
    useSalt(head.subarray(MAGIC.length, size));
    yield head.subarray(size);
    head = undefined;
  }
  if (head !== undefined) throw truncated();
}

/** Cuts a stream into chunks of one size and knows which is the last; an empty stream has one, which is empty. */
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
