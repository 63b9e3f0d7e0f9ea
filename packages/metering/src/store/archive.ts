/** What a store keeps beside rows: closed invoices, closed periods, the audit, and the key of hashes. */

/** Small texts that only grow; what was written never changes. */
export interface Archive {
  /** The texts of all invoices. */
  invoices(): Promise<readonly StoredText[]>;
  /** Keeps an invoice as a whole or not at all. */
  addInvoice(id: string, text: string): Promise<void>;
  /** The periods that are closed for all tenants. */
  closedPeriods(): Promise<ReadonlySet<string>>;
  addClosedPeriod(period: string): Promise<void>;
  /** The lines of the audit in their order. */
  auditLines(): Promise<readonly StoredText[]>;
  /** Appends lines that are made from the last one; other writers wait meanwhile. */
  appendAudit(next: (last: StoredText | undefined) => readonly string[]): Promise<void>;
  /** The key of hashed values; it is made once and stays. */
  hashKey(make: () => Buffer): Promise<Buffer>;
}

/** A text with the place that errors name. */
export interface StoredText {
  readonly where: string;
  readonly text: string;
}
