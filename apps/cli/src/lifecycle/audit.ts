/** The audit trail of a namespace: which user did what to its operators, in a ConfigMap that outlives them. */
import { type Client, isApiError } from "@capstan/client";
import { SelfSubjectReview } from "@capstan/kinds/authentication.k8s.io/v1";
import { ConfigMap } from "@capstan/kinds/v1";
import type { Cluster } from "@capstan/lifecycle";

/** One act. */
export interface AuditEntry {
  readonly time: string;
  readonly user: string;
  readonly action: "install" | "approve" | "upgrade" | "rollback" | "uninstall";
  readonly operator: string;
  readonly detail: string;
}

/** The ConfigMap with the trail. */
const auditName = "capstan-lifecycle-audit";
/** The label by which the trails of all namespaces are found. */
export const auditLabel = "lifecycle.capstan.dev/audit";
/** So many entries stay: a ConfigMap holds 1 MiB. */
const LIMIT = 2_000;
const ATTEMPTS = 5;

/** The name of the user, as the API server knows it. */
export async function userOf(client: Client): Promise<string> {
  // The server fills the status of a review; the kind has no metadata that matters.
  const review = await client.create(SelfSubjectReview, { metadata: {} } as never);
  return review.status?.userInfo?.username ?? "";
}

/** Where an entry is written. */
interface AuditPlace {
  readonly cluster: Cluster;
  readonly namespace: string;
}

/** Adds an entry. Another writer at the same time does not lose it. */
async function recordAudit({ cluster, namespace }: AuditPlace, entry: AuditEntry): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await append({ cluster, namespace }, entry);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isApiError(error, "Conflict")) throw error;
    }
  }
}

async function append({ cluster, namespace }: AuditPlace, entry: AuditEntry): Promise<void> {
  const metadata = { name: auditName, namespace, labels: { [auditLabel]: "true" } };
  const line = JSON.stringify(entry);
  if ((await cluster.ensure(ConfigMap, { metadata, data: { entries: `${line}\n` } })) === "created") return;
  const before = await cluster.get(ConfigMap, { namespace, name: auditName });
  if (before === undefined) return append({ cluster, namespace }, entry);
  const lines = [...linesOf(before), line].slice(-LIMIT);
  const data = { ...before.data, entries: `${lines.join("\n")}\n` };
  await cluster.change(ConfigMap, { before, after: { ...before, data } });
}

function linesOf({ data }: ConfigMap): readonly string[] {
  return (data?.["entries"] ?? "").split("\n").filter((line) => line !== "");
}

/** The entries of a trail, oldest first. */
export function entriesOf(trail: ConfigMap): readonly AuditEntry[] {
  return linesOf(trail).flatMap((line) => {
    try {
      return [JSON.parse(line) as AuditEntry];
    } catch {
      // A line that users broke is left out; the others count.
      return [];
    }
  });
}

/** Adds what the user of a connection did just now. */
export async function recordAct(
  { cluster, client, namespace }: AuditPlace & { readonly client: Client },
  act: Omit<AuditEntry, "time" | "user">,
): Promise<void> {
  const time = new Date().toISOString();
  await recordAudit({ cluster, namespace }, { time, user: await userOf(client), ...act });
}
