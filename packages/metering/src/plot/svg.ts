/** Panels as an SVG: stacked areas over the buckets, for documents. Pure. */
import { type Panel, type Series, shortNumber } from "./series.ts";

/** Colours that people with any colour vision can tell apart (Okabe and Ito). */
const colours = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800"];
const grey = "#8c8c8c";

const width = 960;
const panelHeight = 300;
const plot = { left: 76, right: 230, top: 44, bottom: 40 } as const;
const font = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"';

/** The whole picture. */
export function toSvg(panels: readonly Panel[]): string {
  const height = Math.max(1, panels.length) * panelHeight;
  const body =
    panels.length === 0
      ? text({ x: width / 2, y: panelHeight / 2, anchor: "middle", size: 14, fill: "#555" }, "no usage in this window")
      : panels
          .map((panel, at) => `<g transform="translate(0 ${at * panelHeight})">${panelSvg(panel, palette(panels))}</g>`)
          .join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${font}>
<rect width="100%" height="100%" fill="#ffffff"/>
${body}
</svg>
`;
}

const inner = { width: width - plot.left - plot.right, height: panelHeight - plot.top - plot.bottom };

/** A name has the same colour in all panels; the sum of small ones is grey. */
function palette(panels: readonly Panel[]): Palette {
  const names = [...new Set(panels.flatMap(({ series }) => series.map(({ name }) => name)))].filter(
    (name) => !isOther(name),
  );
  return (name) => (isOther(name) ? grey : (colours[names.indexOf(name) % colours.length] ?? grey));
}

type Palette = (name: string) => string;

const isOther = (name: string): boolean => /^other \(\d+\)$/.test(name);

function panelSvg({ meter, unit, buckets, series }: Panel, colourOf: Palette): string {
  const sums = buckets.map((_, at) => series.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0));
  const { top, ticks } = scaleOf(Math.max(...sums, 0));
  const y = (value: number): number => plot.top + inner.height * (1 - value / top);
  return [
    text({ x: plot.left, y: 24, anchor: "start", size: 15, fill: "#111", weight: 600 }, `${meter} (${unit})`),
    ...ticks.map(
      (tick) =>
        `<line x1="${plot.left}" x2="${plot.left + inner.width}" y1="${round(y(tick))}" y2="${round(y(tick))}" stroke="#e3e3e3"/>${text({ x: plot.left - 8, y: y(tick) + 4, anchor: "end", size: 11, fill: "#555" }, shortNumber(tick))}`,
    ),
    areas(series, { buckets, y, colourOf }),
    `<line x1="${plot.left}" x2="${plot.left + inner.width}" y1="${round(y(0))}" y2="${round(y(0))}" stroke="#555"/>`,
    xLabels(buckets),
    legend(series, colourOf),
  ].join("\n");
}

interface Axes {
  readonly buckets: readonly string[];
  readonly y: (value: number) => number;
  readonly colourOf: Palette;
}

/** Steps: a quantity belongs to its whole bucket. The largest series is at the bottom. */
function areas(series: readonly Series[], { buckets, y, colourOf }: Axes): string {
  const x = (at: number): number => plot.left + (inner.width * at) / Math.max(1, buckets.length);
  let floor = buckets.map(() => 0);
  const parts = series.map(({ name, values, total }) => {
    const ceiling = floor.map((from, at) => from + Math.max(0, values[at] ?? 0));
    const over = ceiling.flatMap((value, at) => [
      `${round(x(at))},${round(y(value))}`,
      `${round(x(at + 1))},${round(y(value))}`,
    ]);
    const under = floor.flatMap((value, at) => [
      `${round(x(at))},${round(y(value))}`,
      `${round(x(at + 1))},${round(y(value))}`,
    ]);
    floor = ceiling;
    const points = [...over, ...under.reverse()].join(" ");
    return `<polygon points="${points}" fill="${colourOf(name)}" fill-opacity="0.88"><title>${escaped(name)}: ${shortNumber(total)}</title></polygon>`;
  });
  return parts.join("\n");
}

/** As many names as fit. */
function xLabels(buckets: readonly string[]): string {
  const longest = Math.max(...buckets.map((name) => name.length), 1);
  const fits = Math.max(1, Math.floor(inner.width / (longest * 6.4 + 14)));
  const every = Math.ceil(buckets.length / fits);
  return buckets
    .flatMap((name, at) => {
      if (at % every !== 0) return [];
      const x = plot.left + (inner.width * (at + 0.5)) / buckets.length;
      const base = panelHeight - plot.bottom;
      return [
        `<line x1="${round(x)}" x2="${round(x)}" y1="${base}" y2="${base + 4}" stroke="#555"/>`,
        text({ x, y: base + 18, anchor: "middle", size: 11, fill: "#555" }, name),
      ];
    })
    .join("\n");
}

function legend(series: readonly Series[], colourOf: Palette): string {
  const x = plot.left + inner.width + 18;
  return series
    .map(({ name, total }, index) => {
      const y = plot.top + 8 + index * 24;
      const short = Array.from(name).length > 22 ? `${Array.from(name).slice(0, 21).join("")}…` : name;
      const square = `<rect x="${x}" y="${y - 9}" width="11" height="11" rx="2" fill="${colourOf(name)}"/>`;
      const label = text({ x: x + 18, y, anchor: "start", size: 12, fill: "#222" }, short);
      return `${square}${label}${text({ x: width - 12, y, anchor: "end", size: 12, fill: "#555" }, shortNumber(total))}`;
    })
    .join("\n");
}

/** A round top and 4 to 6 steps up to it. */
export function scaleOf(largest: number): { readonly top: number; readonly ticks: readonly number[] } {
  if (largest <= 0) return { top: 1, ticks: [0, 1] };
  const raw = largest / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) ?? 10);
  const count = Math.ceil(largest / step - 1e-9);
  return { top: count * step, ticks: Array.from({ length: count + 1 }, (_, at) => at * step) };
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
  readonly size: number;
  readonly fill: string;
  readonly weight?: number;
}

function text({ x, y, anchor, size, fill, weight = 400 }: Place, content: string): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}" font-weight="${weight}" fill="${fill}">${escaped(content)}</text>`;
}

function round(value: number): string {
  return String(Number(value.toFixed(2)));
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
