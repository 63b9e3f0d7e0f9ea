/** The tests that prove the rows of the README's tables: a row links to a file, and this table names the test in that file. */

/** Rows by the file that they link to, and by words of a test's title there. */
export type Shown = { readonly [file: string]: { readonly [words: string]: readonly string[] } };

export const SHOWN: Shown = {
  "src/act/defragment.test.ts": {
    "a round is due by the schedule": ["defragmentation, compaction"],
  },
  "src/backup/retention.test.ts": {
    "count keeps the newest backups": ["retention"],
    "age removes old backups": ["retention"],
  },
  "src/observe/member-list-check.test.ts": {
    "a list of one is rejected if the volumes of three members exist": ["split brain, cluster id check"],
  },
  "src/pods/pods.test.ts": {
    "the disruption budget keeps a quorum": ["disruption budget", "rolling strategy, disruption budget, requests"],
    "liveness works without a leader, readiness does not": ["probes", "liveness and readiness"],
    "the user's template is merged by name": ["pod template freedom"],
  },
  "src/tls/plan.test.ts": {
    "certificates are renewed after two thirds of their life": ["certificates issued and renewed"],
    "an authority is rotated before it expires": ["certificates issued and renewed"],
  },
  "test/backup/backup.test.ts": {
    "every form is restored": ["compression, immutable, secondary copy"],
    "a backup of the newest revision is taken": ["highest revision chosen"],
  },
  "test/backup/controllers.test.ts": {
    "is made by a pod, recorded in the status, and its pod is deleted": [
      "backup once and periodic",
      "consistent backup on demand",
      "status on every object",
    ],
    "is made every ten minutes": [
      "backup once and periodic",
      "backup by schedule, out of the cluster",
      "status of the last backup",
    ],
    "fails with the reason, is retried, and succeeds when the store is repaired": ["metrics of remedies and backups"],
    "creates the cluster that the backup describes, and completes when it serves": [
      "restore to a cluster",
      "restore from the reference alone",
    ],
    "leaves an existing cluster alone unless the spec repeats its name": ["restore to a cluster"],
  },
  "test/backup/story.test.ts": {
    "backups restore from a bucket, from a volume and in place": [
      "restore brings back data and version",
      "restore from the reference alone",
    ],
  },
  "test/crash/crash.test.ts": {
    "a crash between any two writes": [
      "crash-point tests",
      "disconnect leaves everything",
      "operand survives the operator",
      "idempotent, level-triggered, one controller a kind",
    ],
  },
  "test/edits/edits.test.ts": {
    "random edits never stop members and converge": [
      "all configuration in the spec, reconciled without interruption",
      "tested against failing pods, configuration, storage, network",
    ],
  },
  "test/etcd/sync-auth.test.ts": {
    "users, roles and auth follow the spec; a second run is a no-op": ["users and roles"],
  },
  "test/insight/insight.test.ts": {
    "the operator or a real etcd exports every metric of alerts and dashboards": [
      "events and metrics",
      "metrics of the operator",
      "metrics of the operand",
      "alert rules",
      "dashboard",
      "metrics and alerts tested",
      "metrics of remedies and backups",
    ],
    "every alert has a runbook": ["runbook for each alert"],
  },
  "test/install/install.test.ts": {
    "the generated manifests install, and their roles suffice for backup pods": [
      "images overridable",
      "installable by kubectl, helm and catalog",
      "threats, ports, calls and rights documented",
      "least privilege, own namespace",
      "not root, own account, CRDs not by itself",
    ],
    "an operator for one namespace has no rights on Secrets or pods elsewhere": ["least privilege, own namespace"],
    "the bundle for catalogs has no warnings, and its examples are valid": [
      "installable by kubectl, helm and catalog",
      "descriptors, examples, icon, links",
    ],
  },
  "test/install/protection.test.ts": {
    "embedded: users cannot delete or change operator objects without an override": ["owned objects protected"],
  },
  "test/install/warnings.test.ts": {
    "an even size is accepted with a warning": ["prevents the slide into ill health"],
  },
  "test/kinds/kinds.test.ts": {
    "an impossible change is rejected on write, with the reason": [
      "volume growth",
      "validation",
      "images overridable",
      "fields documented with what is valid",
      "unsupported version reported",
      "schema for every field",
    ],
  },
  "test/kinds/reference.test.ts": {
    "every field has a description": ["fields documented with what is valid", "schema for every field"],
  },
  "test/lifecycle/lifecycle.test.ts": {
    "a cluster's whole life, from creation to deletion, is linearizable": [
      "scale out and in",
      "version update one by one",
      "hibernate to 0",
      "all configuration in the spec, reconciled without interruption",
      "operand upgraded by its object",
      "older versions of the operand managed",
      "upgrade without interruption",
      "migrations as steps of the upgrade",
      "reconfiguration in the right order",
      "members added and removed, quorum respected",
      "restarts when a setting needs it",
      "uninstall removes everything",
    ],
  },
  "test/model/dispute.test.ts": {
    "members with different data: a majority of all decides": ["corrupt member rebuilt"],
  },
  "test/model/model.test.ts": {
    "from every state, quorum is kept and data serves again": [
      "corrupt member rebuilt",
      "refuse action without quorum",
      "split brain, cluster id check",
      "health-ordered roll-out",
      "unsupported version reported",
      "reconfiguration in the right order",
      "members added and removed, quorum respected",
      "application-aware scaling",
      "rolling strategy, disruption budget, requests",
      "fail-over and fail-back",
    ],
    "a version that does not start is rolled back, and the cluster serves": [
      "failed upgrade detected and rolled back",
      "back to the last good configuration",
    ],
    "a failing store holds up the update and nothing else": ["backup before an update"],
  },
  "test/model/second-fault.test.ts": {
    "loses no quorum and no write that a member has": ["quorum-loss recovery"],
  },
  "test/model/writes.test.ts": {
    "no write that a majority had is lost while a member has it": ["quorum-loss recovery"],
  },
  "test/readme/readme.test.ts": {
    "embedded: the README's lines create, operate and remove a cluster": [
      "installable by kubectl, helm and catalog",
      "secure defaults, restricted pods",
      "not root, own account, CRDs not by itself",
    ],
  },
  "test/s3/store.test.ts": {
    "keeps the objects that are put into it": [
      "stores",
      "backup by schedule, out of the cluster",
      "cloud identities for stores",
    ],
  },
  "test/stories/auth.test.ts": {
    "with spec.auth users have exactly the rights of their roles": ["users and roles"],
  },
  "test/stories/faults.test.ts": {
    "under load, a cluster heals from every harm without hands": [
      "operator replaced, operands stay",
      "fail-over and fail-back",
      "heals what is unhealthy",
      "operand survives the operator",
    ],
  },
  "test/stories/first.test.ts": {
    "a cluster of three becomes available and keeps its data": [
      "bootstrap",
      "add as learner, promote",
      "TLS for peers and clients",
      "provisioned from one object",
      "application-aware scaling",
      "status of each member",
    ],
  },
  "test/stories/quota.test.ts": {
    "a database full of old revisions accepts writes again by itself": ["heals what is unhealthy"],
  },
  "test/tls/peer-port.test.ts": {
    "the Secrets of clients and operator do not open the peer port": ["TLS for peers and clients"],
  },
  "test/tls/provided.test.ts": {
    "provided Secrets are used, and replaced without interruption": ["certificates issued and renewed"],
  },
  "test/tls/rotation.test.ts": {
    "the authority changes while a client writes": ["TLS for peers and clients", "certificates issued and renewed"],
  },
  "test/upgrade/take-over.test.ts": {
    "the objects of the first operator are adopted without a restart": ["operator replaced, operands stay"],
  },
  "test/upgrade/upgrade.test.ts": {
    "members serve while operators are killed, rolled back and upgraded": ["operator replaced, operands stay"],
  },
  "test/world/bad-input.test.ts": {
    "a lost member is recreated with the old template": ["back to the last good configuration"],
  },
  "test/world/form.test.ts": {
    "a failed template is rolled back after the deadline": ["back to the last good configuration"],
  },
  "test/world/learner.test.ts": {
    "a learner's data is saved as a backup, and the cluster is restored from it": ["quorum-loss recovery"],
  },
  "test/world/care.test.ts": {
    "members are defragmented by schedule": ["defragmentation, compaction", "prevents the slide into ill health"],
    "volumes grow in place": ["volume growth", "horizontal and vertical scaling"],
    "operations defragment all members or one, and reject unknown members": [
      "one-shot operations",
      "status on every object",
    ],
    "an operation takes a snapshot": ["one-shot operations", "consistent backup on demand"],
    "volumes have no owner with onDelete Retain, and else belong to the cluster": ["uninstall removes everything"],
  },
  "test/world/crash.test.ts": {
    "ends the same with a crash before any write": [
      "quorum-loss recovery",
      "crash-point tests",
      "operator replaced, operands stay",
      "idempotent, level-triggered, one controller a kind",
    ],
  },
  "test/world/events.test.ts": {
    "every change in a cluster's life creates an event": ["events"],
  },
  "test/world/rot.test.ts": {
    "a member kept from starting is compared, and the bad leader is replaced": ["corrupt member rebuilt"],
    "a member is added only if the existing ones agree": ["corrupt member rebuilt"],
  },
  "test/world/faults.test.ts": {
    "a deleted pod is recreated with its data": ["stable identity and volume reuse"],
    "a member without its volume is replaced by one with another name": [
      "replace dead member",
      "heals what is unhealthy",
    ],
    "a member with different data is found without an alarm, and replaced": ["corrupt member rebuilt"],
    "after the loss of two of three volumes the last one continues, with a report": ["quorum-loss recovery"],
    "a paused cluster is observed, but not touched": ["pause", "disconnect leaves everything"],
    "a Service of that name with another owner is left alone, and the cluster waits": ["owned objects protected"],
    "operations replace a member and move the leader, and are immutable": ["one-shot operations"],
    "a version that cannot be pulled is rolled back, and the status shows what runs": [
      "status shows that a change is being applied",
      "failed upgrade detected and rolled back",
      "status has the version that really runs",
    ],
  },
  "test/world/life.test.ts": {
    "the disruption budget counts voters while members are still being removed": ["disruption budget"],
    "size and version are a complete spec: three members": [
      "pod carrier",
      "bootstrap",
      "conditions",
      "status of each member",
      "provisioned from one object",
      "waits for health before it says ready",
      "status on every object",
      "version and health during installation",
    ],
    "a cluster is scaled, updated, hibernated and resumed, and keeps its identity": [
      "scale out and in",
      "version update one by one",
      "update path rules",
      "hibernate to 0",
      "operand upgraded by its object",
      "older versions of the operand managed",
      "horizontal and vertical scaling",
      "scaling ends when all is consistent",
    ],
  },
  "test/world/loops.test.ts": {
    "of three in crash loops with good volumes are not replaced": ["quorum-loss recovery"],
    "loses its data and restarts": ["split brain, cluster id check"],
  },
  "test/world/operations.test.ts": {
    "operations on a hibernated cluster are rejected with the reason": ["one-shot operations"],
    "operations report what was done; the leader moves to a healthy follower": ["one-shot operations"],
  },
  "test/world/restore.test.ts": {
    "the checked backup replaces all data, and revisions do not go back": ["restore to a cluster"],
    "a backup damaged after its check fails the restore, and the old data serves": ["restore to a cluster"],
    "all volumes lost: the newest tried backup; an older one only by name": ["quorum-loss recovery"],
  },
  "test/world/update.test.ts": {
    "before every step of an update a backup goes to the store": [
      "backup before an update",
      "migrations as steps of the upgrade",
      "status shows that a change is being applied",
      "update path rules",
    ],
  },
  "test/world/walk.test.ts": {
    "random edits never end a quorum, and converge": ["horizontal and vertical scaling"],
    "a spec that no member can start with is reported, and fixed by an edit": ["back to the last good configuration"],
  },
};
