/** Asynchronous conversion in synchronous code: the code throws, the conversion is awaited, and the code runs again. */
import type { KubeObject } from "@capstan/model";
import type { Converter } from "./conversion-webhook.ts";

/**
 * Thrown where a conversion result is missing. It is never visible to clients: an asynchronous caller awaits the conversion and runs the
 * code again.
 */
export class PendingConversionError extends Error {
  override readonly name = "PendingConversionError";
  readonly code = "PendingConversion";
  readonly settle: () => Promise<void>;

  constructor(settle: () => Promise<void>) {
    super("a conversion by webhook is needed first");
    this.settle = settle;
  }
}

/** Runs a function until no conversion is missing. */
export async function withConversions<T>(run: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof PendingConversionError)) throw error;
      await error.settle();
    }
  }
}

const remembered = 64;

/** A synchronous converter: it returns recent conversions and throws for all others. */
export function impatient(convert: Converter): (object: KubeObject, apiVersion: string) => KubeObject {
  const known = new Map<string, KubeObject>();
  return (object, apiVersion) => {
    const key = `${apiVersion} ${JSON.stringify(object)}`;
    const converted = known.get(key);
    if (converted !== undefined) return converted;
    throw new PendingConversionError(async () => {
      const [oldest] = known.keys();
      if (known.size >= remembered && oldest !== undefined) known.delete(oldest);
      known.set(key, await convert(object, apiVersion));
    });
  };
}
