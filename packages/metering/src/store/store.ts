/** What the rest of metering needs of a store: rows and watermarks in one commit, and rows back by time or identity. */
import type { Row, TableName } from "./tables.ts";

/** What is known beside rows. */
export interface StoreState {
  readonly batch: number;
  /** Per meter: the end of what has been imported. */
  readonly watermarks: ReadonlyMap<string, number>;
  /** Per journal: the last imported line. */
  readonly journals: ReadonlyMap<string, number>;
  /** Per bill unit: the hash of its content, and its batch. */
  readonly bills: ReadonlyMap<string, { readonly hash: string; readonly batch: number }>;
}

/** Rows and state that become visible together or not at all. */
export interface Commit {
  readonly at: number;
  readonly rows: readonly { readonly table: TableName; readonly rows: readonly Row[] }[];
  readonly watermarks?: { readonly [meter: string]: number };
  readonly journals?: { readonly [journal: string]: number };
  readonly bills?: { readonly [unit: string]: string };
}

/** Limits of a query. */
export interface QueryLimits {
  /** Aborted when the time is over. */
  readonly expired?: AbortSignal;
  readonly maxRows: number;
}

/** The result of a query: names, types and cells as text, null where there is none. */
export interface QueryResult {
  readonly names: readonly string[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

/** What a read needs; every filter is optional. */
export interface ReadFilter {
  readonly from?: number;
  readonly to?: number;
}

/** A view that queries see beside the tables. */
export interface Relation {
  readonly name: string;
  readonly columns: { readonly [name: string]: "text" | "instant" | "quantity" | "money" | "integer" };
  readonly rows: readonly (readonly (string | number | bigint | null)[])[];
}

/** A place for rows. */
export interface Store extends AsyncDisposable {
  readonly state: StoreState;
  /** The folder of invoices, audit and keys. */
  readonly folder: string;
  /** Rows of a table in batches; those that overlap the window. */
  read(table: TableName, filter?: ReadFilter): AsyncIterable<readonly Row[]>;
  /** Usage rows with one of the identities. */
  findUsage(identities: readonly { readonly source: string; readonly id: string }[]): Promise<readonly Row[]>;
  /** Corrections of records with one of the identities. */
  findCorrections(identities: readonly { readonly source: string; readonly id: string }[]): Promise<readonly Row[]>;
  /** Writes rows and state. */
  commit(commit: Commit): Promise<void>;
  /** Removes rows: the SQL condition has bound values. Returns how many. */
  remove(table: TableName, condition: Condition): Promise<number>;
  /** Reads only. */
  query(sql: string, relations: readonly Relation[], limits: QueryLimits): Promise<QueryResult>;
  /** Writes rows as a Parquet file. */
  writeParquet(path: string, relation: Relation): Promise<void>;
  /** Reads a Parquet file as objects. */
  readParquet(path: string): AsyncIterable<{ readonly [name: string]: unknown }>;
}

/** A condition of a removal with values for its question marks. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}
