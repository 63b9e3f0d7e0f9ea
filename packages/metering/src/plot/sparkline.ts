/** Series in a terminal: one line of blocks each. Pure. */
import { type Panel, shortNumber } from "./series.ts";

const blocks = "▁▂▃▄▅▆▇█";

/** Values as blocks; an empty bucket is a space. Neighbours are added where there are more than columns. */
export function sparkline(values: readonly number[], columns: number): string {
  const per = Math.max(1, Math.ceil(values.length / Math.max(1, columns)));
  const shown = Array.from({ length: Math.ceil(values.length / per) }, (_, at) =>
    values.slice(at * per, (at + 1) * per).reduce((sum, one) => sum + one, 0),
  );
  const top = Math.max(...shown, 0);
  return shown
    .map((value) =>
      value <= 0 || top === 0 ? " " : (blocks[Math.min(7, Math.max(0, Math.ceil((value / top) * 8) - 1))] ?? " "),
    )
    .join("");
}

/** All panels as text. */
export function sparklines(panels: readonly Panel[], columns: number): string {
  return panels
    .map(({ meter, unit, buckets, series }) => {
      const width = Math.min(40, Math.max(...series.map(({ name }) => Array.from(name).length)));
      const room = Math.max(8, columns - width - 14);
      const lines = series.map(({ name, values, total }) => {
        const short =
          Array.from(name).length > width
            ? `${Array.from(name)
                .slice(0, width - 1)
                .join("")}…`
            : name.padEnd(width);
        return `  ${short}  ${sparkline(values, room)}  ${shortNumber(total)}\n`;
      });
      const span = buckets.length < 2 ? (buckets[0] ?? "") : `${buckets[0]} to ${buckets.at(-1)}`;
      return `${meter} (${unit}), ${span}\n${lines.join("")}`;
    })
    .join("\n");
}
