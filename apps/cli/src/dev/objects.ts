/** The operator's objects and their conditions, as rows of a table. */
import type { StoredObject } from "@capstan/model";
import { pauseAnnotation } from "@capstan/runtime";
import { formatAge } from "@capstan/model";
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

/** Condition types whose status True is a problem, by the conventions of Kubernetes and kstatus. */
const problemType =
  /^(?:Stalled|Degraded|Unhealthy|Unavailable|Blocked|Terminating)$|(?:Fail(?:ed|ing|ure)|Error|Pressure|Unavailable|Unhealthy|Missing|Conflict|Exceeded)$/;

/** Condition types whose status True means that work is under way. */
const progressType = /^(?:Progressing|Reconciling|Upgrading|Updating|Scaling|Restoring|Pending|Waiting|Paused)$/;

type Meaning = "good" | "problem" | "open";

/** Whether a condition is good news: `Ready=True` and `Stalled=False` are, `Progressing` is neither good nor bad. */
function meaningOf({ type, status }: ConditionLike): Meaning {
  if (status !== "True" && status !== "False") return "open";
  if (progressType.test(type)) return status === "True" ? "open" : "good";
  return (status === "True") === problemType.test(type) ? "problem" : "good";
}

/**
 * `Ready=True` in green, `Ready=False (why)` and `Stalled=True (why)` in red. A paused object shows that first, also before the operator has
 * set the condition.
 */
export function conditionsText({ conditions, isPaused }: Row, { green, red, yellow }: Style): string {
  const paints = { good: green, problem: red, open: yellow } as const;
  const texts = conditions
    .filter(({ type }) => !isPaused || type !== PAUSED)
    .map((condition) => {
      const { type, status, message } = condition;
      const meaning = meaningOf(condition);
      return `${paints[meaning](`${type}=${status}`)}${meaning === "good" || message === undefined ? "" : ` (${message})`}`;
    });
  return [...(isPaused ? [yellow("paused")] : []), ...texts].join(" ");
}
