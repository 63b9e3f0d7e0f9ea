/** Strings that fit a schema: of a format, of a pattern, or any. */
import fc from "fast-check";
import type { Arbitrary } from "fast-check";
import type { JsonSchema } from "../json-schema.ts";

/** Strings by format; the API server ignores other formats. */
const formats: { readonly [format: string]: Arbitrary<string> } = {
  "date-time": fc.tuple(days(), times()).map(([day, time]) => `${day}T${time}Z`),
  date: days(),
  duration: fc.tuple(fc.nat(99), fc.constantFrom("ms", "s", "m", "h")).map(([amount, unit]) => `${amount}${unit}`),
  byte: fc.uint8Array({ maxLength: 12 }).map((bytes) => btoa(String.fromCodePoint(...bytes))),
  uuid: fc.uuid(),
  ipv4: fc.ipV4(),
  ipv6: fc.constantFrom("::1", "fe80::1", "2001:db8::8a2e:370:7334"),
  cidr: fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, bits]) => `${address}/${bits}`),
  email: fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.org$/u),
  hostname: fc.stringMatching(/^[a-z][a-z0-9]{0,8}\.example$/u),
  uri: fc.stringMatching(/^https:\/\/[a-z]{1,8}\.example\/[a-z]{0,8}$/u),
};

function days(): Arbitrary<string> {
  const two = (value: number): string => String(value).padStart(2, "0");
  // Every month has 28 days.
  const parts = fc.tuple(
    fc.integer({ min: 2000, max: 2099 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  );
  return parts.map(([year, month, day]) => `${year}-${two(month)}-${two(day)}`);
}

function times(): Arbitrary<string> {
  return fc.stringMatching(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/u);
}

/** Strings of a schema. */
export function textOf({ format, pattern, minLength = 0, maxLength }: JsonSchema): Arbitrary<string> {
  const most = Math.min(maxLength ?? Infinity, Math.max(minLength, 20));
  const length = (text: string): number => Array.from(text).length;
  const fits = (text: string): boolean => length(text) >= minLength && length(text) <= (maxLength ?? Infinity);
  const known = format === undefined ? undefined : formats[format];
  if (known !== undefined) return known.filter(fits);
  if (pattern !== undefined) return fc.stringMatching(inAscii(pattern)).filter(fits);
  return fc.string({ minLength, maxLength: most });
}

/** Kubernetes' patterns are Go's; fast-check draws from what both dialects have in common. Without flags fewer strings fit. */
function inAscii(pattern: string): RegExp {
  return new RegExp(
    pattern
      .replace(/^\(\?[ims]+\)/u, "")
      .replaceAll(/\[\[:(alpha|digit|alnum|lower|upper):\]\]/gu, (_, name: string) => classes[name] ?? ""),
  );
}

const classes: { readonly [name: string]: string } = {
  alpha: "[A-Za-z]",
  digit: "[0-9]",
  alnum: "[A-Za-z0-9]",
  lower: "[a-z]",
  upper: "[A-Z]",
};
