/** What a program declares about the pods that run it: its manifests, chart, kustomize tree and bundle contain it. */
import type { Affinity, EnvVar, LocalObjectReference, Toleration, Volume, VolumeMount } from "@capstan/kinds/v1";
import type { ResourceRequirements } from "@capstan/kinds/v1";
import { RuntimeError } from "../errors.ts";

/**
 * The pods of an operator and its container, in the words of Kubernetes. All generated files contain it; a chart has it as the defaults of its
 * values.
 *
 * @example
 * const pod: PodOptions = {
 *   priorityClassName: "system-cluster-critical",
 *   env: [{ name: "DNS_TOKEN", valueFrom: { secretKeyRef: { name: "dns", key: "token" } } }],
 *   volumes: [{ name: "ca", configMap: { name: "company-ca" } }],
 *   volumeMounts: [{ name: "ca", mountPath: "/etc/company", readOnly: true }],
 * };
 * operator({ name: "memcached-operator", controllers: [memcached], pod });
 */
export interface PodOptions {
  /** How many replicas run; one of them leads. Default: 1. */
  readonly replicas?: number;
  /** Annotations of the pods. */
  readonly annotations?: { readonly [key: string]: string };
  /** Annotations of the service account, such as the role of a cloud provider. */
  readonly serviceAccountAnnotations?: { readonly [key: string]: string };
  readonly priorityClassName?: string;
  /** Requests and limits of the container. They replace the default ones. */
  readonly resources?: ResourceRequirements;
  /** More environment variables of the container. `capstan dev` sets those with a `value`, unless the shell or `.env` does. */
  readonly env?: readonly EnvVar[];
  readonly volumes?: readonly Volume[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Affinity;
}

/** Throws if no pod could be made of the options. `taken` are variables that the manifests set themselves. */
export function checkPodOptions(
  { replicas = 1, env = [], volumes = [], volumeMounts = [] }: PodOptions,
  taken: readonly string[],
): void {
  if (!Number.isInteger(replicas) || replicas < 0)
    throw badPod(`\`replicas\` is ${replicas}: write a whole number, such as 2`);
  for (const [at, { name }] of env.entries()) {
    if (taken.includes(name)) throw badPod(`\`env\` has ${name}, which the manifests set themselves: rename it`);
    if (env.findIndex((other) => other.name === name) !== at)
      throw badPod(`\`env\` has ${name} twice: keep one of them`);
  }
  for (const { name, mountPath } of volumeMounts) {
    if (volumes.some((volume) => volume.name === name)) continue;
    throw badPod(`${mountPath} mounts the volume "${name}", which \`volumes\` does not have: add it there`);
  }
}

function badPod(why: string): RuntimeError {
  return new RuntimeError("BadSetting", `Cannot use the pod options: ${why}.`);
}
