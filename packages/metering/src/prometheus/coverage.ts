/** Which steps of a window have a reading of a counter. */
import type { PrometheusSource } from "../book/book.ts";
import type { Stretch } from "../engine/stretch.ts";
import type { Sample } from "./counter-pieces.ts";

/** The steps in which any series has a reading. */
export function sampledStretches(
  { step }: Pick<PrometheusSource, "step">,
  bySeries: ReadonlyMap<string, readonly Sample[]> | undefined,
  { from, to }: { readonly from: number; readonly to: number },
): Stretch[] {
  const steps = new Set<number>();
  for (const samples of bySeries?.values() ?? [])
    for (const { at } of samples) if (at >= from - step && at < to) steps.add(Math.floor(at / step));
  return [...steps].map((index) => ({ start: index * step, end: (index + 1) * step }));
}
