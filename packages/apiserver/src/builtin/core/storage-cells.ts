/** Table cells that volumes and claims share. */

/** The storage class was an annotation before it became a field. */
export const classAnnotation = "volume.beta.kubernetes.io/storage-class";

const shortModes: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** Access modes in short form, always in the same order. */
export function accessModesCell(modes: readonly string[]): string {
  return shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}
