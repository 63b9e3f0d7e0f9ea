/** A usage record: an event at an instant, or a level over an interval. */

/** One record as it is stored. */
export interface UsageRow {
  readonly meter: string;
  readonly start: number;
  /** For events one millisecond after the instant. */
  readonly end: number;
  /** Millionths. */
  readonly amount: bigint;
  /** Empty where the namespace decides. */
  readonly tenant: string;
  readonly namespace: string;
  readonly cluster: string;
  /** Canonical JSON: keys in order, no empty values. */
  readonly dimensions: string;
  readonly source: string;
  readonly id: string;
  /** The id of the corrected record, or empty. */
  readonly corrects: string;
}

/** Why a record is not stored. */
export type Reason =
  | "Conflict"
  | "UnknownMeter"
  | "BadTime"
  | "BadAmount"
  | "BadRecord"
  | "Future"
  | "UnknownCorrected"
  | "OverCorrected"
  | "Partial";

/** One record that was not stored, with its place. */
export interface Problem {
  readonly where: string;
  readonly id?: string;
  readonly reason: Reason;
  readonly message: string;
}

/** The outcome of an import, as every import prints it. */
export interface ImportResult {
  readonly source: string;
  readonly read: number;
  readonly stored: number;
  readonly duplicate: number;
  readonly late: number;
  readonly conflict: number;
  readonly rejected: number;
  readonly watermarks: { readonly [meter: string]: string };
  readonly problems: readonly Problem[];
  /** The stored corrections, for the audit; not printed. */
  readonly corrections?: readonly StoredCorrection[];
}

/** A correction that was stored. */
export interface StoredCorrection {
  readonly id: string;
  readonly corrects: string;
}
