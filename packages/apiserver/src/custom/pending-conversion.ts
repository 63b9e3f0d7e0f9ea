/** Conversions in the middle of something that cannot wait: it is given up, the conversion is made, and it begins again. */
import type { KubeObject } from "@capstan/model";
import type { Converter } from "./conversion-webhook.ts";

/** Thrown where a conversion is missing. Not an error that anybody sees: whoever can wait settles it and starts over. */
export class PendingConversionError extends Error {
  override readonly name = "PendingConversionError";
  readonly code = "PendingConversion";
  readonly settle: () => Promise<void>;

  constructor(settle: () => Promise<void>) {
    super("a conversion by webhook is needed first");
    this.settle = settle;
  }
}

/** Runs something until no conversion is missing any more. */
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

/** The converter for those who cannot wait: it knows what was converted lately, and throws for everything else. */
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
