/** The operator's objects and their conditions, as rows of a table. */
import type { StoredObject } from "@capstan/model";
import type { Api } from "@capstan/runtime";
import { formatAge } from "@capstan/schema";
import type { Table } from "../output/print.ts";
import type { Style } from "../output/style.ts";
import type { KindNames } from "./messages.ts";

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
    rows: rows.map((row) => [
      row.kind,
      row.key,
      formatAge(now - Date.parse(row.created)),
      `${row.isPaused ? style.yellow("paused ") : ""}${conditionsText(row, style)}`,
    ]),
  };
}

/** `Ready=True` in green, `Ready=False (why)` in red. */
export function conditionsText({ conditions }: Pick<Row, "conditions">, { green, red, yellow }: Style): string {
  return conditions
    .map(({ type, status, message }) => {
      const paint = status === "True" ? green : status === "False" ? red : yellow;
      return `${paint(`${type}=${status}`)}${status === "True" || message === undefined ? "" : ` (${message})`}`;
    })
    .join(" ");
}
