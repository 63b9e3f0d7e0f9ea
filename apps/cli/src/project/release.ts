/** Compares releases by semantic versioning. */

/** Whether the first is newer than the second; false for texts that are not releases. */
export function isNewer(release: string, than: string): boolean {
  const [a, b] = [partsOf(release), partsOf(than)];
  if (a === undefined || b === undefined) return false;
  const difference = compareParts(a.numbers, b.numbers);
  return (difference === 0 ? comparePrereleases(a.prerelease, b.prerelease) : difference) > 0;
}

interface Parts {
  readonly numbers: readonly string[];
  readonly prerelease: readonly string[];
}

function partsOf(release: string): Parts | undefined {
  const found = /^[~^]?v?(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+.*)?$/.exec(release.trim());
  if (found === null) return undefined;
  const [, major = "", minor = "", patch = "", prerelease] = found;
  return { numbers: [major, minor, patch], prerelease: prerelease?.split(".") ?? [] };
}

/** A pre-release is older than its release. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  return a.length === 0 || b.length === 0 ? b.length - a.length : compareParts(a, b);
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (const [at, part] of a.entries()) {
    const difference = comparePart(part, b[at]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Numbers sort before words; more parts sort after fewer. */
function comparePart(a: string, b: string | undefined): number {
  if (b === undefined) return 1;
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOther) return Number(a) - Number(b);
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
