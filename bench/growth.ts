/** Whether cost grows in a straight line: what the last objects cost, beside what those before them did. */
import type { Growth, Results, Row } from "./result.ts";

/** What is measured as it grows; each has a row that says how straight it is, and a ceiling. */
export const growths = {
  cpu: { name: "CPU of a burst", unit: "s" },
  peak: { name: "peak memory of a burst", unit: "MiB" },
  cached: { name: "memory with cached ConfigMaps of 1 KB", unit: "MiB" },
} as const;

/** The name of the row that says how straight a growth is. */
export function bendName(growth: string): string {
  return `${growth}, an object of the last stretch over one before`;
}

/** The rows of results and those that follow from their curves. */
export function rowsOf({ rows, growth }: Pick<Results, "rows" | "growth">): readonly Row[] {
  return [...rows, ...growth.map(straightness)];
}

/** How straight a curve is, of everybody who was measured often enough. */
function straightness({ name, points }: Growth): Row {
  const found = Object.entries(points).flatMap(([contender, curve]) => {
    const bend = bendOf(curve);
    return bend === undefined ? [] : [[contender, [bend]] as const];
  });
  return { suite: "scale", name: bendName(name), unit: "x", figures: Object.fromEntries(found) };
}

/** Points of a curve: how many objects, and what they cost together. */
type Points = Growth["points"][string];

/**
 * What one more object costs between the two largest sizes, over what it costs up to there. 1 is a straight line, whatever a start costs
 * without objects; undefined where there are too few points to tell.
 */
export function bendOf(points: Points): number | undefined {
  const sorted = [...points].sort(([a], [b]) => a - b);
  const [first, last, before] = [sorted[0], sorted.at(-1), sorted.at(-2)];
  if (sorted.length < 3 || first === undefined || last === undefined || before === undefined) return undefined;
  return slope(before, last) / slope(first, before);
}

function slope([fromX, fromY]: Points[number], [toX, toY]: Points[number]): number {
  return (toY - fromY) / (toX - fromX);
}
