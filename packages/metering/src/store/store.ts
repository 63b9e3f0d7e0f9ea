/** What the rest of metering needs of a store: rows and watermarks in one commit, and rows back by time or identity. */
import type { Archive } from "./archive.ts";
import type { SummedFilter, SummedRow } from "./summed.ts";
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
  /** Per tenant, or `*`: usage before this time was removed, so closed periods cannot be computed again. */
  readonly forgotten: ReadonlyMap<string, number>;
}

/** Rows and state that become visible together or not at all. */
export interface Commit {
  readonly at: number;
  readonly rows: readonly { readonly table: TableName; readonly rows: readonly Row[] }[];
  readonly remove?: readonly Removal[];
  readonly watermarks?: { readonly [meter: string]: number };
  readonly journals?: { readonly [journal: string]: number };
  readonly bills?: { readonly [unit: string]: string };
  readonly forgotten?: { readonly [tenant: string]: number };
}

/** Rows that are removed. */
export interface Removal {
  readonly table: TableName;
  readonly isRemoved: (row: Row) => boolean;
}

/** Limits of a query. */
export interface QueryLimits {
  /** Aborted when the time is over. */
  readonly expired?: AbortSignal;
  readonly maxRows: number;
  /** A Parquet file to write in place of rows. */
  readonly parquet?: string;
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
  readonly columns: { readonly [name: string]: "text" | "instant" | "quantity" | "money" | "integer" | "flag" };
  readonly rows: Iterable<RelationRow> | AsyncIterable<RelationRow>;
}

/** The cells of a row in the order of the columns. */
export type RelationRow = readonly (string | number | bigint | null)[];

/** Usage that is partly added up. */
export interface SummedUsage {
  readonly sums: () => AsyncIterable<readonly SummedRow[]>;
  readonly rest: () => AsyncIterable<readonly Row[]>;
  /** The stretches of the summed records of a meter. */
  readonly stretches: (meter: string) => Promise<readonly { readonly start: number; readonly end: number }[]>;
}

/** A place for rows. */
export interface Store extends AsyncDisposable {
  readonly state: StoreState;
  /** Invoices, audit and keys. */
  readonly archive: Archive;
  /** Rows of a table in batches; those that overlap the window. */
  read(table: TableName, filter?: ReadFilter): AsyncIterable<readonly Row[]>;
  /** Usage added up between cuts, then the rows that sums leave out; undefined where that is not worth it. */
  readSummed(filter: SummedFilter): SummedUsage | undefined;
  /** The least start of a table's rows; undefined without rows. */
  firstOf(table: TableName): number | undefined;
  /** Usage rows with one of the identities. */
  findUsage(identities: readonly { readonly source: string; readonly id: string }[]): Promise<readonly Row[]>;
  /** Corrections of records with one of the identities. */
  findCorrections(identities: readonly { readonly source: string; readonly id: string }[]): Promise<readonly Row[]>;
  /** Writes rows and state, and removes rows; returns how many were removed. */
  commit(commit: Commit): Promise<number>;
  /** Reads all that is stored; returns what is missing or broken. */
  verify(): Promise<readonly string[]>;
  /** Reads only. */
  query(sql: string, relations: readonly Relation[], limits: QueryLimits): Promise<QueryResult>;
  /** Writes rows as a Parquet file. */
  writeParquet(path: string, relation: Relation): Promise<void>;
  /** Reads a Parquet file as objects. */
  readParquet(path: string): AsyncIterable<{ readonly [name: string]: unknown }>;
}
