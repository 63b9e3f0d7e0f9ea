/** Finds stored records by identity, and the tenants that records belong to. */
import type { Book } from "../book/book.ts";
import type { Tenancy } from "../engine/piece.ts";
import { tenancyOf } from "../journal/pieces.ts";
import { readHistories } from "../journal/read-histories.ts";
import type { Store } from "../store/store.ts";
import { toUsage } from "../store/tables.ts";
import type { UsageRow } from "./usage.ts";

/** The stored records with one of the identities. */
export async function findRecords(
  store: Store,
  identities: readonly { readonly source: string; readonly id: string }[],
): Promise<UsageRow[]> {
  return identities.length === 0 ? [] : (await store.findUsage(identities)).map(toUsage);
}

/** Which tenant a namespace belongs to, as the journals of a store say. */
export async function tenancyOfStore(store: Store, book: Book): Promise<Tenancy> {
  return tenancyOf(book, await readHistories(store));
}
