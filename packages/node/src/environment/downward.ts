/** The downward API: fields of a pod and resources of its containers. Pure. */
import type { BoundPod } from "../pod/containers.ts";
import { parseQuantity, quantityToInteger } from "@capstan/model";
import type { Container, ResourceFieldSelector } from "@capstan/kinds/v1";
import { NodeError } from "../errors.ts";

type FieldReader = (pod: BoundPod) => string | undefined;

const fields: { readonly [path: string]: FieldReader } = {
  "metadata.name": ({ metadata }) => metadata.name,
  "metadata.namespace": ({ metadata }) => metadata.namespace,
  "metadata.uid": ({ metadata }) => metadata.uid,
  "metadata.labels": ({ metadata }) => linesOf(metadata.labels),
  "metadata.annotations": ({ metadata }) => linesOf(metadata.annotations),
  "spec.nodeName": ({ spec }) => spec.nodeName,
  "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName,
  "status.podIP": ({ status }) => status?.podIP,
  "status.podIPs": ({ status }) => listOf(status?.podIPs),
  "status.hostIP": ({ status }) => status?.hostIP,
  "status.hostIPs": ({ status }) => listOf(status?.hostIPs),
};

/** The value of a pod field as text; maps are lines of `key="value"`, sorted. */
export function fieldOf(pod: BoundPod, path: string): string {
  const keyed = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path);
  if (keyed !== null) return pod.metadata[keyed[1] === "labels" ? "labels" : "annotations"]?.[keyed[2] ?? ""] ?? "";
  const read = fields[path];
  if (read === undefined) throw new NodeError("CreateContainerConfigError", `unsupported fieldPath: ${path}`);
  return read(pod) ?? "";
}

function listOf(addresses: readonly { readonly ip?: string }[] = []): string {
  return addresses.map(({ ip }) => ip).join(",");
}

function linesOf(map: { readonly [key: string]: string } = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join("\n");
}

/** The allocatable resources of the node, which apply where a container sets no limit. */
export type Allocatable = { readonly [resource: string]: string };

/** The requested amount of a resource of a container, in units of the divisor, rounded up. */
export function resourceOf(
  { resources }: Container,
  { resource, divisor }: ResourceFieldSelector,
  allocatable: Allocatable,
): string {
  const [source = "", ...rest] = resource.split(".");
  const name = rest.join(".");
  const declared = source === "limits" ? (resources?.limits?.[name] ?? allocatable[name]) : resources?.requests?.[name];
  const scale = name === "cpu" ? -3 : 0;
  const unit = quantityToInteger(parseQuantity(isZero(divisor) ? "1" : divisor), scale);
  const amount = quantityToInteger(parseQuantity(declared ?? "0"), scale);
  return String((amount + unit - 1n) / unit);
}

function isZero(divisor: string | undefined): divisor is undefined {
  return divisor === undefined || divisor === "0" || divisor === "";
}
