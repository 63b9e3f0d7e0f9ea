/** Which test shows which rows of the README's tables: a link leads to a file, and here is the test that is meant in it. */

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
    "every form comes back": ["compression, immutable, secondary copy"],
    "a backup of the newest revision is taken": ["highest revision chosen"],
  },
  "test/backup/controllers.test.ts": {
    "is made by a pod, written down": [
      "backup once and periodic",
      "consistent backup on demand",
      "status on every object",
    ],
    "is made every ten minutes": [
      "backup once and periodic",
      "backup by schedule, out of the cluster",
      "status of the last backup",
    ],
    "fails with the reason, is tried again after a while": ["metrics of remedies and backups"],
    "makes the cluster that the backup describes": ["restore to a cluster", "restore from the reference alone"],
    "does not touch a cluster that exists unless its name is said twice": ["restore to a cluster"],
  },
  "test/backup/story.test.ts": {
    "what is backed up comes back, from a bucket, from a volume and in place": [
      "restore brings back data and version",
      "restore from the reference alone",
    ],
  },
  "test/crash/crash.test.ts": {
    "with an operator that dies between any two of its writes": [
      "crash-point tests",
      "disconnect leaves everything",
      "operand survives the operator",
      "idempotent, level-triggered, one controller a kind",
    ],
  },
  "test/edits/edits.test.ts": {
    "random edits, good and bad, never stop real members": [
      "all configuration in the spec, reconciled without interruption",
      "tested against failing pods, configuration, storage, network",
    ],
  },
  "test/etcd/sync-auth.test.ts": {
    "users, roles and the switch follow the spec": ["users and roles"],
  },
  "test/insight/insight.test.ts": {
    "every metric that alerts and dashboard speak of": [
      "events and metrics",
      "metrics of the operator",
      "metrics of the operand",
      "alert rules",
      "dashboard",
      "metrics and alerts tested",
      "metrics of remedies and backups",
    ],
    "every alert has a runbook that exists": ["runbook for each alert"],
  },
  "test/install/install.test.ts": {
    "what is generated installs on a cluster, its roles suffice": [
      "images overridable",
      "installable by kubectl, helm and catalog",
      "threats, ports, calls and rights documented",
      "least privilege, own namespace",
      "not root, own account, CRDs not by itself",
    ],
    "it works there, and has no right over Secrets or pods anywhere else": ["least privilege, own namespace"],
    "the bundle for catalogs has nothing to be warned of": [
      "installable by kubectl, helm and catalog",
      "descriptors, examples, icon, links",
    ],
  },
  "test/install/protection.test.ts": {
    "people cannot delete or change what the operator keeps": ["owned objects protected"],
  },
  "test/install/warnings.test.ts": {
    "an even size is warned of": ["prevents the slide into ill health"],
  },
  "test/kinds/kinds.test.ts": {
    "an impossible change is refused when it is made, with the reason": [
      "volume growth",
      "validation",
      "images overridable",
      "fields documented with what is valid",
      "unsupported version reported",
      "schema for every field",
    ],
  },
  "test/kinds/reference.test.ts": {
    "every field says what it means": ["fields documented with what is valid", "schema for every field"],
  },
  "test/lifecycle/lifecycle.test.ts": {
    "create, grow, shrink, update through two minor versions, reconfigure, sleep, wake, delete": [
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
    "who is right is known by a majority of all": ["corrupt member rebuilt"],
  },
  "test/model/model.test.ts": {
    "from every state, no decision ends a quorum, and whatever has data serves again": [
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
    "a version that does not start is put back": [
      "failed upgrade detected and rolled back",
      "back to the last good configuration",
    ],
    "a store that fails holds up the update and nothing else": ["backup before an update"],
  },
  "test/model/second-fault.test.ts": {
    "something breaks: no quorum is ended, no write is lost that somebody has": ["quorum-loss recovery"],
  },
  "test/model/writes.test.ts": {
    "no write that a majority had is lost while somebody has it": ["quorum-loss recovery"],
  },
  "test/readme/readme.test.ts": {
    "the README's lines lead to a cluster": [
      "installable by kubectl, helm and catalog",
      "secure defaults, restricted pods",
      "not root, own account, CRDs not by itself",
    ],
  },
  "test/s3/store.test.ts": {
    "keeps what is put into it": ["stores", "backup by schedule, out of the cluster", "cloud identities for stores"],
  },
  "test/stories/auth.test.ts": {
    "with spec.auth everybody may do what the roles allow and no more": ["users and roles"],
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
    "a cluster of three comes up and keeps what it is given": [
      "bootstrap",
      "add as learner, promote",
      "TLS for peers and clients",
      "provisioned from one object",
      "application-aware scaling",
      "status of each member",
    ],
  },
  "test/stories/quota.test.ts": {
    "a database that is full of old revisions takes writes again by itself": ["heals what is unhealthy"],
  },
  "test/tls/peer-port.test.ts": {
    "the Secrets of clients and of the operator do not open the peers' port": ["TLS for peers and clients"],
  },
  "test/tls/provided.test.ts": {
    "given Secrets are used, and others take their place": ["certificates issued and renewed"],
  },
  "test/tls/rotation.test.ts": {
    "the authority changes while a client writes": ["TLS for peers and clients", "certificates issued and renewed"],
  },
  "test/upgrade/take-over.test.ts": {
    "what the first operator wrote is taken over as it is": ["operator replaced, operands stay"],
  },
  "test/upgrade/upgrade.test.ts": {
    "members serve while operators are killed, rolled back and upgraded": ["operator replaced, operands stay"],
  },
  "test/world/bad-input.test.ts": {
    "who is lost while no pod can be made as the spec has it comes back as it was": [
      "back to the last good configuration",
    ],
  },
  "test/world/form.test.ts": {
    "a form that nobody comes back in is put back after the deadline, and told": [
      "back to the last good configuration",
    ],
  },
  "test/world/learner.test.ts": {
    "what a learner has is saved as a backup": ["quorum-loss recovery"],
  },
  "test/world/care.test.ts": {
    "members are defragmented by schedule": ["defragmentation, compaction", "prevents the slide into ill health"],
    "volumes grow in place": ["volume growth", "horizontal and vertical scaling"],
    "an operation defragments all members": ["one-shot operations", "status on every object"],
    "an operation takes a snapshot": ["one-shot operations", "consistent backup on demand"],
    "with onDelete Retain volumes belong to nobody": ["uninstall removes everything"],
  },
  "test/world/crash.test.ts": {
    "ends the same, whichever write the operator dies before": [
      "quorum-loss recovery",
      "crash-point tests",
      "operator replaced, operands stay",
      "idempotent, level-triggered, one controller a kind",
    ],
  },
  "test/world/events.test.ts": {
    "every change in a cluster's life is told by an event": ["events"],
  },
  "test/world/rot.test.ts": {
    "made anew, is kept from starting: it is heard": ["corrupt member rebuilt"],
    "one more is let in only when those who are there agree": ["corrupt member rebuilt"],
  },
  "test/world/faults.test.ts": {
    "a pod that is deleted comes back with its data": ["stable identity and volume reuse"],
    "a member whose volume is gone is replaced by another": ["replace dead member", "heals what is unhealthy"],
    "a member whose data differs from that of the others is found": ["corrupt member rebuilt"],
    "two of three volumes gone: goes on with the one that is left": ["quorum-loss recovery"],
    "paused means: look, but do not touch": ["pause", "disconnect leaves everything"],
    "a Service of that name that belongs to somebody else is left alone": ["owned objects protected"],
    "an operation replaces a member, another moves the leader": ["one-shot operations"],
    "a version that cannot be pulled is put back, and what runs is told": [
      "status shows that a change is being applied",
      "failed upgrade detected and rolled back",
      "status has the version that really runs",
    ],
  },
  "test/world/life.test.ts": {
    "the disruption budget is that of those who vote": ["disruption budget"],
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
    "grows, shrinks, is updated through two minor versions, sleeps, wakes": [
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
    "crash again and again on good volumes": ["quorum-loss recovery"],
    "loses its data and restarts": ["split brain, cluster id check"],
  },
  "test/world/operations.test.ts": {
    "on a cluster that sleeps operations are rejected": ["one-shot operations"],
    "what is said to be done was done": ["one-shot operations"],
  },
  "test/world/restore.test.ts": {
    "the backup that was checked takes the place of all data": ["restore to a cluster"],
    "a backup that breaks after it was checked": ["restore to a cluster"],
    "all volumes gone: the newest backup that was tried": ["quorum-loss recovery"],
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
    "random edits, good and bad, never end a quorum": ["horizontal and vertical scaling"],
    "a spec that no member can start with is told, and mended": ["back to the last good configuration"],
  },
};
