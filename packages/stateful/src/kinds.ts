/** The custom resource of a cluster: fragments of spec and status that every application gets, with CEL rules. */
import { defineResource, s } from "@capstan/schema";
import type { Fields } from "@capstan/schema";
import { accountFields, accountStatus } from "./accounts/fields.ts";
import type { AccountNames } from "./accounts/fields.ts";
import { backupChoice, backupForm, storeField } from "./backup/resource.ts";
import type { ClusterKind } from "./cluster/resource.ts";

const duration = s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32);
const amounts = s.record(s.quantity()).max(16);

const storage = s
  .object({
    size: s.quantity().default("10Gi").describe("Size of each member's volume; it can grow and never shrink"),
    className: s
      .string()
      .max(253)
      .optional()
      .describe("The StorageClass; left out: the default of the Kubernetes cluster"),
    onDelete: s
      .enum("Retain", "Delete")
      .default("Retain")
      .describe("Whether the volumes stay when the object is deleted"),
    growth: s
      .object({
        at: s.int32().min(50).max(95).default(80).describe("Percent in use from which all volumes grow"),
        by: s.int32().min(5).max(100).default(25).describe("Percent by which they grow"),
        maximum: s.quantity().describe("They do not grow beyond this size"),
        every: duration.default("6h").describe("The time between two growths, at least"),
      })
      .optional()
      .describe("Volumes that grow by themselves; left out: only `size` makes them grow"),
  })
  .rules(
    s.rule(
      "!has(self.growth) || quantity(string(self.growth.maximum)).compareTo(quantity(string(self.size))) >= 0",
      "growth.maximum is smaller than the size",
    ),
    s.rule(
      "quantity(string(self.size)).compareTo(quantity(string(oldSelf.size))) >= 0",
      "a volume cannot shrink: it holds data",
    ),
    s.rule(
      "has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)",
      "the class of existing volumes cannot change: make another cluster and restore a backup into it",
    ),
  )
  .describe("The members' volumes");

const maintenance = s
  .object({
    windows: s
      .array(
        s.object({
          schedule: s.string().min(9).max(128).describe("Cron schedule of the beginning, in UTC"),
          duration: duration.default("2h").describe("How long it is open"),
        }),
      )
      .max(16)
      .default([])
      .describe("Members are restarted for updates only in these windows; none: at any time. Repairs do not wait"),
  })
  .describe("When members may be restarted");

const failover = s
  .object({
    mode: s
      .enum("Safe", "Available", "Manual")
      .default("Safe")
      .describe(
        "`Safe`: promote only if no acknowledged write can be lost; `Available`: after `availableAfter`, promote also with a possible loss, which the status names; `Manual`: never promote by itself",
      ),
    after: duration.default("5s").describe("How long the primary may be silent"),
    availableAfter: duration
      .default("60s")
      .describe("With `Available`: how long to wait for members that may have more"),
  })
  .describe("What happens when the primary is lost");

const switchover = s
  .object({
    to: s.string().max(253).optional().describe("The member; left out: the replica that is most up to date"),
    request: s.string().min(1).max(63).describe("Any text: another text is another request"),
  })
  .describe("Ask for another primary");

const seedServer = s.object({
  host: s.string().min(1).max(253).describe("Host of a running server that members can reach"),
  port: s.int32().min(1).max(65_535).optional().describe("Default: the port of the application"),
  user: s.string().min(1).max(128).describe("An account that may read everything"),
  password: s
    .object({
      name: s.string().min(1).max(253).describe("The Secret"),
      key: s.string().min(1).max(253).describe("Its key"),
    })
    .describe("The password, in a Secret"),
});

const bootstrap = s
  .object({
    from: s
      .oneOf({
        backup: s.object(backupChoice).describe("A backup of a cluster of this kind"),
        dump: s
          .object({
            ...storeField,
            object: s.string().min(1).max(512).describe("Name of the file; .gz and .zst are unpacked"),
          })
          .describe("A dump of any server, in a store"),
        server: seedServer.describe("A running server; it is copied once"),
      })
      .describe("Exactly one source"),
  })
  .describe("The data that a new cluster begins with; it has no effect on a cluster that has data");

