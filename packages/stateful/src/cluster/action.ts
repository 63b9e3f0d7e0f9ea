/** All actions on a cluster: a closed union. Each is one step that can be repeated. */
import type { Boot, StartRole } from "./observation.ts";

/** Why the operator does not act. */
export type RefusalReason =
  | "Paused"
  | "NameTaken"
  | "Missing"
  | "PrimaryLost"
  | "WritesMayBeMissing"
  | "Diverged"
  | "ForeignData"
  | "NoData"
  | "SpecRejected";

/** One step. */
export type Action =
  | { readonly do: "rest" }
  | { readonly do: "wait"; readonly for: string; readonly isShort?: true }
  | { readonly do: "refuse"; readonly reason: RefusalReason; readonly why: string }
  /** Records the first member and the lineage, before anything exists. */
  | { readonly do: "record-creation"; readonly member: string }
  | { readonly do: "record-created" }
  | { readonly do: "record-member"; readonly member: string }
  | { readonly do: "create-volume"; readonly member: string }
  | { readonly do: "record-growth"; readonly bytes: number; readonly why: string }
  | { readonly do: "grow-volume"; readonly member: string }
  | {
      readonly do: "create-pod";
      readonly member: string;
      readonly boot: Boot;
      readonly role: StartRole;
      readonly donors: readonly string[];
    }
  | { readonly do: "delete-pod"; readonly member: string; readonly why: string; readonly isKilled: boolean }
  | { readonly do: "delete-volume"; readonly member: string; readonly why: string }
  /** Sets the role at the next start of the container, and the label for Services. */
  | {
      readonly do: "set-role";
      readonly member: string;
      readonly role: StartRole;
      readonly serves: "primary" | "replica" | "none";
    }
  /** The member has its data: it fails without from now on. */
  | { readonly do: "set-run"; readonly member: string; readonly role: StartRole }
  | { readonly do: "admit"; readonly member: string }
  | { readonly do: "follow"; readonly member: string; readonly primary: string }
  | { readonly do: "promote"; readonly member: string; readonly acknowledgements: number }
  | { readonly do: "lower-acknowledgements"; readonly count: number }
  | { readonly do: "set-acknowledgements"; readonly member: string; readonly count: number }
  | {
      readonly do: "record-sync";
      readonly runs: { readonly [member: string]: string };
      readonly acknowledgements: number;
    }
  | { readonly do: "apply-settings"; readonly member: string; readonly settings: string }
  /** Users, databases and passwords on the primary. `isCheck`: nothing is known to differ. */
  | { readonly do: "keep-accounts"; readonly isCheck: boolean }
  | { readonly do: "mark-leaving"; readonly member: string; readonly why: string }
  | { readonly do: "forget"; readonly member: string }
  | { readonly do: "begin-failover"; readonly from: string; readonly why: string; readonly isIsolated?: true }
  | { readonly do: "cancel-failover"; readonly why: string }
  | { readonly do: "fence"; readonly members: readonly string[] }
  | { readonly do: "appoint"; readonly member: string; readonly from: string; readonly mayBeLost?: string | undefined }
  | {
      readonly do: "begin-switchover";
      readonly to: string;
      readonly why: string;
      readonly request?: string | undefined;
    }
  | { readonly do: "begin-restore"; readonly member: string; readonly uid: string; readonly name: string }
  | { readonly do: "end-restore" }
  | { readonly do: "return-to-former" }
  | { readonly do: "cancel-switchover"; readonly why: string }
  | { readonly do: "freeze"; readonly from: string; readonly to: string };

/** One action by name. */
export type ActionOf<D extends Action["do"]> = Extract<Action, { readonly do: D }>;
