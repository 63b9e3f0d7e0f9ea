/** Random numbers of a seed for every part of a test world: the operator, its client and the API server. */
import type { Random } from "../clock.ts";

/**
 * The randomness of an API server: its uids, generated names, addresses and ports.
 *
 * @example
 * const randomness: ServerRandomness = seededRandomness(7);
 */
export interface ServerRandomness {
  uuid(): string;
  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
}

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The randomness of an API server that follows from a seed. */
export function seededRandomness(seed: number): ServerRandomness {
  const next = seededRandom(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, uuid: () => uuidOf(Array.from({ length: 16 }, () => below(256))) };
}

/** A version 4 UUID (RFC 9562) of sixteen random bytes. */
function uuidOf(bytes: readonly number[]): string {
  const marked = bytes.map((byte, at) => {
    if (at === 6) return (byte & 0x0f) | 0x40;
    return at === 8 ? (byte & 0x3f) | 0x80 : byte;
  });
  const hex = marked.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The seed of a world: the given one, or one that follows from its random numbers, so that they determine the server's, too. */
export function seedOf({ seed, random }: { readonly seed?: number; readonly random?: Random }): number {
  if (seed !== undefined) return seed;
  return random === undefined ? 0 : Math.floor(random() * 2 ** 32);
}
