/** The parts of a cluster's spec, with validation rules and descriptions. */
import { s } from "capstan";

/** The name of a Secret in the namespace of the object. */
export const secretName = s.string().min(1).max(253);

const duration = s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32);

/** The members' volumes. */
export const storage = s
  .object({
    size: s
      .quantity()
      .optional()
      .describe("Size of each member's volume; default: by profile. It can grow but not shrink"),
    className: s.string().max(253).optional().describe("StorageClass; default: the default class of the cluster"),
    onDelete: s
      .enum("Delete", "Retain")
      .default("Delete")
      .describe("Policy for the volumes when the cluster is deleted"),
  })
  .rules(
    s.rule("!has(oldSelf.size) || has(self.size)", "size cannot be removed once it is set: volumes do not shrink"),
    s.rule(
      "!has(oldSelf.size) || !has(self.size) || " +
        "quantity(string(self.size)).compareTo(quantity(string(oldSelf.size))) >= 0",
      "a volume cannot shrink: it holds data",
    ),
    s.rule(
      "has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)",
      "the class of existing volumes is immutable: create another cluster and restore a backup into it",
    ),
  )
  .describe("Volumes of the members");

/** A timeout of at least 5 seconds. */
function patience(usual: string, what: string) {
  return duration
    .rules(s.rule(`${secondsOf("self")} >= 5`, "at least 5s: a member needs time to start"))
    .default(usual)
    .describe(what);
}

/** Seconds of a duration, in CEL. */
function secondsOf(field: string): string {
  const units = { s: 1, m: 60, h: 3_600, d: 86_400 };
  const sums = Object.entries(units).map(
    ([unit, seconds]) => `${field}.findAll('[0-9]+${unit}').map(n, int(n.replace('${unit}', ''))).sum() * ${seconds}`,
  );
  return `(${sums.join(" + ")})`;
}

export const tls = s
  .object({
    mode: s
      .enum("Managed", "Provided", "Off")
      .default("Managed")
      .describe("`Managed`: the operator runs a CA; `Provided`: you provide Secrets; `Off`: traffic is not encrypted"),
    secrets: s
      .object({
        server: secretName.describe("Server certificate for clients"),
        peer: secretName.describe("Peer certificate"),
        client: secretName.describe("Client certificate of the operator; with `auth` its common name is `root`"),
      })
      .optional()
      .describe("`Provided`: Secrets with `tls.crt`, `tls.key`, `ca.crt`"),
    validity: s
      .string()
      .pattern("^([1-9][0-9]*(h|d))+$")
      .max(32)
      .default("90d")
      .describe("`Managed`: lifetime of a certificate; it is renewed after two thirds"),
    caValidity: s
      .string()
      .pattern("^([1-9][0-9]*d)+$")
      .max(32)
      .default("3650d")
      .describe("`Managed`: lifetime of the CA in days; every rotation of the CA restarts members"),
    overlap: duration.default("24h").describe("Minimum time for which the old and the new CA are both trusted"),
    names: s
      .array(s.string().min(1).max(253).pattern("^[A-Za-z0-9._:*-]+$"))
      .max(32)
      .default([])
      .describe("Additional names and addresses in the server certificate"),
  })
  .rules(
    s.rule("self.mode != 'Provided' || has(self.secrets)", "with mode Provided, `secrets` must name the three Secrets"),
    s.rule(
      "(self.mode == 'Off') == (oldSelf.mode == 'Off')",
      "members cannot change between plain text and TLS while they run: create another cluster and restore a backup into it",
    ),
    s.rule(
      `self.mode != 'Managed' || ${secondsOf("self.caValidity")} >= 6 * ${secondsOf("self.overlap")}`,
      "caValidity must be at least six times overlap: the rotation of a CA takes two overlaps in the last third of its lifetime",
    ),
    s.rule(
      `[self.validity, self.caValidity].all(one, ${secondsOf("one")} <= 36500 * 86400)`,
      "at most a hundred years: certificates cannot hold later dates",
    ),
  )
  .describe("Certificates of members and clients");

const permission = s
  .object({
    access: s.enum("Read", "Write", "ReadWrite").describe("Access of the role to the keys"),
    key: s.string().max(512).default("").describe("Key, or first key of the range; empty only with `prefix`"),
    rangeEnd: s.string().max(512).optional().describe("First key after the range; default: only `key`"),
    prefix: s.boolean().default(false).describe("All keys with the prefix `key`"),
  })
  .rules(
    s.rule("self.prefix || self.key != ''", "etcd has no empty key: name one, or set prefix for all keys"),
    s.rule(
      "self.prefix || !has(self.rangeEnd) || self.rangeEnd in ['', '\\u0000'] || self.key < self.rangeEnd",
      "rangeEnd must be after key: etcd refuses an empty range",
    ),
  );

