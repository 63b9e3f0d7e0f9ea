/** Ranges of versions, as dependencies and catalogs state them. */
import { compareVersions, noVersion, parseVersion, type Version } from "./semver.ts";

const number = /^(0|[1-9][0-9]*)$/;

/** Whether versions are in a range such as `>=1.0.0 <2.0.0 || 3.x`. */
export type Range = (version: Version) => boolean;

/** Parses a range; undefined if it is invalid. */
export function parseRange(text: string): Range | undefined {
  const alternatives = splitRange(text);
  if (alternatives === undefined) return undefined;
  const parsed = alternatives.map((all) => all.map(parseComparison));
  if (parsed.some((all) => all.some((one) => one === undefined))) return undefined;
  return (version) => parsed.some((all) => all.every((holds) => holds?.(version) ?? false));
}

/** The parts between `||`; operators may be separated from their versions. */
function splitRange(text: string): string[][] | undefined {
  const joined = text.trim().replace(/([><=!]+)\s+/g, "$1");
  const words = joined
    .split(/\s+/)
    .flatMap((word) => word.split(/(\|\|)/))
    .filter((word) => word !== "");
  const groups: string[][] = [[]];
  for (const word of words) {
    if (word === "||") groups.push([]);
    else groups.at(-1)?.push(word);
  }
  return groups.every((group) => group.length > 0) ? groups : undefined;
}

const operators: { readonly [operator: string]: (order: number) => boolean } = {
  "": (order) => order === 0,
  "=": (order) => order === 0,
  "==": (order) => order === 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  "!": (order) => order !== 0,
  "!=": (order) => order !== 0,
};

function parseComparison(word: string): Range | undefined {
  const [, sign = "", rest = ""] = /^([><=!]*)(.*)$/s.exec(word) ?? [];
  const holds = operators[sign];
  if (holds === undefined) return undefined;
  if (/x/.test(rest)) return wildcard(sign, rest);
  const bound = parseVersion(rest);
  return bound && ((version) => holds(compareVersions(version, bound)));
}

/** `1.x` means from 1.0.0 up to but not including 2.0.0. */
function wildcard(sign: string, text: string): Range | undefined {
  const parts = text.split(".");
  const at = parts.indexOf("x");
  const isPlain = parts.length <= 3 && parts.slice(0, at).every((part) => number.test(part)) && at > 0;
  if (!isPlain || parts.slice(at).some((part) => part !== "x")) return undefined;
  const fixed = parts.slice(0, at).map(BigInt);
  const low = versionOf(fixed);
  const high = versionOf([...fixed.slice(0, -1), (fixed.at(-1) ?? 0n) + 1n]);
  const [fromLow, fromHigh] = [(v: Version) => compareVersions(v, low), (v: Version) => compareVersions(v, high)];
  switch (sign) {
    case ">":
      return (version) => fromHigh(version) >= 0;
    case ">=":
      return (version) => fromLow(version) >= 0;
    case "<":
      return (version) => fromLow(version) < 0;
    case "<=":
      return (version) => fromHigh(version) < 0;
    case "!":
    case "!=":
      return (version) => fromLow(version) < 0 || fromHigh(version) >= 0;
    default:
      return (version) => fromLow(version) >= 0 && fromHigh(version) < 0;
  }
}

function versionOf([major = 0n, minor = 0n, patch = 0n]: readonly bigint[]): Version {
  return { ...noVersion, major, minor, patch };
}
