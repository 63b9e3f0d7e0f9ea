/** `EtcdCluster`: the desired state of a cluster. `{ size: 3, version: "3.6.16" }` is complete. */
import { defineResource, s } from "capstan";
import { PROFILES } from "../pods/profile.ts";
import { clusterStatus } from "./cluster-status.ts";
import {
  auth,
  maintenance,
  OWN_FEATURES,
  OWN_FLAGS,
  recovery,
  storage,
  template,
  tls,
  update,
} from "./cluster-parts.ts";
import { backupForm, backupSource, imagePullSecrets } from "./store.ts";

const amounts = s.record(s.quantity()).max(16);

/** Volume sizes of the profiles, in CEL. */
const volumes = `{${Object.entries(PROFILES)
  .map(([name, { storage: size }]) => `'${name}': '${size}'`)
  .join(", ")}}`;

const clientService = s
  .object({
    type: s.enum("ClusterIP", "NodePort", "LoadBalancer").default("ClusterIP").describe("Who can reach it"),
    annotations: s.record(s.string()).default({}).describe("For load balancers that want to be told something"),
  })
  .describe("The Service that clients use, `<name>-client`");

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
        .example("3.6.16")
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
        .object({
          requests: amounts.optional().describe("What is set aside for each member"),
          limits: amounts.optional().describe("What each member may use at most"),
        })
        .optional()
        .describe("Instead of the profile's"),
      storage: storage.default({}),
      options: s
        .record(s.string().max(512))
        .max(64)
        .rules(
          s.rule(
            `self.all(flag, !flag.matches('${OWN_FLAGS}'))`,
            "flags of identity, addresses, certificates, compaction and safety belong to the operator",
          ),
          s.rule("self.all(flag, flag.matches('^[a-z0-9-]+$'))", "flags are words such as snapshot-count"),
          s.rule(
            `!('feature-gates' in self) || !self['feature-gates'].matches('${OWN_FEATURES}')`,
            "checks of the members' data belong to the operator: leave InitialCorruptCheck and CompactHashCheck out",
          ),
        )
        .default({})
        .describe("More flags of etcd, without the dashes"),
      imagePullSecrets,
      podTemplate: template.optional(),
      tls: tls.default({}),
      auth: auth.default({}),
      maintenance: maintenance.default({}),
      backup: s
        .object({
          schedule: s
            .string()
            .min(9)
            .max(128)
            .default("0 * * * *")
            .describe("Five fields as in cron, UTC: when a backup is made"),
          ...backupForm,
        })
        .optional()
        .describe("Backups on a schedule: an EtcdBackup of the cluster's name is kept"),
      bootstrap: backupSource
        .immutable("a cluster is born once: where its first data came from cannot change")
        .optional()
        .describe("Begin with the data of a backup"),
      clientService: clientService.default({}),
      update: update.default({}),
      recovery: recovery.default({}),
      paused: s.boolean().default(false).describe("Look, but do not touch"),
    })
    .rules(
      s.rule(
        "has(self.bootstrap) == has(oldSelf.bootstrap)",
        "a cluster is born once: where its first data came from cannot change",
      ),
      s.rule(
        "!self.auth.enabled || self.tls.mode != 'Off'",
        "auth needs TLS: without certificates nobody knows who the operator is, and it would lock itself out",
      ),
      s.rule(
        "self.tls.mode == 'Provided' || self.options.all(flag, !flag.startsWith('peer-cert-allowed-'))",
        "who may speak as a peer is the operator's to say where it makes the certificates: use tls.mode Provided",
      ),
    ),
  rules: [
    s.rule(
      "self.size == 0 || oldSelf.size == 0 || self.size >= oldSelf.size - 1 || self.size > oldSelf.size / 2",
      "at most a minority of the members can be taken away at once: go down in steps",
    ),
    s.rule(
      "has(oldSelf.storage.size) || !has(self.storage.size) || " +
        `quantity(string(self.storage.size)).compareTo(quantity(${volumes}[oldSelf.profile])) >= 0`,
      "a volume cannot shrink: those of the profile are larger",
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
