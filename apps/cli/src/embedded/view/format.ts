/** A cluster on one screen: its nodes, its pods (unhealthy ones first) and the latest events. Pure. */
import { formatAge } from "@capstan/model";
import { formatTable, type Table } from "../../output/print.ts";
import { styleOf, type Style } from "../../output/style.ts";
import type { Terminal } from "../../terminal.ts";
import type { ServerRow, ServerTable } from "./server-table.ts";

/** A Kubernetes event. */
export interface Happening {
  readonly at: number;
  readonly isWarning: boolean;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
}

/** The content of the view. */
export interface ClusterView {
  readonly nodes: ServerTable;
  readonly pods: ServerTable;
  /** In order of time, the latest last. */
  readonly happenings: readonly Happening[];
  readonly now: number;
}

const mostPods = 15;
const mostNodes = 5;

/** How many of the latest events are shown. */
export const mostHappenings = 6;

const well = new Set(["Running", "Completed", "Succeeded"]);

/** The whole screen, as wide as the terminal. */
export function formatView(view: ClusterView, terminal: Pick<Terminal, "columns" | "color">): string {
  const style = styleOf(terminal);
  const parts = [
    section(nodeTable(view, style), moreOf(view.nodes, mostNodes), terminal),
    section(podTable(view, style), moreOf(view.pods, mostPods), terminal),
    view.happenings.length === 0 ? "" : section(eventTable(view, style), 0, terminal),
  ];
  return `\n${parts.filter((part) => part !== "").join("\n")}${style.dim("q quit")}\n`;
}

function section(table: Table, more: number, terminal: Pick<Terminal, "columns" | "color">): string {
  const note = more > 0 ? `${styleOf(terminal).dim(`and ${more} more`)}\n` : "";
  return `${formatTable(table, terminal)}${note}`;
}

function moreOf({ rows, more }: ServerTable, most: number): number {
  return Math.max(0, rows.length - most) + more;
}

function nodeTable({ nodes, pods }: ClusterView, { green, red }: Style): Table {
  const counts = Map.groupBy(pods.rows, ({ cells }) => cells["Node"] ?? "");
  const rows = nodes.rows.slice(0, mostNodes).map(({ cells }) => {
    const { Name: name = "", Status: status = "" } = cells;
    const paint = status === "Ready" ? green : red;
    return [name, paint(status), String(counts.get(name)?.length ?? 0), cells["Age"] ?? ""];
  });
  return { titles: ["NODE", "STATUS", "PODS", "AGE"], rows };
}

function podTable({ pods }: ClusterView, style: Style): Table {
  const isWell = ({ cells }: ServerRow): boolean => well.has(cells["Status"] ?? "");
  const sorted = [...pods.rows.filter((row) => !isWell(row)), ...pods.rows.filter(isWell)];
  const rows = sorted.slice(0, mostPods).map((row) => podCells(row, isWell(row) ? style.green : style.yellow));
  if (rows.length === 0) rows.push([style.dim("none yet")]);
  return { titles: ["POD", "READY", "STATUS", "RESTARTS", "AGE", "NODE"], rows };
}

function podCells({ namespace, cells }: ServerRow, paint: (text: string) => string): string[] {
  const { Name = "", Ready = "", Status = "", Restarts = "", Age = "", Node = "" } = cells;
  return [`${namespace}/${Name}`, Ready, paint(Status), Restarts, Age, Node];
}

function eventTable({ happenings, now }: ClusterView, { yellow }: Style): Table {
  const rows = happenings
    .slice(-mostHappenings)
    .map(({ at, isWarning, object, reason, message }) => [
      formatAge(now - at),
      object,
      isWarning ? yellow(reason) : reason,
      message.replaceAll(/\s+/g, " "),
    ]);
  return { titles: ["SEEN", "OBJECT", "REASON", "MESSAGE"], rows };
}
