/** Objects that a cluster needs beside its members. Each reconcile applies them; nothing is written when nothing changed. */
import { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import { Secret, Service } from "@capstan/kinds/v1";
import type { BackupKind } from "../backup/resource.ts";
import { clusterLabels, membersServiceName, primaryServiceName, replicasServiceName } from "../pods/names.ts";
import { disruptionBudget, membersService, roleService } from "../pods/services.ts";
import { toData } from "../tls/secret.ts";
import type { ActionContext } from "./context.ts";

export async function applySharedObjects<C extends AsyncDisposable, P>(context: ActionContext<C, P>): Promise<void> {
  const { apply, seen, setting } = context;
  const { naming, application } = setting;
  const cluster = seen.name;
  const place = { cluster, port: application.port };
  await apply(Service, membersServiceName(cluster), membersService(naming, place));
  await apply(Service, primaryServiceName(cluster), roleService(naming, { ...place, role: "primary" }));
  await apply(Service, replicasServiceName(cluster), roleService(naming, { ...place, role: "replica" }));
  await apply(PodDisruptionBudget, cluster, disruptionBudget(naming, cluster));
  await applyAccounts(context);
  await applyCertificates(context);
}

async function applyCertificates<C extends AsyncDisposable, P>(context: ActionContext<C, P>): Promise<void> {
  const { apply, seen, setting } = context;
  const metadata = { labels: clusterLabels(setting.naming, seen.name) };
  for (const { name, texts } of seen.tls.apply) {
    const type = "tls.crt" in texts && "ca.crt" in texts ? "kubernetes.io/tls" : "Opaque";
    await apply(Secret, name, { metadata, type, data: toData(texts) });
  }
}

/** Applies the backup object of `spec.backup`. It stays when backups are switched off, because its status lists the stored backups. */
export async function applySchedule<C extends AsyncDisposable, P>(
  { apply, seen }: ActionContext<C, P>,
  backupKind: BackupKind,
): Promise<void> {
  const { backup } = seen.object.spec;
  if (backup === undefined || !seen.recorded.isCreated) return;
  // The author of the operator defines the kind, so the types of the controller do not have it.
  const applyBackup = apply as unknown as (kind: BackupKind, name: string, object: object) => Promise<unknown>;
  await applyBackup(backupKind, `${seen.name}-scheduled`, { spec: { cluster: seen.name, ...backup } });
}

/** New passwords are stored in Secrets before any member gets them. */
async function applyAccounts<C extends AsyncDisposable, P>({
  apply,
  seen,
  setting,
}: ActionContext<C, P>): Promise<void> {
  const metadata = { labels: clusterLabels(setting.naming, seen.name) };
  for (const { name, texts } of seen.accounts.apply) {
    await apply(Secret, name, { metadata, type: "Opaque", data: toData(texts) });
  }
}
