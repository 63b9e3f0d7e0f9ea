/** The levels of built-in meters: what the scheduler counts for a pod, the size of a volume, what a node has. */
import { parseAmount } from "../number/decimal.ts";
import type { SeenObject } from "./line.ts";

/** A level with its dimensions. */
export interface BuiltInLevel {
  readonly amount: bigint;
  readonly dimensions: { readonly [name: string]: string };
}

type Json = { readonly [name: string]: unknown };

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = typeof found === "object" && found !== null ? (found as Json)[name] : undefined;
  return found;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function amount(value: unknown): bigint {
  const shown = typeof value === "number" ? String(value) : text(value);
  return parseAmount(shown) ?? 0n;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The level of an object for a built-in meter; undefined where it counts nothing. */
export function builtInLevel(meter: string, object: SeenObject): BuiltInLevel | undefined {
  switch (meter) {
    case "pod.cpu.request":
      return podLevel(object, "cpu");
    case "pod.memory.request":
      return podLevel(object, "memory");
    case "pvc.size":
      return volumeLevel(object);
    case "node.cpu":
      return { amount: amount(at(object, "status", "capacity", "cpu")), dimensions: nodeDimensions(object) };
    case "node.memory":
      return { amount: amount(at(object, "status", "capacity", "memory")), dimensions: nodeDimensions(object) };
    case "node.count":
      return { amount: 1_000_000n, dimensions: nodeDimensions(object) };
    case "namespace.count":
      return { amount: 1_000_000n, dimensions: {} };
    default:
      return undefined;
  }
}

function nodeDimensions({ metadata: { name = "", labels = {} }, ...rest }: SeenObject): BuiltInLevel["dimensions"] {
  return {
    node: name,
    instance_type: labels["node.kubernetes.io/instance-type"] ?? "",
    zone: labels["topology.kubernetes.io/zone"] ?? "",
    provider_id: text(at(rest, "spec", "providerID")),
  };
}

function volumeLevel(object: SeenObject): BuiltInLevel {
  const granted = at(object, "status", "capacity", "storage") ?? at(object, "spec", "resources", "requests", "storage");
  return {
    amount: amount(granted),
    dimensions: { storageclass: text(at(object, "spec", "storageClassName")), pvc: object.metadata.name ?? "" },
  };
}

function podLevel(pod: SeenObject, resource: string): BuiltInLevel | undefined {
  const node = text(at(pod, "spec", "nodeName"));
  const phase = text(at(pod, "status", "phase"));
  if (node === "" || phase === "Succeeded" || phase === "Failed") return undefined;
  return { amount: podRequest(pod, resource), dimensions: { pod: pod.metadata.name ?? "", node } };
}

/** As the scheduler counts: containers and restartable init containers run together, other init containers one by one before. */
function podRequest(pod: SeenObject, resource: string): bigint {
  const request = (container: unknown): bigint => amount(at(container, "resources", "requests", resource));
  let together = 0n;
  let peak = 0n;
  for (const container of list(at(pod, "spec", "initContainers"))) {
    if (at(container, "restartPolicy") === "Always") {
      together += request(container);
      if (together > peak) peak = together;
    } else if (together + request(container) > peak) peak = together + request(container);
  }
  for (const container of list(at(pod, "spec", "containers"))) together += request(container);
  const containers = together > peak ? together : peak;
  const ofPod = at(pod, "spec", "resources", "requests", resource);
  return (ofPod === undefined ? containers : amount(ofPod)) + amount(at(pod, "spec", "overhead", resource));
}