const tls = s
  .object({
    mode: s
      .enum("Managed", "Provided", "Off")
      .default("Managed")
      .describe("`Managed`: the operator makes and renews certificates; `Provided`: `secret` has them"),
    secret: s
      .string()
      .max(253)
      .optional()
      .describe("With `Provided`: a Secret with tls.crt, tls.key and ca.crt for *.NAME-members.NAMESPACE.svc"),
    validity: duration.default("90d").describe("Lifetime of the certificate; it is renewed after two thirds"),
    authorityValidity: duration.default("3650d").describe("Lifetime of the authority"),
    overlap: duration.default("1d").describe("How long the old and the new authority are trusted together, at least"),
    names: s
      .array(s.string().min(1).max(253))
      .max(32)
      .default([])
      .describe("More DNS names and addresses by which clients reach the cluster"),
    rotation: s.string().max(63).optional().describe("Any text: another text asks for a new authority"),
  })
  .rules(s.rule("self.mode != 'Provided' || has(self.secret)", "mode Provided needs the name of a Secret"))
  .describe("Encryption of connections");

/** The fields of a spec that every application has. */
function commonSpec({ image, versions, hasTls, accounts }: KindParts) {
  return {
    ...(accounts === undefined ? {} : accountFields(accounts)),
    ...(hasTls ? { tls: tls.default({}) } : {}),
    size: s.int32().min(0).max(7).default(3).describe("How many members; 0 stops them and keeps their data"),
    version: s
      .string()
      .max(32)
      .rules(
        s.rule(`self in [${versions.map((one) => `'${one}'`).join(", ")}]`, `known versions: ${versions.join(", ")}`),
      )
      .describe("The version of the server"),
    image: s
      .string()
      .max(512)
      .default(image)
      .rules(s.rule("self.contains('{version}')", "the image must contain {version}"))
      .describe("The image, with {version} where the version goes"),
    resources: s
      .object({ requests: amounts.optional().describe("Reserved"), limits: amounts.optional().describe("The most") })
      .default({ requests: { cpu: "100m", memory: "512Mi" }, limits: { memory: "512Mi" } })
      .describe("Resources of each member; settings follow from the memory limit"),
    storage: storage.default({}),
    settings: s.record(s.string().max(1024)).max(128).default({}).describe("Settings of the server, by name"),
    maintenance: maintenance.default({}),
    failover: failover.default({}),
    switchover: switchover.optional(),
    bootstrap: bootstrap.optional(),
    backup: s
      .object({
        ...backupForm,
        schedule: s.string().min(9).max(128).default("0 1 * * *").describe("Cron schedule in UTC"),
      })
      .optional()
      .describe("Backups on a schedule; the first one is made at once"),
    paused: s.boolean().default(false).describe("Leave everything as it is"),
  };
}

const member = s.object({
  name: s.string().describe("The name of its pod"),
  state: s.enum("Joining", "Joined", "Leaving").describe("Whether it takes part in replication"),
  role: s.enum("Primary", "Replica", "None").optional().describe("What it does now"),
  health: s.enum("Healthy", "Starting", "Unreachable", "Failed").optional().describe("How it is"),
  version: s.string().optional().describe("The version that it reports"),
  syncedRun: s.string().optional().describe("The run of its server in which it had all writes"),
  settings: s.string().optional().describe("The live settings that it has, and the run of its server"),
  login: s.string().optional().describe("The password with which it replicates, during a rotation"),
});

