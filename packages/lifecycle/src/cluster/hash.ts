/** The hashes in OLM's names and labels: SHA-224 of JSON as Go writes it, in base 62, and FNV-1a of 64 bits. */
import { createHash } from "node:crypto";
import { toGoJson } from "@capstan/model";

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** SHA-224 of a text in base 62. */
export function base62Hash(text: string): string {
  let rest = BigInt(`0x${createHash("sha224").update(text).digest("hex")}`);
  let digits = "";
  while (rest > 0n) {
    digits = (DIGITS[Number(rest % 62n)] ?? "") + digits;
    rest /= 62n;
  }
  return digits === "" ? "0" : digits;
}

/** The hash of a value whose fields are in the order of its Go type. Go's encoder ends a value with a line break. */
export function deepHash(value: unknown): string {
  return base62Hash(`${toGoJson(value)}\n`);
}

/** FNV-1a of 64 bits, in hexadecimal digits without leading zeros. */
export function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text, "utf8")) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16);
}
