/** The pod security levels of a namespace, from its labels: enforce, audit and warn. */
import { fieldErrors, type FieldError } from "@capstan/model";

export type Level = "privileged" | "baseline" | "restricted";

/** A level as of a minor version of Kubernetes 1. Default: latest. */
export interface LevelVersion {
  readonly level: Level;
  readonly minor: number | "latest";
}

/** The policy of a namespace. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

const strictness: Readonly<Record<Level, number>> = { privileged: 0, baseline: 1, restricted: 2 };

/** Negative if the first is less strict. */
export function compareLevels(a: Level, b: Level): number {
  return strictness[a] - strictness[b];
}

/** `baseline:v1.30`. */
export function describeLevel({ level, minor }: LevelVersion): string {
  return `${level}:${minor === "latest" ? minor : `v1.${minor}`}`;
}

export function isSameLevel(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.minor === b.minor;
}

const prefix = "pod-security.kubernetes.io/";

type Labels = { readonly [label: string]: string };

/** The policy, and errors for invalid labels. */
export function policyOf(labels: Labels = {}): { readonly policy: Policy; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const enforceLevel = readLevel(labels, "enforce", errors);
  const enforce = {
    level: enforceLevel.level ?? "privileged",
    minor: readVersion(labels, "enforce", errors) ?? "latest",
  };
  const auditLevel = readLevel(labels, "audit", errors);
  const audit = {
    level: auditLevel.isBad ? "privileged" : (auditLevel.level ?? "privileged"),
    minor: readVersion(labels, "audit", errors) ?? "latest",
  } as const;
  const warnLevel = readLevel(labels, "warn", errors);
  const warnVersion = readVersion(labels, "warn", errors);
  const stated = {
    level: warnLevel.isBad ? "privileged" : (warnLevel.level ?? "privileged"),
    minor: warnVersion ?? "latest",
  } as const;
  // Without a warn label, the enforced level also warns.
  const follows =
    warnLevel.level === undefined && !enforceLevel.isBad && compareLevels(enforce.level, stated.level) > 0;
  const warn = follows ? { level: enforce.level, minor: warnVersion ?? enforce.minor } : stated;
  return { policy: { enforce, audit, warn }, errors };
}

interface ReadLevel {
  readonly level: Level | undefined;
  readonly isBad: boolean;
}

/** An invalid level counts as `restricted` and is reported. */
function readLevel(labels: Labels, mode: string, errors: FieldError[]): ReadLevel {
  const value = labels[prefix + mode];
  if (value === undefined) return { level: undefined, isBad: false };
  if (isLevel(value)) return { level: value, isBad: false };
  errors.push(invalidLabel(mode, value, "must be one of privileged, baseline, restricted"));
  return { level: "restricted", isBad: true };
}

function isLevel(value: string): value is Level {
  return Object.hasOwn(strictness, value);
}

function readVersion(labels: Labels, mode: string, errors: FieldError[]): number | "latest" | undefined {
  const value = labels[`${prefix}${mode}-version`];
  if (value === undefined || value === "latest") return value;
  const match = /^v1\.(0|[1-9][0-9]*)$/.exec(value);
  if (match !== null) return Number(match[1]);
  errors.push(invalidLabel(`${mode}-version`, value, 'must be "latest" or "v1.x"'));
  return "latest";
}

function invalidLabel(name: string, value: string, why: string): FieldError {
  return fieldErrors.invalid(`metadata.labels[${prefix}${name}]`, value, why);
}
