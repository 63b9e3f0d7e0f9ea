/** The key order of Go's YAML library: letters after other characters, and numbers in names by value. */

const letter = /\p{L}/u;
const digit = /\p{Nd}/u;

export function compareKeys(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((sign, index) => sign !== right[index]);
  if (at < 0 || at >= right.length) return left.length - right.length;
  return isBefore(left, right, at) ? -1 : 1;
}

/** Whether the first key sorts before the second, given the first position at which they differ. */
function isBefore(left: readonly string[], right: readonly string[], at: number): boolean {
  const [a, b] = [left[at] ?? "", right[at] ?? ""];
  const [isLetter, isOtherLetter] = [letter.test(a), letter.test(b)];
  if (isLetter && isOtherLetter) return a < b;
  if (isLetter || isOtherLetter) return isOtherLetter;
  const hasZero = a === "0" || b === "0";
  const start = hasZero && startsNumber(left, at) ? 1 : 0;
  const [[one, end], [other, otherEnd]] = [numberAt(left, at, start), numberAt(right, at, start)];
  if (one !== other) return one < other;
  return end === otherEnd ? a < b : end < otherEnd;
}

/** Whether nonzero digits precede a position. */
function startsNumber(signs: readonly string[], at: number): boolean {
  for (let before = at - 1; before >= 0 && digit.test(signs[before] ?? ""); before--) {
    if (signs[before] !== "0") return true;
  }
  return false;
}

/** The number at a position and its end; it may begin before the position. */
function numberAt(signs: readonly string[], at: number, start: number): [value: number, end: number] {
  let [value, end] = [start, at];
  for (; digit.test(signs[end] ?? ""); end++) value = value * 10 + Number(signs[end]);
  return [value, end];
}
