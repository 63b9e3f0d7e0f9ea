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
    type: s.enum("ClusterIP", "NodePort", "LoadBalancer").default("ClusterIP").describe("Type of the Service"),
    annotations: s
      .record(s.string())
      .default({})
      .describe("Annotations of the client Service, for example for load balancers"),
  })
  .describe("Client Service, `<name>-client`");

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
        .describe("Number of members, best an odd one; 0 hibernates the cluster and keeps its data"),
      version: s
        .string()
        .pattern(String.raw`^3\.([5-9]|[1-9][0-9])\.([0-9]{1,4}|x)$`)
        .max(16)
        .rules(
          s.rule(
            "int(self.split('.')[1]) <= 7",
            "this operator supports etcd 3.5 to 3.7: upgrade the operator for later versions",
          ),
        )
        .example("3.6.16")
        .describe("Version such as 3.6.16, or 3.6.x for the newest patch release that this operator supports"),
      image: s
        .string()
        .max(512)
        .default("gcr.io/etcd-development/etcd:v{version}")
        .rules(
          s.rule(
            "self.contains('{version}')",
            "the image must contain {version}: upgrades go through minor versions step by step",
          ),
        )
        .describe("Image reference with the placeholder {version}"),
      profile: s
        .enum("small", "medium", "large")
        .default("small")
        .describe("Preset of resources, volume size and quota"),
      resources: s
        .object({
          requests: amounts.optional().describe("Resource requests of each member"),
          limits: amounts.optional().describe("Resource limits of each member"),
        })
        .optional()
        .describe("Overrides the resources of the profile"),
      storage: storage.default({}),
      options: s
        .record(s.string().max(512))
        .max(64)
        .rules(
          s.rule(
            `self.all(flag, !flag.matches('${OWN_FLAGS}'))`,
            "the operator manages the flags of identity, addresses, certificates, compaction and safety",
          ),
          s.rule("self.all(flag, flag.matches('^[a-z0-9-]+$'))", "flags are words such as snapshot-count"),
          s.rule(
            `!('feature-gates' in self) || !self['feature-gates'].matches('${OWN_FEATURES}')`,
            "the operator manages the checks of the members' data: remove InitialCorruptCheck and CompactHashCheck",
          ),
        )
        .default({})
        .describe("Additional flags of etcd, without the leading dashes"),
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
            .describe("Cron schedule of backups, five fields, in UTC"),
          ...backupForm,
        })
        .optional()
        .describe("Scheduled backups: the operator manages an EtcdBackup of the cluster's name"),
      bootstrap: backupSource
        .immutable("bootstrap is immutable: a cluster gets its initial data once")
        .optional()
        .describe("Bootstraps the cluster from a backup"),
      clientService: clientService.default({}),
      update: update.default({}),
      recovery: recovery.default({}),
      paused: s.boolean().default(false).describe("Observes the cluster without changing it"),
    })
    .rules(
      s.rule(
        "has(self.bootstrap) == has(oldSelf.bootstrap)",
        "bootstrap is immutable: a cluster gets its initial data once",
      ),
      s.rule(
        "!self.auth.enabled || self.tls.mode != 'Off'",
        "auth needs TLS: the operator authenticates with a certificate and would lock itself out without one",
      ),
      s.rule(
        "self.tls.mode == 'Provided' || self.options.all(flag, !flag.startsWith('peer-cert-allowed-'))",
        "the operator manages peer-cert-allowed flags unless tls.mode is Provided",
      ),
    ),
  rules: [
    s.rule(
      "self.size == 0 || oldSelf.size == 0 || self.size >= oldSelf.size - 1 || self.size > oldSelf.size / 2",
      "at most a minority of the members can be removed at once: scale down in steps",
    ),
    s.rule(
      "has(oldSelf.storage.size) || !has(self.storage.size) || " +
        `quantity(string(self.storage.size)).compareTo(quantity(${volumes}[oldSelf.profile])) >= 0`,
      "a volume cannot shrink: those of the profile are larger",
    ),
    s.rule(
      "int(self.version.split('.')[1]) + 1 >= int(oldSelf.version.split('.')[1])",
      "etcd cannot be downgraded by more than one minor version: restore a backup into a new cluster",
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
