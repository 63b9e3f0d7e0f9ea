/** Alert rules, panels of a dashboard and chapters of a runbook for a kind of cluster, all from one table. */
import type { RefusalReason } from "../cluster/action.ts";

/**
 * An alert with its chapter of the runbook.
 *
 * @example
 * const isUrgent = ({ severity }: AlertFacts) => severity === "critical";
 */
export interface AlertFacts {
  readonly name: string;
  readonly expr: string;
  /** How long the expression must hold. */
  readonly for: string;
  readonly severity: "warning" | "critical";
  readonly summary: string;
  /** What it means. */
  readonly meaning: string;
  /** What to do, step by step. */
  readonly steps: readonly string[];
}

/**
 * A panel of the dashboard.
 *
 * @example
 * const expressions = ({ queries }: PanelFacts) => queries.map(({ expr }) => expr);
 */
export interface PanelFacts {
  readonly title: string;
  readonly unit: string;
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
}

/**
 * A reason in a condition, for the runbook.
 *
 * @example
 * const line = ({ reason, meaning }: ReasonFacts) => `${reason}: ${meaning}`;
 */
export interface ReasonFacts {
  readonly reason: string;
  readonly meaning: string;
  readonly action: string;
}

/**
 * All that follows for monitoring from an application. Exported by the program of an operator, `capstan generate` writes it.
 *
 * @example
 * const names = ({ alerts }: Monitoring) => alerts.map(({ name }) => name);
 */
export interface Monitoring {
  readonly is: "capstan/monitoring";
  readonly kind: string;
  readonly alerts: readonly AlertFacts[];
  readonly panels: readonly PanelFacts[];
  readonly reasons: readonly ReasonFacts[];
}

/** What an application has, as far as monitoring is concerned. */
interface Parts {
  readonly hasTls?: boolean;
  readonly backups?: object;
  readonly accounts?: object;
}

/**
 * The monitoring of an application.
 *
 * @example
 * const monitoring = <C extends AsyncDisposable, P>(store: Application<C, P>) => monitoringOf(store, { kind: "Store" });
 */
export function monitoringOf(application: Parts, { kind }: { readonly kind: string }): Monitoring {
  return {
    is: "capstan/monitoring",
    kind,
    alerts: [
      ...clusterAlerts(kind),
      ...memberAlerts(kind),
      ...(application.hasTls === true ? [tlsAlert(kind)] : []),
      ...(application.accounts === undefined ? [] : [accountsAlert(kind)]),
      ...(application.backups === undefined ? [] : backupAlerts(kind)),
    ],
    panels: [...clusterPanels(kind), ...(application.backups === undefined ? [] : backupPanels(kind))],
    reasons: Object.entries(REASONS).map(([reason, [meaning, action]]) => ({ reason, meaning, action })),
  };
}

/** A series of one kind; of a deleted cluster it counts no longer, because nothing looks at that cluster. */
function isFresh(expr: string, kind: string): string {
  return `${expr} and on (kind, namespace, name) time() - capstan_stateful_observed_seconds{kind="${kind}"} < 120`;
}

function condition(kind: string, type: string): string {
  return `capstan_stateful_condition{kind="${kind}",type="${type}"}`;
}

const NAME = "{{ $labels.namespace }}/{{ $labels.name }}";

function clusterAlerts(kind: string): readonly AlertFacts[] {
  const of = (metric: string): string => `capstan_stateful_${metric}{kind="${kind}"}`;
  const get = `kubectl get ${kind.toLowerCase()} NAME -o yaml`;
  return [
    {
      name: `${kind}Unavailable`,
      expr: isFresh(
        `${condition(kind, "Available")} == 0 and on (kind, namespace, name) ${of("members_wanted")} > 0`,
        kind,
      ),
      for: "1m",
      severity: "critical",
      summary: `${NAME} accepts no writes`,
      meaning:
        "No member is the primary, or the primary is not ready. A failover takes seconds, so something prevents it.",
      steps: [
        `\`${get}\`: the conditions \`Available\` and \`Degraded\` say what the operator waits for.`,
        "With the reason `WritesMayBeMissing`, bring back the member that the message names: start its node, or free its volume.",
        "Only if that member is gone for good: `spec.failover.mode: Available` accepts the loss that the message names.",
      ],
    },
    {
      name: `${kind}NotDurable`,
      expr: isFresh(
        `${condition(kind, "Durable")} == 0 and on (kind, namespace, name) ${of("members_wanted")} > 1`,
        kind,
      ),
      for: "5m",
      severity: "warning",
      summary: `Acknowledged writes of ${NAME} are on one member only, or wait`,
      meaning: "No replica is in sync with the primary. The loss of the primary would end the cluster's writes.",
      steps: [
        `\`${get}\`: \`status.members\` names the health of each member.`,
        "A member that starts copies data: wait for it. A member that cannot be scheduled names the reason in its pod.",
      ],
    },
    {
      name: `${kind}Degraded`,
      expr: isFresh(`${condition(kind, "Degraded")} == 1`, kind),
      for: "10m",
      severity: "warning",
      summary: `${NAME} needs attention`,
      meaning: "The operator found something that it does not repair by itself.",
      steps: [
        `\`${get}\`: the condition \`Degraded\` has a reason, which is a line of the table below, and a sentence.`,
      ],
    },
  ];
}

