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
  )
  .describe("The members' volumes");

/** A timeout of at least 5 seconds. */
function patience(usual: string, what: string) {
  return duration
    .rules(s.rule(`${secondsOf("self")} >= 5`, "at least 5s: whoever starts needs a moment"))
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
      .describe("`Managed`: an authority of its own; `Provided`: Secrets that you keep; `Off`: everybody may listen"),
    secrets: s
      .object({
        server: secretName.describe("What members show to clients"),
        peer: secretName.describe("What members show to each other"),
        client: secretName.describe("What the operator shows to members: with `auth`, of common name `root`"),
      })
      .optional()
      .describe("`Provided`: Secrets with `tls.crt`, `tls.key`, `ca.crt`"),
    validity: s
      .string()
      .pattern("^([1-9][0-9]*(h|d))+$")
      .max(32)
      .default("90d")
      .describe("`Managed`: how long a certificate is good; it is renewed after two thirds"),
    caValidity: s
      .string()
      .pattern("^([1-9][0-9]*d)+$")
      .max(32)
      .default("3650d")
      .describe("`Managed`: how long the authority is good; in days, for every change of it restarts members"),
    overlap: duration.default("24h").describe("How long old and new authorities are trusted side by side, at least"),
    names: s
      .array(s.string().min(1).max(253).pattern("^[A-Za-z0-9._:*-]+$"))
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
    s.rule(
      `self.mode != 'Managed' || ${secondsOf("self.caValidity")} >= 6 * ${secondsOf("self.overlap")}`,
      "caValidity must be at least six times overlap: an authority needs two overlaps to be replaced in the last third of its life",
    ),
    s.rule(
      `[self.validity, self.caValidity].all(one, ${secondsOf("one")} <= 36500 * 86400)`,
      "no more than a hundred years: certificates cannot tell of later times",
    ),
  )
  .describe("Certificates of members and clients");

const permission = s
  .object({
    access: s.enum("Read", "Write", "ReadWrite").describe("What whoever has the role may do with the keys"),
    key: s.string().max(512).default("").describe("The key, or the first of the range; empty only with `prefix`"),
    rangeEnd: s.string().max(512).optional().describe("The first key behind the range; left out: `key` alone"),
    prefix: s.boolean().default(false).describe("All keys that begin with `key`"),
  })
  .rules(
    s.rule("self.prefix || self.key != ''", "etcd has no empty key: name one, or set prefix for all keys"),
    s.rule(
      "self.prefix || !has(self.rangeEnd) || self.rangeEnd in ['', '\\u0000'] || self.key < self.rangeEnd",
      "rangeEnd must be behind key: etcd refuses a range without keys",
    ),
  );

const role = s.object({
  name: s.string().min(1).max(128).describe("Its name in etcd"),
  permissions: s.array(permission).max(64).default([]).describe("Everything that it allows"),
});

const user = s.object({
  name: s.string().min(1).max(128).describe("Its name in etcd: for certificates, their common name"),
  passwordSecret: secretName.optional().describe("A Secret with `password`; left out: only by certificate"),
  roles: s.array(s.string().max(128)).max(64).default([]).describe("The roles that it has, and no others"),
});

/** Authentication. */
export const auth = s
  .object({
    enabled: s.boolean().default(false).describe("Whether etcd asks who somebody is"),
    roles: s.array(role).max(64).map("name").default([]).describe("The roles that there are"),
    users: s.array(user).max(64).map("name").default([]).describe("The users that there are; `root` is the operator"),
  })
  .rules(
    s.rule(
      "self.users.all(user, sets.contains(self.roles.map(role, role.name) + ['root'], user.roles))",
      "a user has a role that there is not: add it to roles",
    ),
  )
  .describe("Users, roles and what they may do");

export const maintenance = s
  .object({
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
      .default({})
      .describe("Space that deleted data took is given back"),
    compaction: s
      .object({
        mode: s
          .enum("Periodic", "Revision", "Off")
          .default("Periodic")
          .describe(
            "What `retention` counts: time or revisions; `Off` keeps everything, until the database is full and takes no more writes: then old revisions go",
          ),
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
      .default({})
      .describe("Old revisions are forgotten"),
  })
  .describe("What is done regularly to keep the database small");

/** Updates to another version. */
export const update = s
  .object({
    deadline: patience(
      "5m",
      "A member that is not well again so long after its update, or in another form, is put back",
    ),
    snapshot: s
      .boolean()
      .default(true)
      .describe("With `backup`: make one before members go to another version, and wait until it exists"),
    rollBack: s
      .boolean()
      .default(true)
      .describe(
        "Put a failed update back by itself, as long as etcd allows it, and a form in which a member does not come back",
      ),
  })
  .describe("How members go to another version");

/** Recovery of lost members. */
export const recovery = s
  .object({
    quorumLoss: s
      .enum("Automatic", "Manual")
      .default("Automatic")
      .describe("`Automatic`: when the lost members can never come back, go on with the newest data that survived"),
    fromBackup: s
      .boolean()
      .default(true)
      .describe("When no data survived, or less than the newest backup holds, restore that backup"),
    replaceAfter: patience("5m", "A member that was away for so long is replaced, as long as the others have quorum"),
  })
  .describe("What is done about members that are gone");

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
        labels: s.record(s.string()).optional().describe("More labels; those of the operator stay"),
        annotations: s.record(s.string()).optional().describe("More annotations; those of the operator stay"),
      })
      .optional()
      .describe("Labels and annotations"),
    spec: s
      .unknown<{ readonly [field: string]: unknown }>()
      .optional()
      .describe("Any field of a pod's spec; the container of the member is called `etcd`"),
  })
  .describe("Merged onto the members' pods: lists by name, everything else field by field");
