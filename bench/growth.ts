/** Whether cost grows linearly: the cost of the last objects compared with those before. */
import type { Growth, Results, Row } from "./result.ts";

/** The measured growths; each has a row for its linearity, and a ceiling. */
export const growths = {
  cpu: { name: "CPU of a burst", unit: "s" },
  peak: { name: "peak memory of a burst", unit: "MiB" },
  cached: { name: "memory with cached ConfigMaps of 1 KB", unit: "MiB" },
} as const;

/** The name of the row for the linearity of a growth. */
export function bendName(growth: string): string {
  return `${growth}, an object of the last stretch over one before`;
}

/** The rows of results and those that follow from their curves. */
export function rowsOf({ rows, growth }: Pick<Results, "rows" | "growth">): readonly Row[] {
  return [...rows, ...growth.map(straightness)];
}

/** The linearity of a curve, of each contender with enough points. */
function straightness({ name, points }: Growth): Row {
  const found = Object.entries(points).flatMap(([contender, curve]) => {
    const bend = bendOf(curve);
    return bend === undefined ? [] : [[contender, [bend]] as const];
  });
  return { suite: "scale", name: bendName(name), unit: "x", figures: Object.fromEntries(found) };
}

/** Points of a curve: the number of objects, and their total cost. */
type Points = Growth["points"][string];

/**
 * The cost of one more object between the two largest sizes, over its cost up to there. 1 is a straight line, whatever a start costs
 * without objects; undefined with too few points.
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