function memberAlerts(kind: string): readonly AlertFacts[] {
  const of = (metric: string): string => `capstan_stateful_${metric}{kind="${kind}"}`;
  return [
    {
      name: `${kind}MembersMissing`,
      expr: isFresh(`${of("members_ready")} < ${of("members_wanted")}`, kind),
      for: "15m",
      severity: "warning",
      summary: `${NAME} has {{ $value }} members that serve, fewer than it should`,
      meaning: "A member is down, copies data, or cannot be scheduled.",
      steps: [
        "`kubectl describe pod` of the member that is not healthy: scheduling, image, volume.",
        "A copy takes as long as the size of the data needs.",
      ],
    },
    {
      name: `${kind}PrimaryChangesOften`,
      expr: `changes(${of("epoch")}[1h]) > 3`,
      for: "0m",
      severity: "warning",
      summary: `${NAME} changed its primary {{ $value }} times in an hour`,
      meaning: "Each change interrupts writes for seconds. Members or their network fail again and again.",
      steps: [
        "The events `Failover` and `Switchover` of the object name each change and its reason.",
        "Members that are killed for memory: raise `spec.resources`. Nodes that stop responding: look at the node.",
      ],
    },
    {
      name: `${kind}WritesWait`,
      expr: isFresh(`min_over_time(${of("waiting_writes")}[1m]) > 0`, kind),
      for: "1m",
      severity: "critical",
      summary: `Clients of ${NAME} wait for an acknowledgement`,
      meaning: "The primary stores writes, but no replica confirms them: replicas are down or cut off.",
      steps: [
        "Bring back a replica. The waiting writes complete by themselves then.",
        "Do not restart the primary: its waiting writes have no acknowledgement, and may be dropped.",
      ],
    },
    {
      name: `${kind}VolumeFillsUp`,
      expr: isFresh(`${of("volume_used_ratio")} > 0.9`, kind),
      for: "10m",
      severity: "warning",
      summary: `The volume of {{ $labels.member }} is {{ $value | humanizePercentage }} full`,
      meaning: "A full volume stops writes.",
      steps: [
        "Raise `spec.storage.size`; the volumes grow at once if their storage class permits it.",
        "Or set `spec.storage.growth` with a `maximum`, so that they grow by themselves.",
      ],
    },
  ];
}

function tlsAlert(kind: string): AlertFacts {
  return {
    name: `${kind}CertificatesNotReady`,
    expr: isFresh(`${condition(kind, "TLSReady")} == 0`, kind),
    for: "10m",
    severity: "warning",
    summary: `${NAME} has no usable certificates`,
    meaning: "Members keep the certificates that they have, and these end one day.",
    steps: ["The condition `TLSReady` names the problem; correct the Secret of `spec.tls` or its lifetimes."],
  };
}

function accountsAlert(kind: string): AlertFacts {
  return {
    name: `${kind}AccountsRefused`,
    expr: isFresh(`${condition(kind, "AccountsReady")} == 0`, kind),
    for: "10m",
    severity: "warning",
    summary: `${NAME} does not have the users and databases of its spec`,
    meaning: "The server refused a user, a grant or a database, or the Secret of a given password does not exist.",
    steps: ["The condition `AccountsReady` names each account with the words of the server; correct the spec."],
  };
}

function backupAlerts(kind: string): readonly AlertFacts[] {
  const of = (metric: string): string => `capstan_stateful_${metric}{kind="${kind}Backup"}`;
  const get = `kubectl get ${kind.toLowerCase()}backup NAME -o yaml`;
  return [
    {
      name: `${kind}BackupFails`,
      expr: `${of("backup_failures")} > 1`,
      for: "30m",
      severity: "warning",
      summary: `{{ $value }} backups of ${NAME} failed in a row`,
      meaning: "The newest backup becomes older and older.",
      steps: [
        `\`${get}\`: \`status.message\` has the reason: credentials, network, space, or content that could not be verified.`,
      ],
    },
    {
      name: `${kind}BackupOverdue`,
      expr: `time() - ${of("backup_due_seconds")} > 7200 < 604800`,
      for: "10m",
      severity: "warning",
      summary: `A backup of ${NAME} is overdue`,
      meaning: "It was due two hours ago and was not made: the cluster is not healthy, or the operator does not run.",
      steps: [`\`${get}\`: the condition \`Ready\` says what the backup waits for.`],
    },
    {
      name: `${kind}LogNotArchived`,
      expr: `${of("log_gap")} == 1`,
      for: "15m",
      severity: "warning",
      summary: `The stored log of ${NAME} has a gap`,
      meaning: "A restore to a point in time is possible only up to the gap.",
      steps: [
        "The condition `LogArchived` names the gap. The next full backup closes it: make one if the gap matters.",
      ],
    },
  ];
}

