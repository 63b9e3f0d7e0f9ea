/** What endpoints need of their server. */
import type { Book, ClassicObjects, Store } from "@capstan/metering";
import type { Happening } from "../auditing.ts";
import type { ServeMetrics } from "./serve-metrics.ts";

/** The store, the book and the clock of a server. */
export interface Setting {
  readonly book: () => Promise<Book>;
  /** Opens the store as it is now. */
  readonly openStore: () => Promise<Store>;
  /** Opens the store as its writer; requests that write take turns. */
  readonly openWriter: () => Promise<Store>;
  /** Writes what a caller did to the audit. */
  readonly audit: (user: string, happenings: readonly Happening[]) => Promise<void>;
  readonly now: () => number;
  readonly metrics: ServeMetrics;
  /** The objects of metering-operator, where its paths are served. */
  readonly classic?: () => Promise<ClassicObjects>;
}
