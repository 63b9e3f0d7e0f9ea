/** Judges whether a CRD can be replaced by another one without harm to stored objects and clients. */
import type { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { quote } from "@capstan/model";
import { compareField, withoutChildren, type Finding } from "./field-checks.ts";
import { flatten, type CrdVersion } from "./schema.ts";

/** A reason against the upgrade of a CRD. */
export interface CrdFinding extends Finding {
  /** The version, or two of them (`v1alpha1 -> v1`); none if the whole CRD is meant. */
  readonly version?: string;
  /** The path of the field, such as `^.spec.size`. */
  readonly field?: string;
}

/** The reasons against replacing a CRD. There is none if nothing can break. */
export function checkCrdUpgrade(old: CustomResourceDefinition, next: CustomResourceDefinition): CrdFinding[] {
  const findings = [...checkWhole(old, next), ...checkSameVersions(old, next), ...checkServedVersions(old, next)];
  return findings.filter(
    (one, at) => findings.findIndex((other) => formatCrdFinding(other) === formatCrdFinding(one)) === at,
  );
}

/** The text of a finding, as the preflight of ClusterExtensions writes it. */
export function formatCrdFinding({ version, field, check, message }: CrdFinding): string {
  return [version, field, check, message].filter((part) => part !== undefined).join(": ");
}

/** The text of all findings for a CRD; empty without one. */
export function formatCrdFindings(name: string, findings: readonly CrdFinding[]): string {
  if (findings.length === 0) return "";
  return `validating upgrade for CRD ${quote(name)}: ${findings.map(formatCrdFinding).join("\n")}`;
}

function checkWhole(old: CustomResourceDefinition, next: CustomResourceDefinition): CrdFinding[] {
  const scopes = [old.spec.scope, next.spec.scope] as const;
  const scope =
    scopes[0] === scopes[1]
      ? []
      : [{ check: "scope", message: `scope changed : ${quote(scopes[0])} -> ${quote(scopes[1])}` }];
  const kept = new Set(next.spec.versions.map(({ name }) => name));
  const stored = (old.status?.storedVersions ?? []).filter((name) => !kept.has(name));
  const removed = { check: "storedVersionRemoval", message: `stored versions removed : [${stored.join(" ")}]` };
  return [...removedFields(old, next), ...scope, ...(stored.length > 0 ? [removed] : [])];
}

function removedFields(old: CustomResourceDefinition, next: CustomResourceDefinition): CrdFinding[] {
  return sharedVersions(old, next).flatMap(([before, after]) => {
    const left = flatten(after);
    const removed = [...flatten(before).keys()].filter((path) => !left.has(path)).toSorted();
    return removed.map((path) => ({
      check: "existingFieldRemoval",
      message: `removed field : ${after.name}.${path}`,
    }));
  });
}

function sharedVersions(old: CustomResourceDefinition, next: CustomResourceDefinition): [CrdVersion, CrdVersion][] {
  return old.spec.versions.flatMap((before): [CrdVersion, CrdVersion][] => {
    const after = next.spec.versions.find(({ name }) => name === before.name);
    return after === undefined ? [] : [[before, after]];
  });
}

function checkSameVersions(old: CustomResourceDefinition, next: CustomResourceDefinition): CrdFinding[] {
  return sharedVersions(old, next).flatMap(([before, after]) => compareVersions(before, after, before.name));
}

/** Clients of one served version see the objects of another one, unless a webhook converts them. */
function checkServedVersions(old: CustomResourceDefinition, next: CustomResourceDefinition): CrdFinding[] {
  if (next.spec.conversion?.strategy === "Webhook") return [];
  const known = new Set(servedPairs(old).map(formatCrdFinding));
  return servedPairs(next).filter((finding) => !known.has(formatCrdFinding(finding)));
}

function servedPairs({ spec }: CustomResourceDefinition): CrdFinding[] {
  const served = spec.versions.filter((one) => one.served).toSorted((a, b) => compareKubeVersions(a.name, b.name));
  return served.flatMap((a, at) =>
    served.slice(at + 1).flatMap((b) => compareVersions(a, b, `${a.name} -> ${b.name}`)),
  );
}

function compareVersions(before: CrdVersion, after: CrdVersion, version: string): CrdFinding[] {
  const next = flatten(after);
  return [...flatten(before)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([field, schema]) =>
      compareField(withoutChildren(schema), withoutChildren(next.get(field) ?? {})).map((finding) => ({
        version,
        field,
        ...finding,
      })),
    );
}

const stages = ["alpha", "beta", "stable"];

/** Versions by their maturity: v1alpha1, v1alpha2, v1beta1, v1, v2; other names come before them. */
function compareKubeVersions(a: string, b: string): number {
  const rank = (name: string): readonly [number, number, number] | undefined => {
    const [, major, stage = "stable", minor = "0"] = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(name) ?? [];
    return major === undefined ? undefined : [stages.indexOf(stage), Number(major), Number(minor)];
  };
  const [left, right] = [rank(a), rank(b)];
  if (left === undefined || right === undefined) return left === right ? (a < b ? 1 : -1) : left === undefined ? -1 : 1;
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}
