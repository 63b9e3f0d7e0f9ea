/** The operator's objects and their conditions, as rows of a table. */
import type { StoredObject } from "@capstan/model";
import { pauseAnnotation } from "@capstan/runtime";
import { formatAge } from "@capstan/schema";
import type { Table } from "../output/print.ts";
import type { Style } from "../output/style.ts";
import { type KindNames, resourceOf } from "./messages.ts";

/** The condition that the runtime sets on paused objects. */
const PAUSED = "Paused";

interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** The fields of an object that the table shows. */
export interface Row {
  readonly id: string;
  /** The displayed name. */
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

/** The input of the table. */
export interface TableOptions {
  readonly style: Style;
  readonly now: number;
  /** The row that keys act on. */
  readonly selected: string | undefined;
  /** Whether reconciles of the row's object fail at present, whatever its conditions are. */
  readonly isFailing: (row: Row) => boolean;
}

/** The table of these objects, with a mark at the selected row and at failing ones. */
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

/** `Ready=True` in green, `Ready=False (why)` in red. A paused object shows that first, also before the operator has set the condition. */
export function conditionsText({ conditions, isPaused }: Row, { green, red, yellow }: Style): string {
  const texts = conditions
    .filter(({ type }) => !isPaused || type !== PAUSED)
    .map(({ type, status, message }) => {
      const paint = status === "True" ? green : status === "False" ? red : yellow;
      return `${paint(`${type}=${status}`)}${status === "True" || message === undefined ? "" : ` (${message})`}`;
    });
  return [...(isPaused ? [yellow("paused")] : []), ...texts].join(" ");
}
