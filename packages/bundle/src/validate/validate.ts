/** Validates a bundle: its form, its content, what was selected, and what others forget. */
import { type Bundle, aggregate, readBundle } from "../read/bundle.ts";
import type { BundleFiles } from "../read/files.ts";
import type { Finding } from "./finding.ts";
import { validateAdditional } from "./additional.ts";
import { type CheckRule, formatProblems } from "./format.ts";
import type { Validator, ValidatorValues } from "./validator.ts";
import { runValidators, validateDefaults } from "./validators.ts";

/** The input of a validation. */
export interface Validation {
  readonly files: BundleFiles;
  readonly validators?: readonly Validator[];
  readonly values?: ValidatorValues;
  readonly checkRule?: CheckRule;
  /** Omits the additional checks, for results equal to operator-sdk's. */
  readonly classic?: boolean;
}

/** The verdict. A bundle passes with warnings. */
export interface Verdict {
  readonly passed: boolean;
  readonly findings: readonly Finding[];
  /** Absent if it could not even be read. */
  readonly bundle?: Bundle;
}

/** Validates. Whatever is wrong with a bundle is a finding and never an exception. */
export function validateBundle(validation: Validation): Verdict {
  const { files, checkRule, validators = [], values = { values: {} }, classic = false } = validation;
  const read = readBundle(files);
  const form = formatProblems(files, read.metadata, checkRule).map(toFinding);
  if ("problems" in read) return verdict([...form, toFinding(aggregate(read.problems))]);
  const { bundle } = read;
  const findings = [
    ...form,
    ...validateDefaults(bundle),
    ...runValidators(validators, bundle, values),
    ...(classic ? [] : validateAdditional(bundle)),
  ];
  return { ...verdict(findings), bundle };
}

function toFinding(text: string): Finding {
  return { level: "Error", type: "FormatNotValid", text };
}

function verdict(findings: readonly Finding[]): Verdict {
  return { passed: findings.every(({ level }) => level !== "Error"), findings };
}
