/** Unified diff with three lines of context; matches the blocks of Python's difflib. */

type Tag = "equal" | "replace" | "delete" | "insert";

/** Lines `aStart..aEnd` of the first text correspond to `bStart..bEnd` of the second. */
interface Block {
  readonly tag: Tag;
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

const context = 3;

/** The diff of two texts; empty if they are equal. */
export function unifiedDiff(before: string, after: string): string {
  const a = before.split("\n");
  const b = after.split("\n");
  return groups(blocks(matches(a, b)))
    .map((group) => formatGroup(group, a, b))
    .join("");
}

/** Where lines occur in the second text. In long texts, popular lines are left out, as in difflib. */
function positions(lines: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  lines.forEach((line, index) => {
    const places = found.get(line);
    if (places === undefined) found.set(line, [index]);
    else places.push(index);
  });
  if (lines.length < 200) return found;
  const most = Math.floor(lines.length / 100) + 1;
  for (const [line, places] of found) if (places.length > most) found.delete(line);
  return found;
}

function matches(a: readonly string[], b: readonly string[]): Match[] {
  const places = positions(b);
  const found: Match[] = [];
  const search = (aLow: number, aHigh: number, bLow: number, bHigh: number): void => {
    const match = longestMatch({ a, b, places }, [aLow, aHigh, bLow, bHigh]);
    if (match.size === 0) return;
    if (aLow < match.a && bLow < match.b) search(aLow, match.a, bLow, match.b);
    found.push(match);
    if (match.a + match.size < aHigh && match.b + match.size < bHigh) {
      search(match.a + match.size, aHigh, match.b + match.size, bHigh);
    }
  };
  search(0, a.length, 0, b.length);
  return [...joinAdjacent(found), { a: a.length, b: b.length, size: 0 }];
}

interface Texts {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** The longest run of equal lines within the bounds, the earliest of several, extended at both ends by popular lines. */
function longestMatch(
  { a, b, places }: Texts,
  [aLow, aHigh, bLow, bHigh]: readonly [number, number, number, number],
): Match {
  let best: Match = { a: aLow, b: bLow, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? "") ?? []) {
      if (j < bLow || j >= bHigh) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a: start, b: other, size } = best;
  while (start > aLow && other > bLow && a[start - 1] === b[other - 1]) {
    start--;
    other--;
    size++;
  }
  while (start + size < aHigh && other + size < bHigh && a[start + size] === b[other + size]) size++;
  return { a: start, b: other, size };
}

function joinAdjacent(found: readonly Match[]): Match[] {
  const joined: Match[] = [];
  for (const match of found) {
    const last = joined.at(-1);
    if (last !== undefined && last.a + last.size === match.a && last.b + last.size === match.b) {
      joined[joined.length - 1] = { ...last, size: last.size + match.size };
    } else joined.push(match);
  }
  return joined;
}

function blocks(found: readonly Match[]): Block[] {
  const result: Block[] = [];
  let [i, j] = [0, 0];
  for (const { a, b, size } of found) {
    const tag = tagOf(i < a, j < b);
    if (tag !== undefined) result.push({ tag, aStart: i, aEnd: a, bStart: j, bEnd: b });
    if (size > 0) result.push({ tag: "equal", aStart: a, aEnd: a + size, bStart: b, bEnd: b + size });
    [i, j] = [a + size, b + size];
  }
  return result;
}

function tagOf(removes: boolean, adds: boolean): Tag | undefined {
  if (removes && adds) return "replace";
  if (removes) return "delete";
  return adds ? "insert" : undefined;
}

/** Changes with their context lines; a long unchanged run ends a hunk. */
function groups(all: readonly Block[]): Block[][] {
  const trimmed = [...all];
  const first = trimmed[0];
  if (first?.tag === "equal") trimmed[0] = lastLines(first, context);
  const last = trimmed.at(-1);
  if (last?.tag === "equal") trimmed[trimmed.length - 1] = firstLines(last, context);
  const result: Block[][] = [];
  let group: Block[] = [];
  for (const block of trimmed) {
    if (block.tag === "equal" && block.aEnd - block.aStart > 2 * context) {
      result.push([...group, firstLines(block, context)]);
      group = [lastLines(block, context)];
    } else group.push(block);
  }
  result.push(group);
  return result.filter((one) => one.some(({ tag }) => tag !== "equal"));
}

function firstLines(block: Block, count: number): Block {
  return {
    ...block,
    aEnd: Math.min(block.aEnd, block.aStart + count),
    bEnd: Math.min(block.bEnd, block.bStart + count),
  };
}

function lastLines(block: Block, count: number): Block {
  return {
    ...block,
    aStart: Math.max(block.aStart, block.aEnd - count),
    bStart: Math.max(block.bStart, block.bEnd - count),
  };
}

function formatGroup(group: readonly Block[], a: readonly string[], b: readonly string[]): string {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return "";
  const head = `@@ -${formatRange(first.aStart, last.aEnd)} +${formatRange(first.bStart, last.bEnd)} @@\n`;
  const lines = group.flatMap(({ tag, aStart, aEnd, bStart, bEnd }) => {
    if (tag === "equal") return a.slice(aStart, aEnd).map((line) => ` ${line}\n`);
    return [...a.slice(aStart, aEnd).map((line) => `-${line}\n`), ...b.slice(bStart, bEnd).map((line) => `+${line}\n`)];
  });
  return head + lines.join("");
}

function formatRange(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return `${start + 1}`;
  return `${length === 0 ? start : start + 1},${length}`;
}
