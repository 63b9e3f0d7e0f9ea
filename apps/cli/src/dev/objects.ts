/** The operator's objects and their conditions, as rows of a table. */
import type { StoredObject } from "@capstan/model";
import type { Api } from "@capstan/runtime";
import { formatAge } from "@capstan/schema";
import type { Table } from "../output/print.ts";
import type { Style } from "../output/style.ts";
import type { KindNames } from "./messages.ts";

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
  readonly kind: string;
  readonly key: string;
  readonly created: string;
  readonly isPaused: boolean;
  readonly conditions: readonly ConditionLike[];
}

/** All objects of these kinds; a kind that is not served yet has none. */
export async function listRows(api: Api, kinds: readonly KindNames[]): Promise<readonly Row[]> {
  const pages = await Promise.all(
    kinds.map(async (kind) => {
      try {
        const { items } = await api.list(kind, {});
        return items.map((object) => toRow(kind, object));
      } catch {
        return [];
      }
    }),
  );
  return pages.flat();
}

function toRow({ kind }: KindNames, object: StoredObject): Row {
  const { namespace, name, creationTimestamp, annotations } = object.metadata;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  const pause = annotations?.["capstan.dev/pause"] ?? "false";
  const { status } = object as { readonly status?: { readonly conditions?: readonly ConditionLike[] } };
  return {
    id: `${kind} ${key}`,
    kind,
    key,
    created: creationTimestamp,
    isPaused: pause !== "false" && pause !== "",
    conditions: status?.conditions ?? [],
  };
}

/** The table of these objects. */
export function rowsTable(rows: readonly Row[], style: Style, now: number): Table {
  return {
    titles: ["KIND", "OBJECT", "AGE", "CONDITIONS"],
    givesWay: 1,
    rows: rows.map((row) => [row.kind, row.key, formatAge(now - Date.parse(row.created)), conditionsText(row, style)]),
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
