/** Whether a pod exceeds its ephemeral-storage limits, by the rules and in the words of the kubelet. Pure. */
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, quantityToInteger } from "@capstan/model";
import type { Quantity } from "@capstan/model";
import type { Container, PodSpec } from "@capstan/kinds/v1";

/** Pods from this priority on are critical and never evicted. */
const criticalPriority = 2_000_000_000;

const resource = "ephemeral-storage";

/** The disk usage of the parts of a pod in bytes, by name. */
export interface DiskUse {
  /** The emptyDir volumes; those in memory count as empty. */
  readonly volumes: ReadonlyMap<string, bigint>;
  /** The writable layers and logs of containers. */
  readonly containers: ReadonlyMap<string, bigint>;
}

/** Whether a pod has to be measured: that walks through all its files. */
export function isLimited({ volumes = [], containers, initContainers = [], priority = 0 }: PodSpec): boolean {
  if (priority >= criticalPriority) return false;
  return (
    volumes.some(({ emptyDir }) => emptyDir?.medium !== "Memory" && emptyDir?.sizeLimit !== undefined) ||
    [...containers, ...initContainers].some((one) => limitOf(one) !== undefined)
  );
}

/** The eviction message; `undefined` while all limits hold. Volumes are checked first, then the whole pod, then its containers. */
export function outgrown(spec: PodSpec, use: DiskUse): string | undefined {
  return outgrownVolume(spec, use) ?? outgrownPod(spec, use) ?? outgrownContainer(spec, use);
}

function outgrownVolume({ volumes = [] }: PodSpec, use: DiskUse): string | undefined {
  for (const { name, emptyDir } of volumes) {
    const limit = emptyDir?.sizeLimit;
    const bytes = limit === undefined ? 0n : bytesOf(parseQuantity(limit));
    if (limit !== undefined && bytes > 0n && (use.volumes.get(name) ?? 0n) > bytes)
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;
  }
  return undefined;
}

function outgrownPod(spec: PodSpec, { volumes, containers }: DiskUse): string | undefined {
  const limit = podLimit(spec);
  const used = [...volumes.values(), ...containers.values()].reduce((sum, bytes) => sum + bytes, 0n);
  if (limit === undefined || used <= bytesOf(limit)) return undefined;
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(limit)}. `;
}

function outgrownContainer({ containers }: PodSpec, use: DiskUse): string | undefined {
  for (const container of containers) {
    const limit = limitOf(container);
    const bytes = limit === undefined ? 0n : bytesOf(limit);
    if (limit !== undefined && bytes > 0n && (use.containers.get(container.name) ?? 0n) > bytes)
      return `Container ${container.name} exceeded its local ephemeral storage limit "${formatQuantity(limit)}". `;
  }
  return undefined;
}

/**
 * Containers and sidecars together, or an init container with the sidecars before it, if that is more; a container without a limit adds
 * nothing.
 */
function podLimit({ containers, initContainers = [] }: PodSpec): Quantity | undefined {
  let sidecars: Quantity | undefined;
  let most: Quantity | undefined;
  for (const one of initContainers) {
    const here = sum(sidecars, limitOf(one));
    if (one.restartPolicy === "Always") sidecars = here;
    most = larger(most, here);
  }
  return larger(containers.map(limitOf).reduce(sum, sidecars), most);
}

function sum(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  return a === undefined || b === undefined ? (a ?? b) : addQuantities(a, b);
}

function larger(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareQuantities(a, b) < 0 ? b : a;
}

function limitOf({ resources }: Container): Quantity | undefined {
  const text = resources?.limits?.[resource];
  return text === undefined ? undefined : parseQuantity(text);
}

function bytesOf(quantity: Quantity): bigint {
  return quantityToInteger(quantity, 0);
}
