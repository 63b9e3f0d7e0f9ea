/** Runs a user's SQL query on the records. The relations have the same names in every store. */
import type { Book } from "../book/book.ts";
import type { QueryLimits, QueryResult, Store } from "../store/store.ts";
import { relationsOf } from "./relations.ts";

/** A query with its limits. */
export interface StoreQuery {
  readonly sql: string;
  readonly limits: QueryLimits;
  /** A Parquet file to write in place of rows. */
  readonly parquet?: string;
}

/** Runs a query. */
export async function runStoreQuery(
  store: Store,
  book: Book,
  { sql, limits, parquet }: StoreQuery,
): Promise<QueryResult> {
  const relations = await relationsOf(store, book);
  return store.query(sql, relations, { ...limits, ...(parquet !== undefined && { parquet }) });
}
