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

/** The backups of the cluster's spec are an object of their own, which stays when they are switched off: it lists what is stored. */
export async function applySchedule<C extends AsyncDisposable, P>(
  { apply, seen }: ActionContext<C, P>,
  backupKind: BackupKind,
): Promise<void> {
  const { backup } = seen.object.spec;
  if (backup === undefined || !seen.recorded.isCreated) return;
  // The kind is the author's, so the types of the controller do not have it.
  const applyBackup = apply as unknown as (kind: BackupKind, name: string, object: object) => Promise<unknown>;
  await applyBackup(backupKind, `${seen.name}-scheduled`, { spec: { cluster: seen.name, ...backup } });
}

/** New passwords are recorded before any server hears of them. */
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
