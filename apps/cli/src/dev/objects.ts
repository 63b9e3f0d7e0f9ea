/** The operator's objects and their conditions, as rows of a table. */
import type { StoredObject } from "@capstan/model";
import { pauseAnnotation } from "@capstan/runtime";
import { formatAge } from "@capstan/schema";
import type { Table } from "../output/print.ts";
import type { Style } from "../output/style.ts";
import { type KindNames, resourceOf } from "./messages.ts";

/** The condition by which the runtime tells that an object is paused. */
const PAUSED = "Paused";

interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** One object, as far as the table shows it. */
export interface Row {
  readonly id: string;
  /** As people say it. */
  readonly title: string;
  readonly resource: string;
  readonly kind: string;
  readonly key: string;
  readonly created: string;
  readonly isPaused: boolean;
  readonly conditions: readonly ConditionLike[];
}

/** The row of an object. */
export function toRow(names: KindNames, object: StoredObject): Row {
  const { namespace, name, creationTimestamp, annotations } = object.metadata;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  const resource = resourceOf(names);
  const pause = annotations?.[pauseAnnotation] ?? "false";
  const { status } = object as { readonly status?: { readonly conditions?: readonly ConditionLike[] } };
  return {
    id: `${resource} ${key}`,
    title: `${names.kind} ${key}`,
    resource,
    kind: names.kind,
    key,
    created: creationTimestamp,
    isPaused: pause !== "false" && pause !== "",
    conditions: status?.conditions ?? [],
  };
}

/** How a table is made of rows. */
export interface TableOptions {
  readonly style: Style;
  readonly now: number;
  /** The row that keys act on. */
  readonly selected: string | undefined;
  /** Whether the operator fails on the object of a row, whatever its conditions were before. */
  readonly isFailing: (row: Row) => boolean;
}

/** The table of these objects, with a mark at the one that keys act on and at those that fail. */
export function rowsTable(rows: readonly Row[], { style, now, selected, isFailing }: TableOptions): Table {
  return {
    titles: ["  KIND", "OBJECT", "AGE", "CONDITIONS"],
    givesWay: 1,
    rows: rows.map((row) => [
      `${row.id === selected ? style.cyan(">") : " "} ${row.kind}`,
      row.key,
      formatAge(now - Date.parse(row.created)),
      [...(isFailing(row) ? [style.red("failing")] : []), conditionsText(row, style)].join(" ").trimEnd(),
    ]),
  };
}

/** `Ready=True` in green, `Ready=False (why)` in red; that it is paused stands before them, whether or not the operator has said so yet. */
export function conditionsText({ conditions, isPaused }: Row, { green, red, yellow }: Style): string {
  const texts = conditions
    .filter(({ type }) => !isPaused || type !== PAUSED)
    .map(({ type, status, message }) => {
      const paint = status === "True" ? green : status === "False" ? red : yellow;
      return `${paint(`${type}=${status}`)}${status === "True" || message === undefined ? "" : ` (${message})`}`;
    });
  return [...(isPaused ? [yellow("paused")] : []), ...texts].join(" ");
}
