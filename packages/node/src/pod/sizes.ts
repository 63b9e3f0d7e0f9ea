/** Which volume of a pod has outgrown what it may hold, as the kubelet judges and tells it. Pure. */
import { parseQuantity, quantityToInteger } from "@capstan/model";
import type { PodSpec } from "@capstan/kinds/v1";

/** Pods that nobody evicts begin at this priority. */
const criticalPriority = 2_000_000_000;

interface Limited {
  readonly name: string;
  readonly limit: string;
  readonly bytes: bigint;
}

/** The volumes that have to be measured: folders on disk with a limit. Those in memory cannot outgrow theirs. */
export function limitedVolumes({ volumes = [], priority = 0 }: PodSpec): readonly Limited[] {
  if (priority >= criticalPriority) return [];
  return volumes.flatMap(({ name, emptyDir }) => {
    const limit = emptyDir?.medium === "Memory" ? undefined : emptyDir?.sizeLimit;
    const bytes = limit === undefined ? 0n : quantityToInteger(parseQuantity(limit), 0);
    return limit === undefined || bytes <= 0n ? [] : [{ name, limit, bytes }];
  });
}

/** Why the pod has to go; `undefined` while everything fits. */
export function outgrown(volumes: readonly Limited[], used: ReadonlyMap<string, bigint>): string | undefined {
  const found = volumes.find(({ name, bytes }) => (used.get(name) ?? 0n) > bytes);
  return found && `Usage of EmptyDir volume "${found.name}" exceeds the limit "${found.limit}". `;
}
