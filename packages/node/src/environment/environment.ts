/** Builds the environment of a container: service variables, then `envFrom`, then `env`, where each variable can refer to earlier ones. */
import type { BoundPod } from "../pod/containers.ts";
import type { Container, EnvFromSource, EnvVar } from "@capstan/kinds/v1";
import type { Objects } from "../agent/objects.ts";
import { NodeError } from "../errors.ts";
import { fieldOf, resourceOf, type Allocatable } from "./downward.ts";
import { expand } from "./expand.ts";

/** The sources of an environment. */
export interface EnvironmentContext {
  readonly objects: Objects;
  readonly allocatable: Allocatable;
  readonly services: ReadonlyMap<string, string>;
}

/** The environment of a container of a pod; it overrides the variables of the image. */
export async function environmentOf(
  pod: BoundPod,
  container: Container,
  context: EnvironmentContext,
): Promise<ReadonlyMap<string, string>> {
  const variables = new Map(context.services);
  for (const source of container.envFrom ?? []) await addAll(variables, pod, source, context.objects);
  for (const one of container.env ?? []) {
    const value = await valueOf(one, { pod, container, context, variables });
    if (value !== undefined) variables.set(one.name, value);
  }
  return variables;
}

async function addAll(
  variables: Map<string, string>,
  pod: BoundPod,
  { configMapRef, secretRef, prefix = "" }: EnvFromSource,
  objects: Objects,
): Promise<void> {
  const namespace = pod.metadata.namespace ?? "";
  if (configMapRef !== undefined) {
    const found = await objects.configMap(namespace, configMapRef.name ?? "");
    if (found === undefined) refuseUnlessOptional("configmap", configMapRef);
    for (const [key, value] of Object.entries(found?.data ?? {})) variables.set(prefix + key, value);
  }
  if (secretRef !== undefined) {
    const found = await objects.secret(namespace, secretRef.name ?? "");
    if (found === undefined) refuseUnlessOptional("secret", secretRef);
    for (const [key, value] of Object.entries(found?.data ?? {})) variables.set(prefix + key, decode(value));
  }
}

function refuseUnlessOptional(kind: string, { name = "", optional }: Omit<KeyReference, "key">): void {
  if (optional !== true) throw missing(kind, name);
}

interface Surroundings {
  readonly pod: BoundPod;
  readonly container: Container;
  readonly context: EnvironmentContext;
  readonly variables: ReadonlyMap<string, string>;
}

async function valueOf(one: EnvVar, around: Surroundings): Promise<string | undefined> {
  const { valueFrom } = one;
  if (valueFrom === undefined) return expand(one.value ?? "", around.variables);
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef !== undefined) return fieldOf(around.pod, fieldRef.fieldPath);
  if (resourceFieldRef !== undefined)
    return resourceOf(
      containerFor(around, resourceFieldRef.containerName),
      resourceFieldRef,
      around.context.allocatable,
    );
  if (configMapKeyRef !== undefined) return keyOfConfigMap(configMapKeyRef, around);
  return secretKeyRef === undefined ? undefined : keyOfSecret(secretKeyRef, around);
}

function containerFor({ pod, container }: Surroundings, name: string | undefined): Container {
  if (name === undefined || name === "") return container;
  return pod.spec.containers.find((one) => one.name === name) ?? container;
}

interface KeyReference {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

async function keyOfConfigMap(
  { name = "", key, optional }: KeyReference,
  around: Surroundings,
): Promise<string | undefined> {
  const namespace = around.pod.metadata.namespace ?? "";
  const found = await around.context.objects.configMap(namespace, name);
  const value = found?.data?.[key];
  if (value !== undefined || optional === true) return value;
  throw found === undefined ? missing("configmap", name) : noKey(key, "ConfigMap", `${namespace}/${name}`);
}

async function keyOfSecret(
  { name = "", key, optional }: KeyReference,
  around: Surroundings,
): Promise<string | undefined> {
  const namespace = around.pod.metadata.namespace ?? "";
  const found = await around.context.objects.secret(namespace, name);
  const value = found?.data?.[key];
  if (value !== undefined) return decode(value);
  if (optional === true) return undefined;
  throw found === undefined ? missing("secret", name) : noKey(key, "Secret", `${namespace}/${name}`);
}

function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

function missing(kind: string, name: string): NodeError {
  return new NodeError("CreateContainerConfigError", `${kind} "${name}" not found`);
}

function noKey(key: string, kind: string, name: string): NodeError {
  return new NodeError("CreateContainerConfigError", `couldn't find key ${key} in ${kind} ${name}`);
}
