/** The string extension: charAt, indexOf, replace, split, format and others, counted in code points. */

import type { FunctionDeclaration, Implementation } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import { DYN, INT, listOf, STRING } from "../type.ts";
import type { CelResult, CelValue, CelList } from "../values/value.ts";
import { ArrayList, fail } from "../values/value.ts";
import { codePoints, quote } from "../values/text.ts";
import { print } from "../values/print.ts";
import { formatString } from "./format.ts";
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
  const chars = codePoints(text(value));
  const index = int(at);
  return index < 0 || index > chars.length ? outOfRange(at) : (chars[index] ?? "");
};

/** Where a substring begins; two strings are compared as code points. */
const indexOf: Implementation = (value, part, from) => {
  const start = from === undefined ? 0 : int(from);
  if (part === "") return from ?? 0n;
  if (start < 0) return outOfRange(from);
  const chars = codePoints(text(value));
  const wanted = codePoints(text(part));
  for (let index = start; index <= chars.length - wanted.length; index++) {
    if (matchesAt(chars, wanted, index)) return BigInt(index);
  }
  return -1n;
};

const lastIndexOf: Implementation = (value, part, from) => {
  const chars = codePoints(text(value));
  const wanted = codePoints(text(part));
  if (from === undefined && wanted.length === 0) return BigInt(chars.length);
  if (from === undefined && chars.length < wanted.length) return -1n;
  const offset = from === undefined ? chars.length - 1 : int(from);
  if (wanted.length === 0) return from ?? BigInt(offset);
  if (offset < 0) return outOfRange(from);
  if (offset >= chars.length) return -1n;
  for (let index = Math.min(offset, chars.length - wanted.length); index >= 0; index--) {
    if (matchesAt(chars, wanted, index)) return BigInt(index);
  }
  return -1n;
};

function matchesAt(chars: readonly string[], wanted: readonly string[], at: number): boolean {
  return wanted.every((char, index) => chars[at + index] === char);
}

const replace: Implementation = (value, from, to, count) => {
  const limit = count === undefined ? -1 : int(count);
  const parts = from === "" ? ["", ...codePoints(text(value)), ""] : text(value).split(text(from));
  const cuts = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  const rest = parts.slice(cuts).join(text(from));
  return [...parts.slice(0, cuts), rest].join(text(to));
};

const split: Implementation = (value, separator, count) => {
  const limit = count === undefined ? -1 : int(count);
  if (limit === 0) return new ArrayList([]);
  const parts = separator === "" ? codePoints(text(value)) : text(value).split(text(separator));
  if (limit < 0 || parts.length <= limit) return new ArrayList(parts);
  const rest = parts.slice(limit - 1).join(text(separator));
  return new ArrayList([...parts.slice(0, limit - 1), rest]);
};

const substring: Implementation = (value, from, to) => {
  const chars = codePoints(text(value));
  const start = int(from);
  const end = to === undefined ? chars.length : int(to);
  if (to !== undefined && start > end)
    return fail(`invalid substring range. start: ${from as bigint}, end: ${to as bigint}`);
  if (start < 0 || start > chars.length) return outOfRange(from);
  if (end < 0 || end > chars.length) return outOfRange(to);
  return chars.slice(start, end).join("");
};

/** What Go counts as white space. */
const SPACE =
  /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

const join: Implementation = (list, separator) => {
  const parts: string[] = [];
  for (const item of (list as CelList).toArray()) {
    if (typeof item !== "string") return fail(`join: invalid input: ${print(item)}`);
    parts.push(item);
  }
  return parts.join(separator === undefined ? "" : text(separator));
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
        text(value).replaceAll(/[A-Z]/g, (char) => char.toLowerCase()),
      ),
    ],
  },
  {
    name: "upperAscii",
    overloads: [
      member("string_upper_ascii", [STRING], STRING, (value) =>
        text(value).replaceAll(/[a-z]/g, (char) => char.toUpperCase()),
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
  { name: "trim", overloads: [member("string_trim", [STRING], STRING, (value) => text(value).replaceAll(SPACE, ""))] },
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
