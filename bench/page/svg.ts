/** Plots as SVG: bars for figures side by side, lines for growth. Plain text, so that a diff shows what changed. */
import { median } from "../result.ts";
import type { Growth, Row } from "../result.ts";

const colours: { readonly [contender: string]: string } = {
  capstan: "#0b6e99",
  "controller-runtime": "#8a8f98",
  "controller-runtime-ryw": "#b0b5bd",
  "kube-rs": "#c4662f",
  "client-node": "#b99a2c",
};
const other = "#8a8f98";
const font = `font-family="system-ui, sans-serif" font-size="12"`;

/** One row as bars, in the order of the contenders. */
export function bars({ name, unit, figures }: Row): string {
  const found = Object.entries(figures).map(([contender, values]) => ({ contender, value: median(values) }));
  const most = Math.max(...found.map(({ value }) => value));
  const lines = found.map(({ contender, value }, at) => {
    const y = 34 + at * 24;
    const width = Math.max(1, (value / most) * 380);
    return `  <text x="168" y="${y + 13}" text-anchor="end">${escape(contender)}</text>
  <rect x="176" y="${y}" width="${width.toFixed(1)}" height="18" rx="2" fill="${colours[contender] ?? other}"/>
  <text x="${(182 + width).toFixed(1)}" y="${y + 13}">${formatFigure(value)}</text>`;
  });
  return picture(640, 44 + found.length * 24, `${name}${unit === "" ? "" : `, ${unit}`}`, lines.join("\n"));
}

const box = { left: 60, top: 34, width: 480, height: 220 };

/** The growth of a figure: a straight line means that each object costs the same. */
export function curves({ name, unit, points }: Growth): string {
  const all = Object.values(points).flat();
  const mostX = Math.max(...all.map(([x]) => x));
  const mostY = Math.max(...all.map(([, y]) => y));
  const place = ([x, y]: readonly [number, number]): string =>
    `${(box.left + (x / mostX) * box.width).toFixed(1)},${(box.top + box.height - (y / mostY) * box.height).toFixed(1)}`;
  const lines = Object.entries(points).map(([contender, found]) => {
    const colour = colours[contender] ?? other;
    const [endX = "0", endY = "0"] = place(found.at(-1) ?? [0, 0]).split(",");
    const dots = found.map((point) => {
      const [x, y] = place(point).split(",");
      return `  <circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`;
    });
    return `  <polyline points="${found.map(place).join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>
${dots.join("\n")}
  <text x="${(Number(endX) + 6).toFixed(1)}" y="${(Number(endY) + 4).toFixed(1)}" fill="${colour}">${escape(contender)}</text>`;
  });
  return picture(720, 290, `${name}, ${unit}`, [axes(mostX, mostY), ...lines].join("\n"));
}

function axes(mostX: number, mostY: number): string {
  const bottom = box.top + box.height;
  return `  <path d="M${box.left},${box.top} V${bottom} H${box.left + box.width}" fill="none" stroke="#999"/>
  <text x="${box.left - 6}" y="${box.top + 10}" text-anchor="end">${formatFigure(mostY)}</text>
  <text x="${box.left - 6}" y="${bottom}" text-anchor="end">0</text>
  <text x="${box.left + box.width}" y="${bottom + 18}" text-anchor="end">${mostX.toLocaleString("en")} objects</text>`;
}

function picture(width: number, height: number, title: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ${font} fill="#333">
  <rect width="${width}" height="${height}" fill="#fff"/>
  <text x="12" y="20" font-weight="600">${escape(title)}</text>
${content}
</svg>
`;
}

/** A figure with its significant digits. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  return value >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
