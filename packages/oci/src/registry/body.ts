/** Reads the bodies of a registry's responses: never more than a limit, and not from a registry that has stalled. */
import { LARGEST_DOCUMENT } from "../documents.ts";
import { OciError } from "../errors.ts";

/** Runs something later, unless it is cancelled. */
export type After = (milliseconds: number, run: () => void) => { cancel(): void };

/** The timeout for a registry's response, and for a whole document, in milliseconds. */
export const PATIENCE = 60_000;

/** The least number of bytes of a blob that must arrive in that time. */
export const LEAST_PROGRESS: number = 64 * 1024;

/** The bytes of a body as they arrive. Fails when fewer than the minimum arrive in a minute; documents must be complete by then. */
export async function* arriving(
  response: Response,
  { after, kind }: { readonly after: After | undefined; readonly kind: "document" | "blob" },
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (reader === undefined) return;
  const stalled = Promise.withResolvers<never>();
  stalled.promise.catch(() => {});
  let arrived = 0;
  const current: { timer?: ReturnType<After> | undefined } = {};
  const watch = (): void => {
    current.timer = after?.(PATIENCE, () => {
      const isMoving = kind === "blob" && arrived >= LEAST_PROGRESS;
      arrived = 0;
      if (isMoving) watch();
      else stalled.reject(new Error("the registry sends too slowly"));
    });
  };
  watch();
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), stalled.promise]);
      if (done) return;
      arrived += value.length;
      yield value;
    }
  } finally {
    current.timer?.cancel();
    reader.cancel().catch(() => {});
  }
}

/** A whole document of a registry, up to the limit. */
export async function readDocument(
  response: Response,
  { what, after }: { readonly what: string; readonly after: After | undefined },
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = Number(response.headers.get("content-length") ?? 0);
  if (size > LARGEST_DOCUMENT) {
    await response.body?.cancel();
    throw tooLarge(what);
  }
  size = 0;
  try {
    for await (const part of arriving(response, { after, kind: "document" })) {
      size += part.length;
      if (size > LARGEST_DOCUMENT) throw tooLarge(what);
      parts.push(part);
    }
  } catch (cause) {
    if (cause instanceof OciError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OciError("Unreachable", `could not read ${what}: ${why}; try again`, { cause });
  }
  return Buffer.concat(parts);
}

/** The beginning of a body, for error messages; the rest is not read. */
export async function readBeginning(response: Response, after: After | undefined): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of arriving(response, { after, kind: "document" })) {
      parts.push(part.subarray(0, longestBeginning - size));
      size += part.length;
      if (size >= longestBeginning) break;
    }
  } catch {
    // The error status is what counts; its explanation is optional.
  }
  return Buffer.concat(parts).toString("utf8");
}

const longestBeginning = 16 * 1024;

function tooLarge(what: string): OciError {
  return new OciError(
    "TooLarge",
    `${what} has more than ${LARGEST_DOCUMENT} bytes, which no document has; do not trust it`,
  );
}
