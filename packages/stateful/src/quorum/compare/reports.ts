/** What members said of themselves, and how their data is hashed. */
import type { Membership, MemberStatus } from "../contract.ts";

/**
 * All responses of the members in one reconcile.
 *
 * @example
 * const namesIn = ({ answers }: MemberReports) => Object.keys(answers);
 */
export interface MemberReports {
  readonly answers: { readonly [member: string]: MemberStatus };
  /** Undefined if no member returned a linearizable list. */
  readonly quorum: Extract<Membership, { by: "quorum" }> | undefined;
  /** Alarms of the application. One of kind `Corrupt` says that a member has other data. */
  readonly alarms: readonly { readonly kind: string; readonly memberId: string }[];
}

/**
 * The hash of a member's data at a revision. Hashes after different compactions cannot be compared.
 *
 * @example
 * const hash: MemberHash = { hash: 1, revision: 10, compactRevision: 4 };
 */
export interface MemberHash {
  readonly hash: number;
  readonly revision: number;
  readonly compactRevision: number;
}

/**
 * Reads hashes of members.
 *
 * @example
 * const reader: HashReader = { hashOf: async () => undefined, patience: () => 10_000 };
 */
export interface HashReader {
  /** The hash at a revision, 0 for the newest; undefined if the member returns none. */
  readonly hashOf: (
    member: string,
    request: { readonly revision: number; readonly timeoutMs: number },
  ) => Promise<MemberHash | undefined>;
  /** Milliseconds left for requests in this reconcile. */
  readonly patience: () => number;
}
