/** Digests: the names of blobs, made from their bytes. */
import { createHash, type Hash } from "node:crypto";
import { OciError } from "./errors.ts";

export function digestOf(bytes: Uint8Array | string): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Whether a text is a full digest of a supported algorithm. */
export function isDigest(text: string): boolean {
  return /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(text);
}

/** A running digest over bytes that arrive one after the other. */
export class Digester {
  readonly #hash: Hash;
  readonly #algorithm: string;
  size = 0;

  constructor(algorithm: "sha256" | "sha512" = "sha256") {
    this.#algorithm = algorithm;
    this.#hash = createHash(algorithm);
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.size += bytes.length;
  }

  digest(): string {
    return `${this.#algorithm}:${this.#hash.digest("hex")}`;
  }
}

/** A digester for the algorithm that a digest names. */
export function digesterFor(digest: string): Digester {
  const algorithm = digest.slice(0, digest.indexOf(":"));
  if (algorithm !== "sha256" && algorithm !== "sha512")
    throw new OciError("BadDigest", `could not check ${digest}: only sha256 and sha512 are known`);
  return new Digester(algorithm);
}

/** Passes bytes through and fails at the end if they do not match the digest. */
export async function* verified(
  chunks: AsyncIterable<Uint8Array>,
  expected: { readonly digest: string; readonly size?: number },
): AsyncGenerator<Uint8Array> {
  const digester = digesterFor(expected.digest);
  for await (const chunk of chunks) {
    digester.update(chunk);
    if (expected.size !== undefined && digester.size > expected.size) {
      throw new OciError(
        "BadDigest",
        `could not trust ${expected.digest}: it has more than the ${expected.size} bytes that were announced`,
      );
    }
    yield chunk;
  }
  if (expected.size !== undefined && digester.size < expected.size)
    throw new OciError(
      "BadDigest",
      `could not trust ${expected.digest}: it has ${digester.size} of the ${expected.size} bytes that were announced`,
    );
  const actual = digester.digest();
  if (actual !== expected.digest)
    throw new OciError(
      "BadDigest",
      `could not trust ${expected.digest}: its bytes are ${actual}; fetch it again, or ask who made it`,
    );
}
