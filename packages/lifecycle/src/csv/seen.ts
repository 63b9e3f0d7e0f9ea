/** What the manager observes about a ClusterServiceVersion before it decides. */
import type { ClusterServiceVersion } from "../kinds/csv.ts";
import type { OperatorGroup } from "../kinds/operator-group.ts";
import type { InstallProblem } from "./deployment.ts";
import type { PermissionStatus } from "./permission-status.ts";
import type { Phase } from "./phase.ts";

/** A problem of the certificates, webhooks or APIServices of an operator. */
export type ComponentProblem =
  /** An APIService or one of its objects is missing or does not match. */
  { readonly is: "api-service"; readonly message: string; readonly isOurs: boolean } | { readonly is: "rotation" };

/** Whether the webhooks of an operator are registered as described. */
export type WebhookState = "present" | "missing" | { readonly problem: string };

/** The observation. Functions are what is expensive and often not needed. */
export interface Seen {
  readonly csv: ClusterServiceVersion;
  /** The other operators of the namespace, without copies. */
  readonly siblings: readonly ClusterServiceVersion[];
  readonly groups: readonly OperatorGroup[];
  readonly otherGroups: readonly OperatorGroup[];
  /** Whether the group selects no namespace at all. */
  readonly hasNoTargets: boolean;
  /** The message of the OperatorCondition of an operator that does not allow an upgrade now. */
  readonly veto: (replaced: ClusterServiceVersion) => string | undefined;
  readonly requirements: () => PermissionStatus;
  readonly componentProblem: () => ComponentProblem | undefined;
  readonly installProblem: () => InstallProblem | undefined;
  /** Whether the owned APIServices are available, or why they are not. */
  readonly apiServices: () => "available" | "unavailable" | "disrupted";
  readonly webhooks: () => WebhookState;
  /** Whether a certificate, or what holds its authority, is missing, without which the wanted Deployments are not known. */
  readonly isExpectationUnknown: () => boolean;
  /** Why the calls of the group's service account cannot be made. */
  readonly accountProblem: string | undefined;
  /** Whether an APIService that the operator owns belongs to another. */
  readonly hasApiServiceConflict: () => boolean;
  readonly invalidWebhook: () => string | undefined;
  readonly now: number;
}

/** What to do next. */
export type CsvAction =
  | { readonly do: "wait"; readonly after?: number }
  | { readonly do: "annotate"; readonly annotations: { readonly [key: string]: string }; readonly phase?: Phase }
  | { readonly do: "set-provided-apis"; readonly group: OperatorGroup; readonly annotation: string }
  | {
      readonly do: "phase";
      readonly phase: Phase;
      readonly requirements?: PermissionStatus;
      readonly after?: number;
      /** The Deployments are deleted: another operator provides the same APIs. */
      readonly deletesDeployments?: boolean;
    }
  | { readonly do: "install" }
  | { readonly do: "keep-user-roles" }
  | { readonly do: "delete" };
