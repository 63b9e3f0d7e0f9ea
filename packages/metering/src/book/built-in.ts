/** The meters that need no expression: what pods request, volumes, nodes and namespaces. */
import type { Meter } from "./book.ts";

const nodeDimensions = ["node", "instance_type", "zone", "provider_id"];

function builtIn(name: string, unit: string, kind: string, dimensions: readonly string[]): Meter {
  return {
    name,
    type: "level",
    unit,
    aggregate: "sum",
    objects: { apiVersion: "v1", kind, value: "", dimensions: {} },
    builtIn: true,
    dimensions,
    hash: [],
  };
}

/** A meter of metrics.k8s.io: no rule reads it from objects. */
function measured(name: string, unit: string, dimensions: readonly string[]): Meter {
  return { name, type: "level", unit, aggregate: "sum", dimensions, hash: [] };
}

/** The built-in meters by name. A book names those that it wants. */
export const builtInMeters: ReadonlyMap<string, Meter> = new Map(
  [
    builtIn("pod.cpu.request", "core", "Pod", ["pod", "node"]),
    builtIn("pod.memory.request", "byte", "Pod", ["pod", "node"]),
    builtIn("pvc.size", "byte", "PersistentVolumeClaim", ["storageclass", "pvc"]),
    builtIn("node.cpu", "core", "Node", nodeDimensions),
    builtIn("node.memory", "byte", "Node", nodeDimensions),
    builtIn("node.count", "node", "Node", nodeDimensions),
    builtIn("namespace.count", "namespace", "Namespace", []),
    measured("pod.cpu.usage", "core", ["pod", "container", "node"]),
    measured("pod.memory.usage", "byte", ["pod", "container", "node"]),
    measured("node.cpu.usage", "core", ["node"]),
    measured("node.memory.usage", "byte", ["node"]),
  ].map((meter) => [meter.name, meter]),
);
