/** `EtcdCluster`: what a user asks for. `{ size: 3, version: "3.6.16" }` is complete. */
import { defineResource, s } from "capstan";
import { clusterStatus } from "./cluster-status.ts";
import { backupForm, store } from "./store.ts";

const duration = s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32);
const secretName = s.string().min(1).max(253);
const amounts = s.record(s.quantity()).max(16);

const storage = s
  .object({
    size: s
      .quantity()
      .optional()
      .describe("Of each member's volume; left out: by profile. It can grow and never shrink"),
    className: s.string().max(253).optional().describe("The StorageClass; left out: the cluster's default"),
    onDelete: s
      .enum("Delete", "Retain")
      .default("Delete")
      .describe("What becomes of the volumes when the cluster is deleted"),
  })
  .rules(
    s.rule("!has(oldSelf.size) || has(self.size)", "a size that was given cannot be taken back: volumes do not shrink"),
    s.rule(
      "!has(oldSelf.size) || !has(self.size) || " +
        "quantity(string(self.size)).compareTo(quantity(string(oldSelf.size))) >= 0",
      "a volume cannot shrink: it holds data",
    ),
    s.rule(
      "has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)",
      "the class of existing volumes cannot be changed: make another cluster and restore a backup into it",
    ),
  );

const tls = s
  .object({
    mode: s
      .enum("Managed", "Provided", "Off")
      .default("Managed")
      .describe("`Managed`: an authority of its own; `Provided`: Secrets that you keep; `Off`: everybody may listen"),
    secrets: s
      .object({ server: secretName, peer: secretName, client: secretName })
      .optional()
      .describe("`Provided`: Secrets with `tls.crt`, `tls.key`, `ca.crt`"),
    validity: duration
      .default("90d")
      .describe("`Managed`: how long a certificate is good; it is renewed after two thirds"),
    caValidity: duration.default("3650d").describe("`Managed`: how long the authority is good"),
    overlap: duration.default("24h").describe("How long old and new authorities are trusted side by side, at least"),
    names: s
      .array(s.string().max(253))
      .max(32)
      .default([])
      .describe("More names and addresses in the servers' certificate"),
  })
  .rules(
    s.rule("self.mode != 'Provided' || has(self.secrets)", "with mode Provided, `secrets` must name the three Secrets"),
    s.rule(
      "(self.mode == 'Off') == (oldSelf.mode == 'Off')",
      "members cannot change between plain text and TLS while they run: make another cluster and restore a backup into it",
    ),
  );

const permission = s.object({
  access: s.enum("Read", "Write", "ReadWrite"),
  key: s.string().max(512).default(""),
  rangeEnd: s.string().max(512).optional(),
  prefix: s.boolean().default(false).describe("All keys that begin with `key`"),
});

const auth = s.object({
  enabled: s.boolean().default(false),
  roles: s
    .array(s.object({ name: s.string().min(1).max(128), permissions: s.array(permission).max(64).default([]) }))
    .max(64)
    .map("name")
    .default([]),
  users: s
    .array(
      s.object({
        name: s.string().min(1).max(128),
        passwordSecret: secretName.optional().describe("A Secret with `password`; left out: only by certificate"),
        roles: s.array(s.string().max(128)).max(64).default([]),
      }),
    )
    .max(64)
    .map("name")
    .default([]),
});

const maintenance = s.object({
  defragment: s
    .object({
      schedule: s
        .string()
        .pattern(String.raw`^(@[a-z]+|\S+( \S+){4})$`)
        .max(128)
        .optional()
        .describe("Five fields as in cron, UTC: then all members, one after the other, the leader last"),
      whenFreeable: s.int32().min(10).max(95).default(50).describe("Percent of the database that would become free"),
    })
    .default({}),
  compaction: s
    .object({
      mode: s.enum("Periodic", "Revision", "Off").default("Periodic"),
      retention: s
        .string()
        .pattern("^[0-9]+(m|h)?$")
        .max(16)
        .default("1h")
        .describe("`5m`, `1h`, or a number of revisions"),
    })
    .rules(
      s.rule("self.mode != 'Revision' || self.retention.matches('^[0-9]+$')", "Revision counts revisions: a number"),
    )
    .default({}),
});

const update = s.object({
  deadline: duration.default("5m").describe("A member that is not well again so long after its update is put back"),
  snapshot: s
    .boolean()
    .default(true)
    .describe("With `backup`: make one before members go to another version, and wait until it exists"),
  rollBack: s.boolean().default(true).describe("Put a failed update back by itself, as long as etcd allows it"),
});

const recovery = s.object({
  quorumLoss: s
    .enum("Automatic", "Manual")
    .default("Automatic")
    .describe("`Automatic`: when the lost members can never come back, go on with the newest data that survived"),
  fromBackup: s.boolean().default(true).describe("When no data survived, restore the newest backup of `backup`"),
  replaceAfter: duration
    .default("5m")
    .describe("A member that was away for so long is replaced, as long as the others have quorum"),
});

