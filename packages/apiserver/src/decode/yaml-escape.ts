/** Escapes of unpaired surrogates in double-quoted YAML strings, which Go rejects. */
import type * as Yaml from "yaml";
import { yamlLibrary } from "./yaml-compose.ts";

/** An escaped backslash, or the escape of a surrogate. */
const escape = /\\(?:\\|(?:u|U0000)[dD][89a-fA-F])/g;

/** Whether a text contains the escape of a surrogate at all: most do not. */
export function mayHaveHalfPair(text: string): boolean {
  return /\\(?:u|U0000)[dD][89a-fA-F]/.test(text);
}

/** Whether a double-quoted scalar contains an unpaired surrogate. */
export function hasHalfPair(text: string, node: unknown): boolean {
  if (!mayHaveHalfPair(text)) return false;
  const { isMap, isScalar, isSeq } = yamlLibrary();
  if (isScalar(node)) return node.type === "QUOTE_DOUBLE" && isHalf(text, node);
  if (isSeq(node)) return node.items.some((item) => hasHalfPair(text, item));
  return isMap(node) && node.items.some(({ key, value }) => hasHalfPair(text, key) || hasHalfPair(text, value));
}

function isHalf(text: string, { range }: Yaml.Scalar): boolean {
  if (!range) return false;
  const escapes = text.slice(range[0], range[1]).match(escape) ?? [];
  return escapes.some((found) => found.length > 2);
}
