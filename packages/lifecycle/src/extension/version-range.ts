/** Ranges of versions in a ClusterExtension: `1.2.x`, `~1.2`, `^1`, `>=1.0.0, <2.0.0`, `1.0 - 2.0`, alternatives with `||`. */
import { comparePre, compareVersions, parseVersion, type Version } from "@capstan/bundle";
import { byteLength, quote } from "@capstan/model";

/** A range, or the message of the original about an invalid one. */
export type RangeReading = { readonly range: (version: Version) => boolean } | { readonly problem: string };

const maxBytes = 512;
const maxAlternatives = 32;

const part = String.raw`[0-9|xX*]+`;
const identifiers = String.raw`[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`;
const versionPattern = String.raw`v?${part}(?:\.${part})?(?:\.${part})?(?:-${identifiers})?(?:\+${identifiers})?`;
const hyphenated = new RegExp(String.raw`(${versionPattern})\s+-\s+(${versionPattern})`, "g");
const operators = /(?:!=|>=|=>|<=|=<|~>|=|>|<|~|\^)?/y;
const versions = new RegExp(versionPattern, "y");
const spaces = /\s*/y;
const versionParts = new RegExp(
  String.raw`^v?(${part})(?:\.(${part}))?(?:\.(${part}))?(?:-(${identifiers}))?(?:\+(?:${identifiers}))?$`,
);

/** Reads a range in the dialect of ClusterExtensions. It differs from that of skipRange and of dependencies. */
export function readVersionRange(text: string): RangeReading {
  if (byteLength(text) > maxBytes) return { problem: `constraint string is too long (max ${maxBytes} bytes)` };
  const alternatives = text.replace(hyphenated, ">= $1, <= $2 ").split("||");
  if (alternatives.length > maxAlternatives) return { problem: `too many constraint groups (max ${maxAlternatives})` };
  const read = alternatives.map(readAlternative);
  const problem = read.find((one) => "problem" in one);
  if (problem !== undefined) return problem;
  return { range: (version) => read.some((one) => "range" in one && one.range(version)) };
}

function readAlternative(text: string): RangeReading {
  const comparisons = splitComparisons(text);
  if (comparisons === undefined) return { problem: `improper constraint: ${quote(text)}` };
  const bounds = comparisons.map(({ operator, version }) => readBound(operator, version));
  if (bounds.some((one) => one === undefined)) return { problem: "constraint parser error" };
  const known = bounds.filter((one) => one !== undefined);
  // Pre-releases count only where the range names one.
  const countsPre = known.some(({ version }) => version.pre.length > 0);
  return { range: (version) => (version.pre.length === 0 || countsPre) && known.every((one) => holds(one, version)) };
}

interface Comparison {
  readonly operator: string;
  readonly version: string;
}

/** The comparisons of an alternative, which spaces or a comma separate; undefined if the text is something else. */
function splitComparisons(text: string): Comparison[] | undefined {
  const found: Comparison[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const taken = pattern.exec(text)?.[0];
    at += taken?.length ?? 0;
    return taken;
  };
  take(spaces);
  do {
    const operator = take(operators) ?? "";
    take(spaces);
    const version = take(versions);
    if (version === undefined) return undefined;
    found.push({ operator, version });
    const end = at;
    take(spaces);
    if (at === text.length) return found;
    const comma = text[at] === ",";
    if (comma) at++;
    if (at === end) return undefined;
    if (comma) take(spaces);
  } while (at < text.length);
  return undefined;
}

/** A comparison: its version with zeros for what is open, and the first part that is open. */
interface Bound {
  readonly operator: string;
  readonly version: Version;
  readonly open: "none" | "major" | "minor" | "patch";
}

function readBound(operator: string, text: string): Bound | undefined {
  const [, major = "", minor, patch, pre] = versionParts.exec(text) ?? [];
  const isOpen = (one: string | undefined): boolean => one === undefined || /^[xX*]$/.test(one);
  const suffix = pre === undefined ? "" : `-${pre}`;
  const bound = (numbers: string, open: Bound["open"]): Bound | undefined => {
    const plain = numbers.split(".").map((one) => one.replace(/^0+(?=[0-9])/, ""));
    const version = parseVersion(plain.join(".") + suffix);
    return version && { operator, version, open };
  };
  if (isOpen(major)) return bound("0.0.0", "major");
  if (isOpen(minor)) return bound(`${major}.0.0`, "minor");
  if (isOpen(patch)) return bound(`${major}.${minor ?? ""}.0`, "patch");
  return bound(`${major}.${minor ?? ""}.${patch ?? ""}`, "none");
}

function holds(bound: Bound, version: Version): boolean {
  const order = compareVersions(version, bound.version);
  switch (bound.operator) {
    case "":
    case "=":
      return bound.open === "none" ? order === 0 : isTilde(bound, version);
    case "!=":
      return differs(bound, version);
    case ">":
      return isAbove(bound, version);
    case "<":
      return order < 0;
    case ">=":
    case "=>":
      return order >= 0;
    case "<=":
    case "=<":
      return isAtMost(bound, version);
    case "^":
      return isCaret(bound, version);
    default:
      return isTilde(bound, version);
  }
}

/** `!=1.2.x` excludes all of 1.2. The major version alone never excludes `*`, as in the original. */
function differs({ version: bound, open }: Bound, version: Version): boolean {
  if (open === "none") return compareVersions(version, bound) !== 0;
  if (version.major !== bound.major) return true;
  if (open === "minor") return false;
  if (version.minor !== bound.minor) return true;
  if (open === "patch") return comparePre(version.pre, bound.pre) !== 0;
  return version.patch === bound.patch ? compareVersions(version, bound) !== 0 : true;
}

/** `>1` means from 2.0.0, and `>1.2` from 1.3.0. */
function isAbove({ version: bound, open }: Bound, version: Version): boolean {
  if (open === "none") return compareVersions(version, bound) > 0;
  if (version.major !== bound.major) return version.major > bound.major;
  if (open === "minor") return false;
  return open === "patch" ? version.minor > bound.minor : compareVersions(version, bound) > 0;
}

/** `<=1` includes all of 1, and `<=1.2` all of 1.2. */
function isAtMost({ version: bound, open }: Bound, version: Version): boolean {
  if (open === "none") return compareVersions(version, bound) <= 0;
  if (version.major > bound.major) return false;
  return !(version.major === bound.major && version.minor > bound.minor && open !== "minor");
}

function isTilde({ version: bound, open }: Bound, version: Version): boolean {
  if (compareVersions(version, bound) < 0) return false;
  const isZero = bound.major === 0n && bound.minor === 0n && bound.patch === 0n;
  if (isZero && open !== "minor" && open !== "patch") return true;
  return version.major === bound.major && (version.minor === bound.minor || open === "minor");
}

function isCaret({ version: bound, open }: Bound, version: Version): boolean {
  if (compareVersions(version, bound) < 0) return false;
  if (bound.major > 0n || open === "minor") return version.major === bound.major;
  if (version.major > 0n) return false;
  if (bound.minor > 0n || open === "patch") return version.minor === bound.minor;
  return version.minor === 0n && version.patch === bound.patch;
}