/** Flags that decide who a member is: they belong to the operator. */
const OWN_FLAGS =
  "^(name|data-dir|wal-dir|config-file|initial-.*|listen-.*|advertise-.*|force-new-cluster|.*-file|client-cert-auth|peer-client-cert-auth|" +
  "auto-tls|peer-auto-tls|auto-compaction-.*|discovery.*|proxy.*|enable-v2)$";

const template = s
  .object({
    metadata: s
      .object({ labels: s.record(s.string()).optional(), annotations: s.record(s.string()).optional() })
      .optional(),
    spec: s.unknown<{ readonly [field: string]: unknown }>().optional(),
  })
  .describe("Merged onto the members' pods: lists by name, everything else field by field");

export const EtcdCluster = defineResource({
  group: "etcd.capstan.dev",
  version: "v1",
  kind: "EtcdCluster",
  shortNames: ["etcd"],
  categories: ["all", "etcd"],
  describe: "An etcd cluster.",
  spec: s
    .object({
      size: s
        .int32()
        .min(0)
        .max(7)
        .default(3)
        .describe("How many members; odd is better; 0 lets it sleep and keeps its data"),
      version: s
        .string()
        .pattern(String.raw`^3\.([5-9]|[1-9][0-9])\.([0-9]{1,4}|x)$`)
        .max(16)
        .rules(s.rule("int(self.split('.')[1]) <= 7", "this operator knows etcd 3.5 to 3.7: a later one knows more"))
        .describe("Such as 3.6.16, or 3.6.x for the newest that this operator knows"),
      image: s
        .string()
        .max(512)
        .default("gcr.io/etcd-development/etcd:v{version}")
        .rules(
          s.rule(
            "self.contains('{version}')",
            "the image must have {version} in it: updates go through versions step by step",
          ),
        )
        .describe("With {version} where the version goes"),
      profile: s.enum("small", "medium", "large").default("small").describe("Resources, volumes and quota in one word"),
      resources: s
        .object({ requests: amounts.optional(), limits: amounts.optional() })
        .optional()
        .describe("Instead of the profile's"),
      storage: storage.default({}),
      options: s
        .record(s.string().max(512))
        .max(64)
        .rules(
          s.rule(
            `self.all(flag, !flag.matches('${OWN_FLAGS}'))`,
            "flags of identity, addresses, certificates and compaction belong to the operator",
          ),
        )
        .default({})
        .describe("More flags of etcd, without the dashes"),
      podTemplate: template.optional(),
      tls: tls.default({}),
      auth: auth.default({}),
      maintenance: maintenance.default({}),
      backup: s
        .object({ schedule: s.string().min(9).max(128).default("0 * * * *"), ...backupForm })
        .optional()
        .describe("Backups on a schedule: an EtcdBackup of the cluster's name is kept"),
      bootstrap: s
        .object({
          store,
          backup: s.string().max(512).optional(),
          encryption: s.object({ name: secretName, key: secretName }).optional(),
        })
        .immutable("a cluster is born once: where its first data came from cannot change")
        .optional()
        .describe("Begin with the data of a backup"),
      clientService: s
        .object({
          type: s.enum("ClusterIP", "NodePort", "LoadBalancer").default("ClusterIP"),
          annotations: s.record(s.string()).default({}),
        })
        .default({}),
      update: update.default({}),
      recovery: recovery.default({}),
      paused: s.boolean().default(false).describe("Look, but do not touch"),
    })
    .rules(
      s.rule(
        "has(self.bootstrap) == has(oldSelf.bootstrap)",
        "a cluster is born once: where its first data came from cannot change",
      ),
    ),
  rules: [
    s.rule(
      "self.size == 0 || oldSelf.size == 0 || self.size > oldSelf.size / 2",
      "at most a minority of the members can be taken away at once: go down in steps",
    ),
    s.rule(
      "int(self.version.split('.')[1]) + 1 >= int(oldSelf.version.split('.')[1])",
      "etcd cannot go back more than one minor version: restore a backup into a new cluster",
    ),
  ],
  status: clusterStatus,
  conditions: {
    Available: "The members have quorum and serve reads and writes",
    Progressing: "The operator is bringing the cluster to its spec",
    Degraded: "Something is not as it should be; the message says what",
    QuorumLost: "Too few members are left to serve",
    Upgrading: "Members are being updated to another version",
    BackupReady: "The newest backup that was due exists",
    TLSReady: "All certificates are in place and good for a while",
  },
  scale: { spec: "spec.size", status: "status.size", selector: "status.selector" },
  columns: {
    Size: "spec.size",
    Ready: "status.ready",
    Version: "status.version",
    Available: "condition:Available",
    Leader: { path: "status.leader", wide: true },
    Doing: { path: "message:Progressing", wide: true },
  },
});
