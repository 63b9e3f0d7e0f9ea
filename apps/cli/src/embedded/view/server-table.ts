/** Reads tables as the API server prints them: the columns of kubectl without whole objects. */
import { CliError } from "../../errors.ts";

/** A table of one kind. */
export interface ServerTable {
  readonly rows: readonly ServerRow[];
  /** The number of objects beyond the rows. */
  readonly more: number;
}

/** One object: namespace, name, and cells by column title. */
export interface ServerRow {
  readonly namespace: string;
  readonly cells: { readonly [title: string]: string };
}

interface Answer {
  readonly metadata?: { readonly remainingItemCount?: number };
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows?: readonly {
    readonly cells: readonly (string | number | boolean | null)[];
    readonly object?: { readonly metadata?: { readonly namespace?: string } };
  }[];
}

const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** Requests the table of a path, such as `/api/v1/pods`, with a limit of rows. */
export async function readTable(
  fetch: (request: Request) => Promise<Response>,
  path: string,
  limit: number,
): Promise<ServerTable> {
  const response = await fetch(new Request(`http://cluster${path}?limit=${limit}`, { headers: { accept } }));
  if (!response.ok) throw new CliError("Cluster", `the API server answered ${response.status} to ${path}`);
  const { columnDefinitions, rows = [], metadata } = (await response.json()) as Answer;
  const titles = columnDefinitions.map(({ name }) => name);
  return {
    more: metadata?.remainingItemCount ?? 0,
    rows: rows.map(({ cells, object }) => ({
      namespace: object?.metadata?.namespace ?? "",
      cells: Object.fromEntries(titles.map((title, at) => [title, String(cells[at] ?? "")])),
    })),
  };
}