const status = s.object({
  size: s.int32().optional().describe("Members, without those that leave"),
  ready: s.int32().optional().describe("Members that serve"),
  selector: s.string().optional().describe("Labels of the pods, for scaling"),
  primary: s.string().optional().describe("The member that accepts writes"),
  version: s.string().optional().describe("The version that all members run"),
  lineage: s.string().optional().describe("Identity of the data"),
  created: s.boolean().optional().describe("The first member had its data: no member creates empty data again"),
  epoch: s.int64().optional().describe("Grows with each change of the primary"),
  nextSerial: s.int32().optional().describe("The number of the next member"),
  acknowledgements: s.int32().optional().describe("Replicas that are known to hold every acknowledged write"),
  members: s.array(member).max(32).map("name").optional().describe("All members"),
  failover: s
    .object({
      from: s.string().describe("The lost primary"),
      began: s.timestamp().describe("When it was found lost"),
      why: s.string().describe("What was seen"),
      isolated: s.boolean().optional().describe("The old primary responds, but no follower reaches it"),
    })
    .optional()
    .describe("A failover that is under way"),
  lastFailover: s
    .object({
      from: s.string().describe("The lost primary"),
      to: s.string().describe("The member that took over"),
      at: s.timestamp().describe("When"),
      mayBeLost: s.string().optional().describe("Writes that may be lost, if any"),
    })
    .optional()
    .describe("The last failover"),
  switchover: s
    .object({
      to: s.string().describe("The member that is to take over"),
      began: s.timestamp().describe("When it began"),
      why: s.string().describe("Why"),
    })
    .optional()
    .describe("A switchover that is under way"),
  restore: s
    .object({
      uid: s.string().describe("UID of the restore"),
      name: s.string().describe("Name of the restore"),
      former: s
        .array(member)
        .max(32)
        .map("name")
        .describe("The members before it; their volumes stay until it is done"),
      primary: s.string().describe("The primary before it"),
      lineage: s.string().describe("The identity of the data before it"),
    })
    .optional()
    .describe("A restore in place that is under way"),
  lastRestore: s
    .object({
      uid: s.string().describe("UID of the restore"),
      name: s.string().describe("Name of the restore"),
      at: s.timestamp().describe("When its data was served"),
    })
    .optional()
    .describe("The last restore in place"),
  ...accountStatus(),
  volumes: s
    .object({
      size: s.quantity().describe("The size that all volumes get"),
      grewAt: s.timestamp().describe("When it was chosen"),
      why: s.string().describe("What was seen"),
    })
    .optional()
    .describe("The last growth of the volumes by themselves"),
  handledRestore: s.string().optional().describe("UID of the restore that was finished or taken back last"),
  handledRequest: s.string().optional().describe("The last request for a switchover that was handled"),
  failedSwitchover: s
    .object({
      to: s.string().describe("The member that did not take over"),
      generation: s.int64().describe("The generation of the spec: it is tried again when the spec changes"),
      why: s.string().describe("What went wrong"),
    })
    .optional()
    .describe("A switchover that was cancelled"),
});

/** What an author says about the kind. */
export interface KindParts {
  readonly group: string;
  readonly kind: string;
  readonly image: string;
  readonly versions: readonly string[];
  /** Whether the application serves TLS. */
  readonly hasTls: boolean;
  /** Names of accounts that the spec cannot have; undefined: it has no accounts. */
  readonly accounts?: AccountNames | undefined;
}

/** The kind of an application, with its own fields of the spec. */
export function defineCluster(parts: KindParts, extra: Fields): ClusterKind {
  const kind = defineResource({
    group: parts.group,
    version: "v1",
    kind: parts.kind,
    categories: ["all"],
    describe: `A ${parts.kind} cluster with one primary and replicas.`,
    spec: s.object({ ...commonSpec(parts), ...extra }),
    status,
    conditions: {
      Available: "The primary accepts writes",
      Progressing: "The operator is bringing the cluster to its spec",
      Degraded: "Something needs attention; the message says what",
      Durable: "Acknowledged writes survive the loss of any one member",
      AccountsReady: "All members have the users, databases and passwords that the spec asks for",
      TLSReady: "Connections are encrypted as the spec asks, with certificates that are valid",
    },
    scale: { spec: "spec.size", status: "status.size", selector: "status.selector" },
    columns: {
      Size: "spec.size",
      Ready: "status.ready",
      Version: "status.version",
      Primary: "status.primary",
      Available: "condition:Available",
      Durable: "condition:Durable",
    },
  });
  // The interfaces of this library repeat the types of the fragments above, which cannot be inferred across packages.
  return kind as unknown as ClusterKind;
}
