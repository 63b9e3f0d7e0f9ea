/** Issues the certificate of a Deployment with webhooks or APIServices, and creates the objects around it. */
import { ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Secret, Service } from "@capstan/kinds/v1";
import { createAuthority, validFor } from "@capstan/pki";
import type { Authority } from "@capstan/pki";
import type { Cluster } from "../cluster/cluster.ts";
import { managedLabel, nonBlockingOwner, ownerLabels } from "../cluster/owners.ts";
import type { ClusterServiceVersion, CsvDeployment } from "../kinds/csv.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import {
  authorityHash,
  authorityHashAnnotation,
  authorityKey,
  needsCertificate,
  secretName,
  secretText,
  servedPorts,
  serviceHosts,
  serviceName,
  servingDeployments,
} from "./certified-deployments.ts";

/** Certificates are valid for two years. */
export const CERTIFICATE_DAYS = 730;
const FIELD_MANAGER = "olm.install";

/** The authorities by Deployment, and whether one of them is new. */
export interface InstalledCertificates {
  readonly authorities: ReadonlyMap<string, string>;
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly isRotated: boolean;
}

/** Ensures a certificate for each Deployment that serves webhooks or APIServices. */
export async function installCertificates(
  csv: ClusterServiceVersion,
  setting: ManagerSetting,
  cluster: Cluster,
): Promise<InstalledCertificates> {
  const { entropy, clock } = setting;
  const now = new Date(clock.wall());
  const options = { commonName: "olm-selfsigned", organizations: ["Capstan"], now, days: CERTIFICATE_DAYS };
  let made: Authority | undefined;
  const authority = (): Authority => (made ??= createAuthority({ ...options, ...(entropy && { entropy }) }));
  const authorities = new Map<string, string>();
  const secrets = new Map<string, Secret>();
  for (const deployment of servingDeployments(csv)) {
    await installService(csv, deployment, cluster);
    const secret = await ensureSecret({ csv, deployment, authority, now }, cluster);
    await installAccess(csv, deployment, cluster);
    secrets.set(secret.metadata.name, secret);
    authorities.set(deployment.name, secretText(secret, authorityKey) ?? "");
  }
  return { authorities, secrets, isRotated: made !== undefined };
}

async function installService(csv: ClusterServiceVersion, deployment: CsvDeployment, cluster: Cluster): Promise<void> {
  const { namespace = "" } = csv.metadata;
  const ports = servedPorts(csv, deployment.name).map(({ port, targetPort }) => ({
    name: String(port),
    port,
    targetPort,
  }));
  const metadata = {
    name: serviceName(deployment.name),
    namespace,
    labels: managedLabel,
    ownerReferences: [nonBlockingOwner(csv)],
  };
  const selector = deployment.spec.selector.matchLabels ?? {};
  await cluster.apply(Service, { metadata, spec: { ports, selector } }, FIELD_MANAGER);
}

interface Wanted {
  readonly csv: ClusterServiceVersion;
  readonly deployment: CsvDeployment;
  readonly authority: () => Authority;
  readonly now: Date;
}

async function ensureSecret({ csv, deployment, authority, now }: Wanted, cluster: Cluster): Promise<Secret> {
  const { namespace = "" } = csv.metadata;
  const name = secretName(deployment.name);
  const hosts = serviceHosts(deployment.name, namespace);
  const known = await cluster.get(Secret, { namespace, name });
  if (known !== undefined && !needsCertificate(known, hosts, now.getTime())) return known;
  const validity = validFor({ now, days: CERTIFICATE_DAYS });
  const issued = authority().issue({
    commonName: hosts[0] ?? "",
    dnsNames: hosts,
    usages: ["server"],
    ...validity,
  });
  const data = {
    "tls.crt": toBase64(issued.certificate),
    "tls.key": toBase64(issued.privateKey),
    [authorityKey]: toBase64(authority().certificate),
  };
  const annotations = { [authorityHashAnnotation]: authorityHash(authority().certificate) };
  const ownerReferences = [nonBlockingOwner(csv)];
  const metadata = { name, namespace, annotations, labels: managedLabel, ownerReferences };
  if (known === undefined) return cluster.create(Secret, { metadata, data, type: "kubernetes.io/tls" });
  const after = { ...known, data, metadata: { ...known.metadata, annotations, labels: managedLabel } };
  return cluster.change(Secret, { before: known, after });
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** RBAC with which the pods may read the Secret, and an aggregated API server may authenticate its callers at the cluster. */
async function installAccess(csv: ClusterServiceVersion, deployment: CsvDeployment, cluster: Cluster): Promise<void> {
  const { namespace = "" } = csv.metadata;
  const name = secretName(deployment.name);
  const account = deployment.spec.template.spec?.serviceAccountName ?? "default";
  const subjects = [{ kind: "ServiceAccount", name: account, namespace }];
  const apiGroup = "rbac.authorization.k8s.io";
  const owned = { name, namespace, labels: managedLabel, ownerReferences: [nonBlockingOwner(csv)] };
  const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: [name] }];
  await cluster.apply(Role, { metadata: owned, rules }, FIELD_MANAGER);
  await cluster.apply(
    RoleBinding,
    { metadata: owned, subjects, roleRef: { apiGroup, kind: "Role", name } },
    FIELD_MANAGER,
  );
  const service = serviceName(deployment.name);
  await cluster.apply(
    ClusterRoleBinding,
    {
      metadata: { name: `${service}-system:auth-delegator`, labels: { ...managedLabel, ...ownerLabels(csv) } },
      subjects,
      roleRef: { apiGroup, kind: "ClusterRole", name: "system:auth-delegator" },
    },
    FIELD_MANAGER,
  );
  await cluster.apply(
    RoleBinding,
    {
      metadata: { name: `${service}-auth-reader`, namespace: "kube-system", labels: managedLabel },
      subjects,
      roleRef: { apiGroup, kind: "Role", name: "extension-apiserver-authentication-reader" },
    },
    FIELD_MANAGER,
  );
}
