/** The hash of pod templates, in letters that do not form words. */
import { toCanonicalJson } from "@capstan/model";

const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const utf8 = new TextEncoder();

/** The hash of a template; the collision count changes it. */
export function templateHash(template: unknown, collisions = 0): string {
  const text = toCanonicalJson(template as never);
  return safeEncode(String(fnv1a32(utf8.encode(collisions === 0 ? text : `${text}${collisions}`))));
}

/** FNV-1a with 32 bits. */
function fnv1a32(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

function safeEncode(text: string): string {
  let encoded = "";
  for (const byte of utf8.encode(text)) encoded += ALPHABET.charAt(byte % ALPHABET.length);
  return encoded;
}
