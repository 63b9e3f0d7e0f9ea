/** The releases of etcd that this operator knows. */

/** The newest of each minor version: where an update stops on its way, and what `3.6.x` means. */
export const newestPatches: { readonly [minor: number]: string } = { 5: "3.5.35", 6: "3.6.16", 7: "3.7.3" };

/** `3.6.x` as a release; anything else as it is. */
export function resolveVersion(version: string): string {
  const [major, minor, patch] = version.split(".");
  return patch === "x" ? (newestPatches[Number(minor)] ?? `${major}.${minor}.0`) : version;
}
