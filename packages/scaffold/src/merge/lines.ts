/** The difference between two texts, line by line: Myers' shortest edit script. */

/** A run of lines that changed: `[fromStart, fromEnd)` of the old text became `[toStart, toEnd)` of the new one. */
export interface Change {
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly toStart: number;
  readonly toEnd: number;
}

/** The lines of a text; what follows the last line break is a line only if it is not empty. */
export function toLines(text: string): string[] {
  return text.split(/(?<=\n)/);
}

/** The runs of lines in which two texts differ, in order. */
export function diffLines(from: readonly string[], to: readonly string[]): Change[] {
  const changes: Change[] = [];
  let fromAt = 0;
  let toAt = 0;
  for (const [fromLine, toLine] of [...commonLines(from, to), [from.length, to.length] as const]) {
    if (fromLine > fromAt || toLine > toAt) {
      changes.push({ fromStart: fromAt, fromEnd: fromLine, toStart: toAt, toEnd: toLine });
    }
    fromAt = fromLine + 1;
    toAt = toLine + 1;
  }
  return changes;
}

/** Pairs of equal lines that a shortest edit script keeps. */
function commonLines(from: readonly string[], to: readonly string[]): (readonly [number, number])[] {
  const trace = forward(from, to);
  const pairs: (readonly [number, number])[] = [];
  let x = from.length;
  let y = to.length;
  for (let depth = trace.length - 1; depth >= 0; depth--) {
    const reach = trace[depth] ?? new Map<number, number>();
    const k = x - y;
    const down = k === -depth || (k !== depth && reachOf(reach, k - 1) < reachOf(reach, k + 1));
    const before = down ? k + 1 : k - 1;
    const startX = depth === 0 ? 0 : reachOf(reach, before);
    const startY = depth === 0 ? 0 : startX - before;
    while (x > startX && y > startY && from[x - 1] === to[y - 1]) pairs.push([--x, --y]);
    x = startX;
    y = startY;
  }
  return pairs.reverse();
}

/** For each number of edits, the reach of every diagonal before that many were made. */
function forward(from: readonly string[], to: readonly string[]): Map<number, number>[] {
  const trace: Map<number, number>[] = [];
  const reach = new Map<number, number>([[1, 0]]);
  for (let depth = 0; depth <= from.length + to.length; depth++) {
    trace.push(new Map(reach));
    for (let k = -depth; k <= depth; k += 2) {
      const down = k === -depth || (k !== depth && reachOf(reach, k - 1) < reachOf(reach, k + 1));
      let x = down ? reachOf(reach, k + 1) : reachOf(reach, k - 1) + 1;
      while (x < from.length && x - k < to.length && from[x] === to[x - k]) x++;
      reach.set(k, x);
      if (x >= from.length && x - k >= to.length) return trace;
    }
  }
  return trace;
}

function reachOf(reach: ReadonlyMap<number, number>, diagonal: number): number {
  return reach.get(diagonal) ?? -1;
}
