/** The tables of the page, from rows of figures. */
import { formatLimit, judge } from "../ceilings.ts";
import type { Limit } from "../ceilings.ts";
import { median } from "../result.ts";
import type { Row } from "../result.ts";
import { formatFigure } from "./svg.ts";

/** One suite as a table: a column for each contender, the promise, and whether it holds. */
export function table(rows: readonly Row[]): string {
  const contenders = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const verdicts = new Map(judge(rows).map((verdict) => [verdict.row.name, verdict]));
  const head = ["", ...contenders, "promise", "kept"];
  const lines = rows.map((row) => {
    const cells = contenders.map((contender) => formatCell(row, contender));
    const verdict = verdicts.get(row.name);
    const promise = verdict === undefined ? "" : formatLimit(verdict.limit);
    const kept = verdict === undefined ? "" : verdict.holds ? "yes" : `**no** (${formatRatio(row, verdict.limit)})`;
    return [row.unit === "" ? row.name : `${row.name}, ${row.unit}`, ...cells, promise, kept];
  });
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The median, with the extremes if there were several rounds. */
function formatCell({ figures }: Row, contender: string): string {
  const found = figures[contender];
  if (found === undefined) return "";
  const [least, most] = [Math.min(...found), Math.max(...found)].map(formatFigure);
  const middle = formatFigure(median(found));
  return least === most ? middle : `${middle} (${least}–${most})`;
}

function formatRatio({ figures }: Row, limit: Limit): string {
  const own = median(figures["capstan"] ?? []);
  if (!("times" in limit)) return formatFigure(own);
  return `${formatFigure(own / median(figures[limit.times] ?? []))} x`;
}
