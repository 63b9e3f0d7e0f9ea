/** Validation of the environment of a container. */
import type {
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "@capstan/kinds/v1";
import {
  checkConfigMapKey,
  checkDns1123Subdomain,
  checkRelaxedEnvVarName,
  fieldErrors,
  parseQuantity,
  toQuantity,
  compareQuantities,
  type FieldError,
} from "@capstan/model";
import { checkName } from "../../metadata/check.ts";
import { checkLabelName, checkPresent, checkQualified, invalidEach, isEmpty } from "../meta/checks.ts";
import { checkNoBacksteps } from "./paths.ts";

/** Checks names and sources of variables. */
export function checkEnv(env: readonly EnvVar[], path: string): FieldError[] {
  return env.flatMap((variable, index) => {
    const { name, value, valueFrom } = variable;
    const here = `${path}[${index}]`;
    const named =
      name === ""
        ? [fieldErrors.required(`${here}.name`)]
        : invalidEach(`${here}.name`, name, checkRelaxedEnvVarName(name));
    return valueFrom === undefined ? named : [...named, ...checkSource(valueFrom, value, `${here}.valueFrom`)];
  });
}

const envFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

function checkSource(source: EnvVarSource, value: string | undefined, path: string): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  const errors = [
    ...(fieldRef === undefined ? [] : checkFieldRef(fieldRef, envFields, `${path}.fieldRef`)),
    ...(resourceFieldRef === undefined ? [] : checkResourceRef(resourceFieldRef, false, `${path}.resourceFieldRef`)),
    ...(configMapKeyRef === undefined ? [] : checkKeyRef(configMapKeyRef, `${path}.configMapKeyRef`)),
    ...(secretKeyRef === undefined ? [] : checkKeyRef(secretKeyRef, `${path}.secretKeyRef`)),
    ...(fileKeyRef === undefined ? [] : checkFileRef(fileKeyRef, `${path}.fileKeyRef`)),
  ];
  return [...errors, ...checkSourceCount(Object.keys(source).length, value, path)];
}

function checkSourceCount(count: number, value: string | undefined, path: string): FieldError[] {
  if (count === 0) {
    const why =
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    return [fieldErrors.invalid(path, "", why)];
  }
  if (!isEmpty(value)) return [fieldErrors.invalid(path, "", "may not be specified when `value` is not empty")];
  return count > 1 ? [fieldErrors.invalid(path, "", "may not have more than one field specified at a time")] : [];
}

const podFields = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
  "spec.host",
]);

/** A reference to a pod field; only some fields are supported in each place. */
export function checkFieldRef(
  { apiVersion = "", fieldPath }: ObjectFieldSelector,
  allowed: readonly string[],
  path: string,
): FieldError[] {
  if (apiVersion === "") return [fieldErrors.required(`${path}.apiVersion`)];
  if (fieldPath === "") return [fieldErrors.required(`${path}.fieldPath`)];
  const convertible = (why: string): FieldError[] => [
    fieldErrors.invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`),
  ];
  if (apiVersion !== "v1") return convertible(`unsupported pod version: ${apiVersion}`);
  const subscript = /^(.+?)\['(.*)'\]$/s.exec(fieldPath);
  if (subscript !== null) {
    const [, field = "", key = ""] = subscript;
    if (field === "metadata.annotations") return checkQualified(key.toLowerCase(), path);
    if (field === "metadata.labels") return checkQualified(key, path);
    return convertible(`field label does not support subscript: ${fieldPath}`);
  }
  if (!podFields.has(fieldPath)) return convertible(`field label not supported: ${fieldPath}`);
  const internal = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  return allowed.includes(internal) ? [] : [fieldErrors.notSupported(`${path}.fieldPath`, internal, allowed)];
}

const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const hugePageField = /^(requests|limits)\.hugepages-/;

/** A reference to a resource of a container; in a volume it must name the container. */
export function checkResourceRef(
  { containerName, resource, divisor }: ResourceFieldSelector,
  inVolume: boolean,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (inVolume && isEmpty(containerName)) errors.push(fieldErrors.required(`${path}.containerName`));
  else if (resource === "") errors.push(fieldErrors.required(`${path}.resource`));
  else if (!resourceFields.includes(resource) && !hugePageField.test(resource)) {
    errors.push(fieldErrors.notSupported(`${path}.resource`, resource, resourceFields));
  }
  return [...errors, ...checkDivisor(resource, divisor, `${path}.divisor`)];
}

const byteDivisors = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

function checkDivisor(resource: string, divisor: string | undefined, path: string): FieldError[] {
  if (divisor === undefined || compareQuantities(parseQuantity(divisor), toQuantity(0)) === 0) return [];
  const refuse = (values: string, what: string): FieldError[] => [
    fieldErrors.invalid(path, resource, `only divisor's values ${values} are supported with the ${what} resource`),
  ];
  if (/^(limits|requests)\.cpu$/.test(resource)) {
    return divisor === "1" || divisor === "1m" ? [] : refuse("1m and 1", "cpu");
  }
  if (byteDivisors.split(", ").includes(divisor)) return [];
  if (/^(limits|requests)\.memory$/.test(resource)) return refuse(byteDivisors, "memory");
  if (/^(limits|requests)\.ephemeral-storage$/.test(resource)) return refuse(byteDivisors, "local ephemeral storage");
  return hugePageField.test(resource) ? refuse(byteDivisors, "hugepages") : [];
}

function checkKeyRef({ name = "", key }: { readonly name?: string; readonly key: string }, path: string): FieldError[] {
  return [
    ...invalidEach(`${path}.name`, name, checkDns1123Subdomain(name)),
    ...(key === "" ? [fieldErrors.required(`${path}.key`)] : invalidEach(`${path}.key`, key, checkConfigMapKey(key))),
  ];
}

function checkFileRef(
  { key, volumeName, path: file }: NonNullable<EnvVarSource["fileKeyRef"]>,
  path: string,
): FieldError[] {
  return [
    ...(key === ""
      ? [fieldErrors.required(`${path}.key`)]
      : invalidEach(`${path}.key`, key, checkRelaxedEnvVarName(key))),
    ...(volumeName === ""
      ? [fieldErrors.required(`${path}.volumeName`)]
      : checkLabelName(volumeName, `${path}.volumeName`)),
    ...(file === "" ? [fieldErrors.required(`${path}.path`)] : checkNoBacksteps(file, `${path}.path`)),
  ];
}

/** Checks `envFrom`: variables from config maps and secrets. */
export function checkEnvFrom(sources: readonly EnvFromSource[], path: string): FieldError[] {
  return sources.flatMap(({ prefix = "", configMapRef, secretRef }, index) => {
    const here = `${path}[${index}]`;
    const count = Number(configMapRef !== undefined) + Number(secretRef !== undefined);
    return [
      ...(prefix === "" ? [] : invalidEach(`${here}.prefix`, prefix, checkRelaxedEnvVarName(prefix))),
      ...(configMapRef === undefined ? [] : checkSetRef(configMapRef.name, `${here}.configMapRef.name`)),
      ...(secretRef === undefined ? [] : checkSetRef(secretRef.name, `${here}.secretRef.name`)),
      ...(count === 0 ? [fieldErrors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")] : []),
      ...(count > 1 ? [fieldErrors.invalid(path, "", "may not have more than one field specified at a time")] : []),
    ];
  });
}

/** kube-apiserver validates the name as a prefix, so one trailing dash passes. */
function checkSetRef(name: string | undefined, path: string): FieldError[] {
  if (isEmpty(name)) return checkPresent(name, path);
  return invalidEach(path, name, checkName(name, "dns-subdomain", true));
}