function clusterPanels(kind: string): readonly PanelFacts[] {
  const of = (metric: string): string => `capstan_stateful_${metric}{kind="${kind}"}`;
  const cluster = "{{namespace}}/{{name}}";
  const panel = (title: string, expr: string, { unit = "short", legend = cluster } = {}): PanelFacts => ({
    title,
    unit,
    queries: [{ expr, legend }],
  });
  return [
    panel("Clusters that accept writes", condition(kind, "Available")),
    panel("Acknowledged writes survive the loss of a member", condition(kind, "Durable")),
    {
      title: "Members",
      unit: "short",
      queries: [
        { expr: of("members_ready"), legend: `${cluster} serve` },
        { expr: of("members_wanted"), legend: `${cluster} wanted` },
      ],
    },
    panel("Replicas in sync", of("replicas_in_sync")),
    panel("Changes of the primary in an hour", `changes(${of("epoch")}[1h])`),
    panel("Writes that wait for an acknowledgement", of("waiting_writes")),
    panel("How full volumes are", of("volume_used_ratio"), { unit: "percentunit", legend: "{{namespace}}/{{member}}" }),
    panel("Members that do not respond", of("member_silent_seconds"), {
      unit: "s",
      legend: "{{namespace}}/{{member}}",
    }),
  ];
}

function backupPanels(kind: string): readonly PanelFacts[] {
  const of = (metric: string): string => `capstan_stateful_${metric}{kind="${kind}Backup"}`;
  const legend = "{{namespace}}/{{name}}";
  return [
    { title: "Age of the newest backup", unit: "s", queries: [{ expr: `time() - ${of("backup_seconds")}`, legend }] },
    { title: "Failed backups in a row", unit: "short", queries: [{ expr: of("backup_failures"), legend }] },
  ];
}

/** Reasons of `Degraded` beside the refusals. */
type ReportedReason =
  | "Failover"
  | "PodFails"
  | "ReplicationFails"
  | "VolumeRejected"
  | "VolumeFull"
  | "SwitchoverFailed";

/** What each reason means, and what to do. A reason without an entry does not compile. */
const REASONS: { readonly [R in Exclude<RefusalReason, "Paused"> | ReportedReason]: readonly [string, string] } = {
  NameTaken: [
    "Pods or claims with names of this cluster belong to another owner, such as a deleted cluster of the same name.",
    "Rename the cluster, or remove the objects. Claims of a deleted cluster have its data: make sure that it is not needed.",
  ],
  Missing: [
    "An object that pods need does not exist.",
    "Create it; the message has its name. Restore a lost Secret from a copy.",
  ],
  PrimaryLost: [
    "The primary is lost, and `spec.failover.mode` is `Manual`.",
    "Set the mode to `Safe`, or bring the primary back.",
  ],
  WritesMayBeMissing: [
    "A member that does not respond may have acknowledged writes that no other has.",
    "Bring it back. Only if it is gone for good, set `spec.failover.mode` to `Available`, which loses these writes.",
  ],
  Diverged: ["Members have different writes.", "Delete the claim of the member whose writes are to be discarded."],
  ForeignData: [
    "The volume of the primary has data of another cluster.",
    "Put the right volume back, or restore a backup.",
  ],
  NoData: [
    "The data of the last member is gone.",
    "Make a new cluster from a backup with `spec.bootstrap.from.backup`.",
  ],
  SpecRejected: [
    "The spec asks for something that is not possible; members run without it.",
    "Correct the field that the message names.",
  ],
  Failover: ["A failover is under way.", "Wait for some seconds. If it stays, the message names what it waits for."],
  PodFails: [
    "The pod of a member does not start.",
    "The message has the words of the kubelet: image, resources, volume, or the program.",
  ],
  ReplicationFails: [
    "A replica stopped.",
    "It is copied again if its data differs; else the message has the server's words.",
  ],
  VolumeRejected: [
    "The storage class refuses a larger volume.",
    "Set `allowVolumeExpansion` on the class, or restore a backup into a cluster with another class.",
  ],
  VolumeFull: ["A volume is nearly full.", "Raise `spec.storage.size`, or `spec.storage.growth.maximum`."],
  SwitchoverFailed: [
    "A requested switchover was cancelled.",
    "The message says why. Any change of the spec tries it again.",
  ],
};
