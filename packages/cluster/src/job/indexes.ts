/** Sets of completion indexes and their text form: `0-3,7`. Pure. */

/** Parses indexes; those at or above the limit are left out. */
export function parseIndexes(text: string | undefined, limit: number): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/u.exec(part) ?? [];
    if (first === undefined) continue;
    for (let index = Number(first); index <= Math.min(Number(last), limit - 1); index++) indexes.add(index);
  }
  return indexes;
}

/** Formats indexes; consecutive ones become a range. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  let first: number | undefined;
  let last: number | undefined;
  const close = (): void => {
    if (first === undefined || last === undefined) return;
    if (first === last) parts.push(String(first));
    else parts.push(last === first + 1 ? `${first},${last}` : `${first}-${last}`);
  };
  for (const index of [...indexes].sort((a, b) => a - b)) {
    if (last !== undefined && index === last + 1) last = index;
    else {
      close();
      first = last = index;
    }
  }
  close();
  return parts.join(",");
}
