/** Semantic versions as the operator framework reads them: strictly, or tolerantly. */
import { quote } from "@capstan/model";

/** A version. Builds do not count when versions are compared. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: readonly (string | bigint)[];
  readonly build: readonly string[];
}

const identifier = /^[0-9A-Za-z-]+$/;
const limit = 2n ** 64n;

/** A version, or other tools' message for an invalid one. */
export type Reading = { readonly version: Version } | { readonly problem: string };

/** Reads `1.2.3-rc.1+build`, and nothing less. */
export function readVersion(text: string): Reading {
  if (text === "") return { problem: "Version string empty" };
  const parts = splitFirst(text);
  if (parts.length !== 3) return { problem: "No Major.Minor.Patch elements found" };
  const [major = "", minor = "", rest = ""] = parts;
  const [withPre, build] = cut(rest, "+");
  const [patch, pre] = cut(withPre, "-");
  const problem =
    numberProblem("Major", major) ??
    numberProblem("Minor", minor) ??
    numberProblem("Patch", patch) ??
    pre?.map(preProblem).find((one) => one !== undefined) ??
    build?.map(buildProblem).find((one) => one !== undefined);
  if (problem !== undefined) return { problem };
  const [a, b, c] = [BigInt(major), BigInt(minor), BigInt(patch)];
  return { version: { major: a, minor: b, patch: c, pre: (pre ?? []).map(toPre), build: build ?? [] } };
}

/** The version, where a text is one. */
export function parseVersion(text: string): Version | undefined {
  const reading = readVersion(text);
  return "version" in reading ? reading.version : undefined;
}

function cut(text: string, mark: string): readonly [string, readonly string[] | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1).split(".")];
}

function numberProblem(part: "Major" | "Minor" | "Patch", text: string): string | undefined {
  if (!/^[0-9]+$/.test(text)) {
    // An empty text has no invalid character; the missing number is reported later.
    if (text === "") return 'strconv.ParseUint: parsing "": invalid syntax';
    return `Invalid character(s) found in ${part.toLowerCase()} number ${quote(text)}`;
  }
  if (text.length > 1 && text.startsWith("0")) return `${part} number must not contain leading zeroes ${quote(text)}`;
  return tooLarge(text);
}

function tooLarge(text: string): string | undefined {
  return BigInt(text) < limit ? undefined : `strconv.ParseUint: parsing ${quote(text)}: value out of range`;
}

/** The problem of one pre-release identifier: numbers compare numerically and must not start with a zero. */
export function preProblem(text: string): string | undefined {
  if (text === "") return "Prerelease is empty";
  if (/^[0-9]+$/.test(text)) {
    if (text.length > 1 && text.startsWith("0"))
      return `Numeric PreRelease version must not contain leading zeroes ${quote(text)}`;
    return tooLarge(text);
  }
  return identifier.test(text) ? undefined : `Invalid character(s) found in prerelease ${quote(text)}`;
}

function buildProblem(text: string): string | undefined {
  if (text === "") return "Build meta data is empty";
  return identifier.test(text) ? undefined : `Invalid character(s) found in build meta data ${quote(text)}`;
}

function toPre(text: string): string | bigint {
  return /^[0-9]+$/.test(text) ? BigInt(text) : text;
}

/** Reads what people write: a leading v, missing parts, leading zeros. */
export function readTolerant(text: string): Reading {
  const parts = splitFirst(text.trim().replace(/^v/, ""));
  const plain = parts.map((part) => (part.length > 1 ? withoutZeros(part) : part));
  if (parts.length < 3 && /[+-]/.test(plain.at(-1) ?? ""))
    return { problem: "Short version cannot contain PreRelease/Build meta data" };
  return readVersion([...plain, "0", "0"].slice(0, 3).join("."));
}

/** The version, where a text can be taken for one. */
export function parseTolerant(text: string): Version | undefined {
  const reading = readTolerant(text);
  return "version" in reading ? reading.version : undefined;
}

/** At most three parts: dots after the second belong to the third. */
function splitFirst(text: string): string[] {
  const [major = "", minor, ...rest] = text.split(".");
  if (minor === undefined) return [major];
  return rest.length === 0 ? [major, minor] : [major, minor, rest.join(".")];
}

/** Zeros in front go, but one stays where no digit follows. */
function withoutZeros(part: string): string {
  const stripped = part.replace(/^0+/, "");
  return /^[0-9]/.test(stripped) ? stripped : `0${stripped}`;
}

/** Which of two versions is higher: below zero if it is the second. */
export function compareVersions(a: Version, b: Version): number {
  for (const part of ["major", "minor", "patch"] as const) {
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  return comparePre(a.pre, b.pre);
}

/** Orders pre-releases; a longer one with the same beginning is higher. */
export function comparePre(a: Version["pre"], b: Version["pre"]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [left = "", right = ""] = [a[at], b[at]];
    if (left === right) continue;
    if (typeof left !== typeof right) return typeof left === "bigint" ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** The version as text. */
export function formatVersion({ major, minor, patch, pre, build }: Version): string {
  const head = `${major}.${minor}.${patch}`;
  return `${head}${pre.length > 0 ? `-${pre.join(".")}` : ""}${build.length > 0 ? `+${build.join(".")}` : ""}`;
}

/** The zero version. */
export const noVersion: Version = { major: 0n, minor: 0n, patch: 0n, pre: [], build: [] };
