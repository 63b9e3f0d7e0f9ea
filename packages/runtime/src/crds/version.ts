/** Orders versions of operators by semantic versioning. */

const FORM =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/u;

/** Whether a text is a version such as `1.2.3` or `1.2.3-rc.1`. */
export function isVersion(text: string): boolean {
  return FORM.test(text);
}

/** Negative if the first version is earlier than the second, positive if it is later; build metadata does not count. */
export function compareVersions(first: string, second: string): number {
  const [, ...ours] = FORM.exec(first) ?? [];
  const [, ...theirs] = FORM.exec(second) ?? [];
  for (let at = 0; at < 3; at++) {
    const order = compareNumbers(ours[at] ?? "0", theirs[at] ?? "0");
    if (order !== 0) return order;
  }
  return comparePrereleases(ours[3], theirs[3]);
}

/** Numbers without leading zeros, of any length. */
function compareNumbers(first: string, second: string): number {
  return first.length - second.length || compareTexts(first, second);
}

function compareTexts(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** A release is later than its prereleases. */
function comparePrereleases(first: string | undefined, second: string | undefined): number {
  if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined);
  const [ours, theirs] = [first.split("."), second.split(".")];
  for (let at = 0; at < Math.min(ours.length, theirs.length); at++) {
    const order = compareParts(ours[at] ?? "", theirs[at] ?? "");
    if (order !== 0) return order;
  }
  return ours.length - theirs.length;
}

function compareParts(first: string, second: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/u.test(first), /^\d+$/u.test(second)];
  if (isNumber && isOtherNumber) return compareNumbers(first, second);
  return isNumber === isOtherNumber ? compareTexts(first, second) : isNumber ? -1 : 1;
}
