/** The string extension: charAt, indexOf, replace, split, format and others, counted in code points. */

import type { FunctionDeclaration, Implementation } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import { DYN, INT, listOf, STRING } from "../type.ts";
import type { CelResult, CelValue, CelList } from "../values/value.ts";
import { ArrayList, codePointCount, fail } from "../values/value.ts";
import { searchBackwards, searchFor, splitAt } from "../values/search.ts";
import { codePoints, quote, unitIndex } from "../values/text.ts";
import { print } from "../values/print.ts";
import { formatString } from "./format.ts";
import { spend } from "../work.ts";
import type { Library } from "./library.ts";

/** The arguments are checked by signature before a function of this file sees them. */
function text(value: CelValue | undefined): string {
  return value as string;
}

function int(value: CelValue | undefined): number {
  return Number(value as bigint);
}

function outOfRange(index: CelValue | undefined): CelResult {
  return fail(`index out of range: ${String(index as bigint)}`);
}

const charAt: Implementation = (value, at) => {
  const index = int(at);
  const size = codePointCount(text(value));
  if (index < 0 || index > size) return outOfRange(at);
  const found = text(value).codePointAt(unitIndex(text(value), index));
  return found === undefined ? "" : String.fromCodePoint(found);
};

/** The int that counts the code points before a unit; -1 stays what it is. */
function codePointIndex(value: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt(codePointCount(value.slice(0, unit)));
}

/** Where a substring begins; two strings are compared as code points. */
const indexOf: Implementation = (value, part, from) => {
  const start = from === undefined ? 0 : int(from);
  if (part === "") return from ?? 0n;
  if (start < 0) return outOfRange(from);
  const at = searchFor(text(part))(text(value), unitIndex(text(value), start));
  return codePointIndex(text(value), at);
};

const lastIndexOf: Implementation = (value, part, from) => {
  const size = codePointCount(text(value));
  const wanted = codePointCount(text(part));
  if (from === undefined && wanted === 0) return BigInt(size);
  if (from === undefined && size < wanted) return -1n;
  const offset = from === undefined ? size - 1 : int(from);
  if (wanted === 0) return from ?? BigInt(offset);
  if (offset < 0) return outOfRange(from);
  if (offset >= size || size < wanted) return -1n;
  const last = unitIndex(text(value), Math.min(offset, size - wanted));
  return codePointIndex(text(value), searchBackwards(text(value), text(part), last));
};

/** The pieces of a text; an empty separator separates the code points. */
function piecesOf(value: string, separator: string): string[] {
  const pieces = separator === "" ? codePoints(value) : splitAt(value, separator);
  spend(pieces.length * 4);
  return pieces;
}

const replace: Implementation = (value, from, to, count) => {
  const limit = count === undefined ? -1 : int(count);
  const pieces = piecesOf(text(value), text(from));
  const parts = from === "" ? ["", ...pieces, ""] : pieces;
  const cuts = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  spend((cuts * text(to).length) / 4);
  const rest = parts.slice(cuts).join(text(from));
  return [...parts.slice(0, cuts), rest].join(text(to));
};

const split: Implementation = (value, separator, count) => {
  const limit = count === undefined ? -1 : int(count);
  if (limit === 0) return new ArrayList([]);
  const parts = piecesOf(text(value), text(separator));
  if (limit < 0 || parts.length <= limit) return new ArrayList(parts);
  const rest = parts.slice(limit - 1).join(text(separator));
  return new ArrayList([...parts.slice(0, limit - 1), rest]);
};

const substring: Implementation = (value, from, to) => {
  const size = codePointCount(text(value));
  const start = int(from);
  const end = to === undefined ? size : int(to);
  if (to !== undefined && start > end)
    return fail(`invalid substring range. start: ${from as bigint}, end: ${to as bigint}`);
  if (start < 0 || start > size) return outOfRange(from);
  if (end < 0 || end > size) return outOfRange(to);
  return text(value).slice(unitIndex(text(value), start), unitIndex(text(value), end));
};

/** What Go counts as white space. */
const SPACE = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;

const trim: Implementation = (value) => {
  const whole = text(value);
  let start = 0;
  let end = whole.length;
  while (start < end && SPACE.test(whole.charAt(start))) start++;
  while (end > start && SPACE.test(whole.charAt(end - 1))) end--;
  return whole.slice(start, end);
};

const join: Implementation = (list, separator) => {
  const between = separator === undefined ? "" : text(separator);
  const parts: string[] = [];
  for (const item of (list as CelList).toArray()) {
    if (typeof item !== "string") return fail(`join: invalid input: ${print(item)}`);
    spend((item.length + between.length) / 4);
    parts.push(item);
  }
  return parts.join(between);
};

/** Quotes for CEL: escapes, but leaves what can be read. */
const quoteText: Implementation = (value) => quote(text(value).toWellFormed());

const BASE: readonly FunctionDeclaration[] = [
  { name: "charAt", overloads: [member("string_char_at_int", [STRING, INT], STRING, charAt)] },
  {
    name: "indexOf",
    overloads: [
      member("string_index_of_string", [STRING, STRING], INT, indexOf),
      member("string_index_of_string_int", [STRING, STRING, INT], INT, indexOf),
    ],
  },
  {
    name: "lastIndexOf",
    overloads: [
      member("string_last_index_of_string", [STRING, STRING], INT, lastIndexOf),
      member("string_last_index_of_string_int", [STRING, STRING, INT], INT, lastIndexOf),
    ],
  },
  {
    name: "lowerAscii",
    overloads: [
      member("string_lower_ascii", [STRING], STRING, (value) =>
        text(value).replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
      ),
    ],
  },
  {
    name: "upperAscii",
    overloads: [
      member("string_upper_ascii", [STRING], STRING, (value) =>
        text(value).replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
      ),
    ],
  },
  {
    name: "replace",
    overloads: [
      member("string_replace_string_string", [STRING, STRING, STRING], STRING, replace),
      member("string_replace_string_string_int", [STRING, STRING, STRING, INT], STRING, replace),
    ],
  },
  {
    name: "split",
    overloads: [
      member("string_split_string", [STRING, STRING], listOf(STRING), split),
      member("string_split_string_int", [STRING, STRING, INT], listOf(STRING), split),
    ],
  },
  {
    name: "substring",
    overloads: [
      member("string_substring_int", [STRING, INT], STRING, substring),
      member("string_substring_int_int", [STRING, INT, INT], STRING, substring),
    ],
  },
  { name: "trim", overloads: [member("string_trim", [STRING], STRING, trim)] },
  {
    name: "join",
    overloads: [
      member("list_join", [listOf(STRING)], STRING, join),
      member("list_join_string", [listOf(STRING), STRING], STRING, join),
    ],
  },
];

/** The extension at a version: 1 adds format and quote, 3 adds reverse, 4 formats without a locale. */
export function stringsLibrary(version: number): Library {
  const functions = [...BASE];
  if (version >= 1) {
    const style = version >= 4 ? "plain" : "localized";
    functions.push(
      {
        name: "format",
        overloads: [
          member("string_format", [STRING, listOf(DYN)], STRING, (value, args) =>
            formatString(text(value), args as CelList, style),
          ),
        ],
      },
      { name: "strings.quote", overloads: [overload("strings_quote", [STRING], STRING, quoteText)] },
    );
  }
  if (version >= 3) {
    const reverse: Implementation = (value) => codePoints(text(value)).reverse().join("");
    functions.push({ name: "reverse", overloads: [member("string_reverse", [STRING], STRING, reverse)] });
  }
  return { name: "strings", functions };
}
