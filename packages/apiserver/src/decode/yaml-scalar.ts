/** Resolves unquoted YAML scalars by the rules of Go's library. */

/** The tags of scalars. */
export type YamlTag = "null" | "bool" | "int" | "float" | "str";

export interface YamlScalar {
  readonly tag: YamlTag;
  readonly value: null | boolean | number | bigint | string;
}

const words: ReadonlyMap<string, YamlScalar> = new Map([
  ...wordsOf(["", "~", "null", "Null", "NULL"], { tag: "null", value: null }),
  ...wordsOf(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], { tag: "bool", value: true }),
  ...wordsOf(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], {
    tag: "bool",
    value: false,
  }),
  ...wordsOf([".nan", ".NaN", ".NAN"], { tag: "float", value: Number.NaN }),
  ...wordsOf([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], { tag: "float", value: Infinity }),
  ...wordsOf(["-.inf", "-.Inf", "-.INF"], { tag: "float", value: -Infinity }),
]);

function wordsOf(texts: readonly string[], scalar: YamlScalar): (readonly [string, YamlScalar])[] {
  return texts.map((text) => [text, scalar] as const);
}

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const integers: readonly (readonly [pattern: RegExp, prefix: string])[] = [
  [/^0[xX]([0-9a-fA-F]+)$/, "0x"],
  [/^0[bB]([01]+)$/, "0b"],
  [/^0[oO]?([0-7]+)$/, "0o"],
  [/^([1-9][0-9]*|0)$/, ""],
];
const [lowest, highest] = [-(2n ** 63n), 2n ** 64n - 1n];

/** Resolves a scalar. Dates and times stay strings. */
export function readPlainScalar(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return { tag: "str", value: text };
  const plain = text.replaceAll("_", "");
  const integer = readInteger(plain);
  if (integer !== undefined) return { tag: "int", value: integer };
  const number = float.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(number) ? { tag: "float", value: number } : { tag: "str", value: text };
}

function readInteger(text: string): number | bigint | undefined {
  const digits = text.replace(/^[-+]/, "");
  for (const [pattern, prefix] of integers) {
    const [, found] = pattern.exec(digits) ?? [];
    if (found === undefined) continue;
    const value = BigInt(`${prefix}${found}`) * (text.startsWith("-") ? -1n : 1n);
    if (value < lowest || value > highest) return undefined;
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  return undefined;
}
