/** The inline configuration of a bundle: watched namespaces, and changes to its Deployments. Its install modes decide what is valid. */
import { patternMessage, quote } from "@capstan/model";
import type { SubscriptionConfig } from "../../kinds/subscription.ts";
import { ExtensionError } from "../errors.ts";

/** A checked configuration. */
export interface BundleConfig {
  /** Undefined: the install modes decide. */
  readonly watchNamespaces?: readonly string[];
  readonly deploymentConfig?: SubscriptionConfig;
}

interface ConfigQuestion {
  readonly inline: { readonly [field: string]: unknown } | undefined;
  /** The modes that the operator supports. */
  readonly modes: readonly string[];
  /** The namespace of the operator. */
  readonly namespace: string;
}

const deploymentFields: Readonly<Record<keyof Omit<SubscriptionConfig, "selector">, "object" | "array">> = {
  affinity: "object",
  annotations: "object",
  env: "array",
  envFrom: "array",
  nodeSelector: "object",
  resources: "object",
  tolerations: "array",
  volumeMounts: "array",
  volumes: "array",
};

/** Reads the configuration; throws an ExtensionError with all problems. */
export function readBundleConfig({ inline = {}, modes, namespace }: ConfigQuestion): BundleConfig {
  const has = (mode: string): boolean => modes.includes(mode);
  const isConfigurable = has("SingleNamespace") || has("OwnNamespace");
  const watch = inline["watchNamespace"] ?? undefined;
  const several = inline["watchNamespaces"] ?? undefined;
  const isRequired = isConfigurable && !has("AllNamespaces") && several === undefined;
  const known = { isConfigurable, isMulti: has("MultiNamespace") };
  const problems = [
    ...(isRequired && watch === undefined ? ['required field "watchNamespace" is missing'] : []),
    ...unknownFields(inline, known),
    ...(isConfigurable && watch !== undefined
      ? nameProblems(watch, { own: has("OwnNamespace"), single: has("SingleNamespace"), namespace })
      : []),
    ...(has("MultiNamespace") && several !== undefined ? severalProblems(several) : []),
    ...deploymentProblems(inline["deploymentConfig"]),
  ];
  if (problems.length > 0) throw invalid(problems);
  return toConfig(watch, several, inline["deploymentConfig"]);
}

function toConfig(watch: unknown, several: unknown, deploymentConfig: unknown): BundleConfig {
  return {
    ...(typeof watch === "string" ? { watchNamespaces: [watch] } : {}),
    ...(several === undefined ? {} : { watchNamespaces: several as readonly string[] }),
    // Its fields were checked above; the server checks what they contain.
    ...(deploymentConfig === undefined ? {} : { deploymentConfig: deploymentConfig as SubscriptionConfig }),
  };
}

interface Known {
  readonly isConfigurable: boolean;
  readonly isMulti: boolean;
}

function unknownFields(inline: object, known: Known): readonly string[] {
  return Object.keys(inline)
    .filter((field) => !isKnown(field, known))
    .map((field) => `unknown field ${quote(field)}`);
}

function isKnown(field: string, { isConfigurable, isMulti }: Known): boolean {
  if (field === "watchNamespace") return isConfigurable;
  if (field === "watchNamespaces") return isMulti;
  return field === "deploymentConfig";
}

function invalid(problems: readonly string[]): ExtensionError {
  const [only] = problems;
  const text = problems.length === 1 ? only : `multiple errors found:\n  - ${problems.join("\n  - ")}`;
  const message = `invalid ClusterExtension configuration: invalid configuration: ${text}`;
  return new ExtensionError("InvalidConfiguration", message);
}

const LONGEST = 63;
const pattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/u;
const patternText = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

interface Modes {
  readonly own: boolean;
  readonly single: boolean;
  readonly namespace: string;
}

function nameProblems(value: unknown, { own, single, namespace }: Modes): readonly string[] {
  const field = "watchNamespace";
  if (typeof value !== "string") return [`invalid type for field "${field}": got ${typeName(value)}, want string`];
  if (value.length === 0) return [`field "${field}" must have minimum length of 1 (len=0)`];
  if (value.length > LONGEST) return [`field "${field}" must have maximum length of ${LONGEST} (len=${value.length})`];
  if (!pattern.test(value)) return [`field "${field}" must match pattern ${quote(patternText)}`];
  const format = (name: string, text: string): string =>
    `invalid format for field "${field}": ${quote(value)} is not valid ${name}: invalid value ${quote(value)}: ${text}`;
  if (own && !single && value !== namespace)
    return [
      format(
        "ownNamespaceInstallMode",
        `must be ${quote(namespace)} (the namespace where the operator is installed) because this operator only supports OwnNamespace install mode`,
      ),
    ];
  if (single && !own && value === namespace)
    return [
      format(
        "singleNamespaceInstallMode",
        `must be different from ${quote(namespace)} (the install namespace) because this operator uses SingleNamespace install mode to watch a different namespace`,
      ),
    ];
  return [];
}

/** `watchNamespaces` is an extension: operator-controller does not support the install mode MultiNamespace. */
function severalProblems(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0)
    return ['invalid type for field "watchNamespaces": want a list of namespaces'];
  return value
    .filter((each) => typeof each !== "string" || !pattern.test(each) || each.length > LONGEST)
    .map(
      (each) =>
        `invalid value ${quote(String(each))} in field "watchNamespaces": ${patternMessage("a name", patternText)}`,
    );
}

function deploymentProblems(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object" || Array.isArray(value))
    return [`invalid type for field "deploymentConfig": got ${typeName(value)}, want object`];
  return Object.entries(value).flatMap(([field, content]) => {
    if (!Object.hasOwn(deploymentFields, field)) return [`unknown field ${quote(field)}`];
    const wanted = Object.entries(deploymentFields).find(([name]) => name === field)?.[1];
    const actual = typeName(content);
    return actual === wanted
      ? []
      : [`invalid type for field "deploymentConfig.${field}": got ${actual}, want ${wanted}`];
  });
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
