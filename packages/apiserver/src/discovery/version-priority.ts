/** The order of versions: v2 before v1 before v2beta1 before v1alpha3 before all other names. */

const pattern = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };
const stable = 2;

/** Negative when `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  for (const [index, value] of left.entries()) {
    const difference = (right[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Stage, major and minor, the greater the better. */
function parse(version: string): readonly number[] | undefined {
  const match = pattern.exec(version);
  if (match === null) return undefined;
  const [, major, stage, minor] = match;
  return [stage === undefined ? stable : (stages[stage] ?? 0), Number(major), Number(minor ?? 0)];
}