const role = s.object({
  name: s.string().min(1).max(128).describe("Name in etcd"),
  permissions: s.array(permission).max(64).default([]).describe("Permissions of the role"),
});

const user = s.object({
  name: s.string().min(1).max(128).describe("Name in etcd; for certificates, the common name"),
  passwordSecret: secretName.optional().describe("Secret with `password`; default: authentication by certificate only"),
  roles: s.array(s.string().max(128)).max(64).default([]).describe("Exact list of roles"),
});

/** Authentication. */
export const auth = s
  .object({
    enabled: s.boolean().default(false).describe("Whether etcd requires authentication"),
    roles: s.array(role).max(64).map("name").default([]).describe("The roles that there are"),
    users: s.array(user).max(64).map("name").default([]).describe("The users that there are; `root` is the operator"),
  })
  .rules(
    s.rule(
      "self.users.all(user, sets.contains(self.roles.map(role, role.name) + ['root'], user.roles))",
      "a user has a role that is not defined: add it to roles",
    ),
  )
  .describe("Users, roles and permissions");

export const maintenance = s
  .object({
    defragment: s
      .object({
        schedule: s
          .string()
          .pattern(String.raw`^(@[a-z]+|\S+( \S+){4})$`)
          .max(128)
          .optional()
          .describe("Cron schedule, five fields, in UTC: all members one after the other, the leader last"),
        whenFreeable: s
          .int32()
          .min(10)
          .max(95)
          .default(50)
          .describe("Percentage of the database that defragmentation would free"),
      })
      .default({})
      .describe("Defragmentation"),
    compaction: s
      .object({
        mode: s
          .enum("Periodic", "Revision", "Off")
          .default("Periodic")
          .describe(
            "Unit of `retention`: time or revisions. `Off` keeps all revisions until the database is full; then old revisions are compacted",
          ),
        retention: s
          .string()
          .pattern("^[0-9]+(m|h)?$")
          .max(16)
          .default("1h")
          .describe("`5m`, `1h`, or a number of revisions"),
      })
      .rules(
        s.rule(
          "self.mode != 'Revision' || self.retention.matches('^[0-9]+$')",
          "mode Revision needs a number of revisions",
        ),
      )
      .default({})
      .describe("Compaction of old revisions"),
  })
  .describe("Regular maintenance that keeps the database small");

/** Updates to another version. */
export const update = s
  .object({
    deadline: patience(
      "5m",
      "A member that is not healthy again so long after its update, or with another template, is rolled back",
    ),
    snapshot: s
      .boolean()
      .default(true)
      .describe("With `backup`: create a backup before the upgrade and wait until it exists"),
    rollBack: s
      .boolean()
      .default(true)
      .describe(
        "Roll back a failed upgrade automatically, as long as etcd allows it, and a pod template with which a member does not become ready",
      ),
  })
  .describe("Upgrade of the members");

/** Recovery of lost members. */
export const recovery = s
  .object({
    quorumLoss: s
      .enum("Automatic", "Manual")
      .default("Automatic")
      .describe("`Automatic`: if the lost members cannot come back, continue with the newest data that survived"),
    fromBackup: s
      .boolean()
      .default(true)
      .describe("Restore the newest backup if no data survived, or less than the backup holds"),
    replaceAfter: patience(
      "5m",
      "Time after which an unavailable member is replaced, as long as the others have quorum",
    ),
  })
  .describe("Handling of lost members");

/** Flags that determine the identity of a member or weaken its guarantees. They are reserved for the operator. */
export const OWN_FLAGS: string =
  "^(name|data-dir|wal-dir|config-file|initial-.*|listen-.*|advertise-.*|force-new-cluster|.*-file|client-cert-auth|peer-client-cert-auth|" +
  "auto-tls|peer-auto-tls|auto-compaction-.*|discovery.*|proxy.*|enable-v2|unsafe-.*|strict-reconfig-check|" +
  "experimental-initial-corrupt-check|(experimental-)?compact-hash-check-enabled)$";

/** Features by which members detect corrupt data. */
export const OWN_FEATURES = "(InitialCorruptCheck|CompactHashCheck)";

/** User's additions to the members' pods. */
export const template = s
  .object({
    metadata: s
      .object({
        labels: s
          .record(s.string())
          .optional()
          .describe("Additional labels; labels of the operator cannot be overridden"),
        annotations: s
          .record(s.string())
          .optional()
          .describe("Additional annotations; annotations of the operator cannot be overridden"),
      })
      .optional()
      .describe("Labels and annotations"),
    spec: s
      .unknown<{ readonly [field: string]: unknown }>()
      .optional()
      .describe("Any field of the pod spec; the container of the member is `etcd`"),
  })
  .describe("Strategic overrides of the members' pods: lists are merged by name, other values field by field");
