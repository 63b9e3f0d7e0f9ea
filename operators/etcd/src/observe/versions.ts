/** The etcd releases known to this operator. */

/** The newest release of each minor version, for intermediate updates and for `3.6.x`. */
export const newestPatches: { readonly [minor: number]: string } = { 5: "3.5.35", 6: "3.6.16", 7: "3.7.3" };

/** Resolves `3.6.x` to a release; other versions stay as they are. */
export function resolveVersion(version: string): string {
  const [major, minor, patch] = version.split(".");
  return patch === "x" ? (newestPatches[Number(minor)] ?? `${major}.${minor}.0`) : version;
}
