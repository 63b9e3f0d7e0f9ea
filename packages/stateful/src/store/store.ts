/** A store for backups: named objects. Every write is atomic. */

/**
 * Why an operation on a store failed.
 *
 * @example
 * const isTemporary = (code: StoreErrorCode) => code === "Unreachable";
 */
export type StoreErrorCode =
  /** No response, or the connection broke, also after retries. */
  | "Unreachable"
  /** The credentials are wrong or insufficient. */
  | "Denied"
  | "NotFound"
  /** The bucket, folder or volume does not exist. */
  | "NoPlace"
  /** The store is full. */
  | "Full"
  /** The store rejected the request. */
  | "Refused"
  /** The store returned an invalid response. */
  | "Malformed"
  | "BadName"
  | "Aborted";

/**
 * A failed operation on a store. The message says what failed, why, and what to do.
 *
 * @example
 * const isMissing = (error: unknown) => error instanceof StoreError && error.code === "NotFound";
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * An object in a store, without its content.
 *
 * @example
 * const total = (objects: readonly StoredObject[]) => objects.reduce((sum, { bytes }) => sum + bytes, 0);
 */
export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
  readonly modified: Date;
}

/**
 * Cancellation of an operation.
 *
 * @example
 * const call: StoreCall = { signal: AbortSignal.timeout(60_000) };
 */
export interface StoreCall {
  readonly signal?: AbortSignal;
}

/**
 * A store. Names are relative, with slashes.
 *
 * @example
 * const isEmpty = async (store: Store) => (await store.list("")).length === 0;
 */
export interface Store {
  /** The location as text for messages. */
  readonly place: string;
  /** Writes an object atomically. */
  put(name: string, content: AsyncIterable<Uint8Array>, call?: StoreCall): Promise<{ readonly bytes: number }>;
  /** Reads an object. Fails with `NotFound` before the first byte. */
  get(name: string, call?: StoreCall): Promise<AsyncIterable<Buffer>>;
  /** All objects with this prefix, sorted by name. */
  list(prefix: string, call?: StoreCall): Promise<readonly StoredObject[]>;
  /** Removes an object. A missing object is not an error. */
  remove(name: string, call?: StoreCall): Promise<void>;
}

/** Whether a name is one of an object in a store: no part leads out of it. */
export function isName(name: string): boolean {
  if (name.length === 0 || name.length > 900 || name.includes("\0")) return false;
  return name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** Rejects names that would leave the store. */
export function checkName(name: string): string {
  if (isName(name)) return name;
  throw new StoreError(
    "BadName",
    `${JSON.stringify(name)} is not a name in a store: use words with slashes between them`,
  );
}

/**
 * All bytes of an object.
 *
 * @example
 * const textOf = async (store: Store, name: string) => (await readWhole(await store.get(name))).toString();
 */
export async function readWhole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

/**
 * All bytes of an object; undefined if there are more than `limit`, after reading no more than that.
 *
 * @example
 * const small = async (store: Store, name: string) => await readUpTo(await store.get(name), 1024);
 */
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

/** The message of any thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
