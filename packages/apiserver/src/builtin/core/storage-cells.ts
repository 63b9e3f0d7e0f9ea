/** Cells that volumes and claims print alike. */

/** The class of storage was an annotation before it was a field. */
export const classAnnotation = "volume.beta.kubernetes.io/storage-class";

const shortModes: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** Ways of access in short, always in the same order. */
export function accessModesCell(modes: readonly string[]): string {
  return shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}
