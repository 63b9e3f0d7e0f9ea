/** A place for backups: names and bytes. Everything is written whole or not at all. */

/** What can go wrong with a store. */
export type StoreErrorCode =
  /** Nobody answered, or the connection broke, also after trying again. */
  | "Unreachable"
  /** The credentials are wrong or do not suffice. */
  | "Denied"
  | "NotFound"
  /** The bucket, folder or volume itself is missing. */
  | "NoPlace"
  /** No room is left. */
  | "Full"
  /** The store answered that it cannot or will not. */
  | "Refused"
  /** The store answered something that makes no sense. */
  | "Malformed"
  | "BadName"
  | "Aborted";

/** An operation on a store that could not be done. The message says what, why, and what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Something in a store. */
export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
  readonly modified: Date;
}

/** Who may end an operation early. */
export interface StoreCall {
  readonly signal?: AbortSignal;
}

/** A store. Names are relative, with slashes. */
export interface Store {
  /** The place in words, for people. */
  readonly place: string;
  /** Writes an object from its beginning to its end; nobody sees half of it. */
  put(name: string, content: AsyncIterable<Uint8Array>, call?: StoreCall): Promise<{ readonly bytes: number }>;
  /** Reads an object; fails with `NotFound` before the first byte. */
  get(name: string, call?: StoreCall): Promise<AsyncIterable<Buffer>>;
  /** All objects whose names begin so, by name. */
  list(prefix: string, call?: StoreCall): Promise<readonly StoredObject[]>;
  /** Removes an object; one that is not there is removed already. */
  remove(name: string, call?: StoreCall): Promise<void>;
}

/** Refuses names that would lead out of the store. */
export function checkName(name: string): string {
  const parts = name.split("/");
  const isFine = name.length > 0 && name.length <= 900 && !name.includes("\0");
  if (isFine && parts.every((part) => part !== "" && part !== "." && part !== "..")) return name;
  throw new StoreError(
    "BadName",
    `${JSON.stringify(name)} is not a name in a store: use words with slashes between them`,
  );
}

/** All bytes of an object. */
export async function readWhole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

/** All bytes of an object; undefined if there are more than `limit`. No more than that is read. */
export async function readUpTo(content: AsyncIterable<Buffer>, limit: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of content) {
    bytes += part.length;
    if (bytes > limit) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The message of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
