/** Semantic versions. */

import type { FunctionDeclaration, Implementation } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import type { Library } from "../library/library.ts";
import { BOOL, INT, objectType, STRING, type Type } from "../type.ts";
import { compareText, quote } from "../values/text.ts";
import { parseUint64 } from "../values/number.ts";
import type { CelError, CelValue } from "../values/value.ts";
import { CelObject, fail, noSuchOverload } from "../values/value.ts";

export const SEMVER: Type = objectType("kubernetes.Semver");

/** One part of a pre-release: numbers sort before words. */
type Prerelease = bigint | string;

/** A version. */
export class CelSemver extends CelObject {
  override readonly type: Type = SEMVER;
  /** Major, minor and patch. */
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly Prerelease[];
  readonly build: readonly string[];

  constructor(numbers: readonly bigint[], prerelease: readonly Prerelease[], build: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
    this.build = build;
  }

  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelSemver ? compareVersions(this, other) === 0 : noSuchOverload();
  }

  override get text(): string {
    const pre = this.prerelease.length > 0 ? `-${this.prerelease.join(".")}` : "";
    return `${this.numbers.join(".")}${pre}${this.build.length > 0 ? `+${this.build.join(".")}` : ""}`;
  }
}

/** The error of an invalid version. */
class SemverError extends Error {
  override readonly name = "SemverError";
}

const IDENTIFIER = /^[0-9A-Za-z-]+$/;

export function parseSemver(text: string): CelSemver {
  if (text === "") throw new SemverError("Version string empty");
  const parts = splitThree(text);
  if (parts.length !== 3) throw new SemverError("No Major.Minor.Patch elements found");
  const [majorText = "", minorText = "", rest = ""] = parts;
  const major = parseNumber("major", majorText);
  const minor = parseNumber("minor", minorText);
  const plusAt = rest.indexOf("+");
  const build = plusAt === -1 ? [] : rest.slice(plusAt + 1).split(".");
  const core = plusAt === -1 ? rest : rest.slice(0, plusAt);
  const dashAt = core.indexOf("-");
  const pre = dashAt === -1 ? [] : core.slice(dashAt + 1).split(".");
  const patch = parseNumber("patch", dashAt === -1 ? core : core.slice(0, dashAt));
  const prerelease = pre.map(parsePrerelease);
  for (const part of build) checkBuild(part);
  return new CelSemver([major, minor, patch], prerelease, build);
}

function splitThree(text: string): string[] {
  const [first = "", second, ...rest] = text.split(".");
  if (second === undefined) return [first];
  return rest.length === 0 ? [first, second] : [first, second, rest.join(".")];
}

function parseNumber(name: string, text: string): bigint {
  if (!/^[0-9]*$/.test(text)) throw new SemverError(`Invalid character(s) found in ${name} number ${quote(text)}`);
  if (text.length > 1 && text.startsWith("0")) {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    throw new SemverError(`${title} number must not contain leading zeroes ${quote(text)}`);
  }
  return parseUnsigned(text);
}

function parseUnsigned(text: string): bigint {
  if (text === "") throw new SemverError('strconv.ParseUint: parsing "": invalid syntax');
  const value = parseUint64(text);
  if (value === undefined) throw new SemverError(`strconv.ParseUint: parsing ${quote(text)}: value out of range`);
  return value;
}

function parsePrerelease(text: string): Prerelease {
  if (text === "") throw new SemverError("Prerelease is empty");
  if (/^[0-9]+$/.test(text)) {
    if (text.length > 1 && text.startsWith("0")) {
      throw new SemverError(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`);
    }
    return parseUnsigned(text);
  }
  if (!IDENTIFIER.test(text)) throw new SemverError(`Invalid character(s) found in prerelease ${quote(text)}`);
  return text;
}

function checkBuild(text: string): void {
  if (text === "") throw new SemverError("Build meta data is empty");
  if (!IDENTIFIER.test(text)) throw new SemverError(`Invalid character(s) found in build meta data ${quote(text)}`);
}

/** Drops a leading v and leading zeros, and adds missing parts. */
function normalize(text: string): string {
  const parts = splitThree(text.replace(/^v/, "")).map((part) => {
    if (part.length <= 1) return part;
    const stripped = part.replace(/^0+/, "");
    return /^[0-9]/.test(stripped) ? stripped : `0${stripped}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) {
    throw new SemverError("short version cannot contain PreRelease/Build meta data");
  }
  while (parts.length < 3) parts.push("0");
  return parts.join(".");
}

function compareVersions(a: CelSemver, b: CelSemver): number {
  for (const [index, left] of a.numbers.entries()) {
    const right = b.numbers[index] ?? 0n;
    if (left !== right) return left > right ? 1 : -1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Number(b.prerelease.length > 0) - Number(a.prerelease.length > 0);
  }
  for (let index = 0; index < Math.min(a.prerelease.length, b.prerelease.length); index++) {
    const order = comparePrerelease(a.prerelease[index] as Prerelease, b.prerelease[index] as Prerelease);
    if (order !== 0) return order;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

function comparePrerelease(a: Prerelease, b: Prerelease): number {
  if (typeof a === "string") return typeof b === "string" ? compareText(a, b) : 1;
  if (typeof b === "string") return -1;
  return a < b ? -1 : Number(a > b);
}

const fromString: Implementation = (text, normalizing) => {
  try {
    return parseSemver(normalizing === true ? normalize(text as string) : (text as string));
  } catch (error) {
    if (!(error instanceof SemverError)) throw error;
    return fail(error.message);
  }
};

const isSemver: Implementation = (...args) => fromString(...args) instanceof CelSemver;

function v(value: CelValue | undefined): CelSemver {
  return value as CelSemver;
}

function numberAt(name: string, index: number): FunctionDeclaration {
  const implementation: Implementation = (version) => BigInt.asIntN(64, v(version).numbers[index] ?? 0n);
  return { name, overloads: [member(`semver_${name}`, [SEMVER], INT, implementation)] };
}

export const SEMVER_LIBRARY: Library = {
  name: "kubernetes.Semver",
  functions: [
    {
      name: "semver",
      overloads: [
        overload("string_to_semver", [STRING], SEMVER, fromString),
        overload("string_bool_to_semver", [STRING, BOOL], SEMVER, fromString),
      ],
    },
    {
      name: "isSemver",
      overloads: [
        overload("is_semver_string", [STRING], BOOL, isSemver),
        overload("is_semver_string_bool", [STRING, BOOL], BOOL, isSemver),
      ],
    },
    {
      name: "isGreaterThan",
      overloads: [
        member("semver_is_greater_than", [SEMVER, SEMVER], BOOL, (a, b) => compareVersions(v(a), v(b)) === 1),
      ],
    },
    {
      name: "isLessThan",
      overloads: [member("semver_is_less_than", [SEMVER, SEMVER], BOOL, (a, b) => compareVersions(v(a), v(b)) === -1)],
    },
    {
      name: "compareTo",
      overloads: [member("semver_compare_to", [SEMVER, SEMVER], INT, (a, b) => BigInt(compareVersions(v(a), v(b))))],
    },
    numberAt("major", 0),
    numberAt("minor", 1),
    numberAt("patch", 2),
  ],
};
