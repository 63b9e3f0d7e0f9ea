/** Runs the checks of a level on a pod. */
import type { Container, Pod } from "@capstan/kinds/v1";
import { baselineChecks } from "./baseline.ts";
import type { Check, Checked, Violation } from "./check.ts";
import type { LevelVersion } from "./policy.ts";
import { restrictedChecks } from "./restricted.ts";

/** All violations of a pod at a level, in order. */
export function violationsOf({ level, minor }: LevelVersion, pod: Checked): Violation[] {
  if (level === "privileged") return [];
  const baseline = inForce(baselineChecks, minor);
  const restricted = level === "restricted" ? inForce(restrictedChecks, minor) : [];
  const overridden = new Set(restricted.map(({ overrides }) => overrides));
  const checks = [...baseline.filter(({ id }) => !overridden.has(id)), ...restricted];
  return checks.flatMap(({ check }) => check(pod) ?? []);
}

interface InForce {
  readonly id: string;
  readonly overrides: string | undefined;
  readonly check: (pod: Checked) => Violation | undefined;
}

function inForce(checks: readonly Check[], minor: LevelVersion["minor"]): InForce[] {
  return checks.flatMap(({ id, versions }) => {
    const found = versions.findLast(({ since }) => minor === "latest" || since <= minor);
    return found === undefined ? [] : { id, overrides: found.overrides, check: (pod) => found.check(pod) };
  });
}

/** The checked fields of a pod or template. */
export function toChecked(annotations: Checked["annotations"], spec: NonNullable<Pod["spec"]>): Checked {
  const containers = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...((spec.ephemeralContainers ?? []) as readonly Container[]),
  ];
  return { annotations, spec, containers, security: spec.securityContext ?? {} };
}

/** `hostPort (container "a" uses hostPort 1), privileged`. */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}
