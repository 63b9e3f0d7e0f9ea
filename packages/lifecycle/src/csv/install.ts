/** Installs the components of an operator: certificates, Deployments, webhooks and APIServices. Every step may be repeated. */
import { isApiError } from "@capstan/client";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { isDeepEqual } from "@capstan/model";
import type { KubeObject } from "@capstan/model";
import type { Cluster } from "../cluster/cluster.ts";
import { isOwnedBy, managedLabel, ownerLabels, ownerSelector } from "../cluster/owners.ts";
import type { ClusterServiceVersion, CsvApiService, CsvWebhook } from "../kinds/csv.ts";
import type { OperatorGroup } from "../kinds/operator-group.ts";
import type { SubscriptionConfig } from "../kinds/subscription.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { apiServiceName, isAdoptable, ownedApiServices } from "./api-services.ts";
import { certifiedDeployments, serviceName } from "./certified-deployments.ts";
import { toDeployment } from "./deployment.ts";
import { InstallError } from "./errors.ts";
import { installCertificates } from "./install-certificates.ts";
import type { InstalledCertificates } from "./install-certificates.ts";
import {
  conversionProblem,
  toConversion,
  toWebhookConfiguration,
  webhookLabels,
  webhookMetadata,
  webhookNamespaces,
} from "./webhooks.ts";

/** What is installed, and as whom. */
export interface Installation {
  readonly csv: ClusterServiceVersion;
  readonly group: OperatorGroup;
  readonly siblings: readonly ClusterServiceVersion[];
  readonly config: SubscriptionConfig | undefined;
  /** The calls of the group's service account, or those of the manager. */
  readonly cluster: Cluster;
}

/** Installs everything. Returns whether a certificate is new. */
export async function install(installation: Installation, setting: ManagerSetting): Promise<boolean> {
  const { csv, config, cluster } = installation;
  const certificates = await installCertificates(csv, setting, cluster);
  // What was just written is not in the cache yet.
  const written = { get: (_: unknown, { name }: { readonly name: string }) => certificates.secrets.get(name) };
  const deployments = certifiedDeployments(csv, written as never);
  for (const wanted of deployments) await ensureDeployment(toDeployment(wanted, { csv, config }), cluster);
  for (const service of ownedApiServices(csv)) await ensureApiService(service, installation, certificates);
  for (const webhook of csv.spec.webhookdefinitions ?? []) await ensureWebhook(webhook, installation, certificates);
  await removeOrphans(installation, new Set(deployments.map(({ name }) => name)));
  return certificates.isRotated;
}

async function ensureDeployment(wanted: ReturnType<typeof toDeployment>, cluster: Cluster): Promise<void> {
  const { namespace = "", name = "" } = wanted.metadata;
  const known = await cluster.get(Deployment, { namespace, name });
  if (known === undefined) {
    await cluster.create(Deployment, wanted);
    return;
  }
  const { labels, ownerReferences = [], annotations } = wanted.metadata;
  const others = (known.metadata.ownerReferences ?? []).filter(({ kind }) => kind !== "ClusterServiceVersion");
  const metadata = {
    ...known.metadata,
    labels: { ...labels },
    annotations: { ...known.metadata.annotations, ...annotations },
    ownerReferences: [...others, ...ownerReferences],
  };
  try {
    const after = { ...known, metadata, ...(wanted.spec && { spec: wanted.spec }) };
    await cluster.change(Deployment, { before: known, after });
  } catch (error) {
    // The server lets no selector change, so a version with another one needs a new Deployment.
    const isOther = !isDeepEqual(selectorOf(known.spec), selectorOf(wanted.spec));
    if (!isApiError(error, "Invalid") || !isOther) throw error;
    await cluster.remove(Deployment, { namespace, name, uid: known.metadata.uid });
    await cluster.create(Deployment, wanted);
  }
}

/** A selector with the parts that select something. */
function selectorOf(spec: Deployment["spec"]): object {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return { matchLabels, matchExpressions };
}

async function ensureApiService(
  { group, version, deploymentName = "", containerPort = 0 }: CsvApiService,
  { csv, siblings, config, cluster }: Installation,
  { authorities }: InstalledCertificates,
): Promise<void> {
  const name = apiServiceName({ group, version });
  const known = await cluster.get(APIService, { namespace: "", name });
  if (known !== undefined && !isAdoptable(known, csv, siblings)) {
    throw new InstallError("ApiServiceConflict", `pre-existing APIService ${name} is not adoptable`);
  }
  const caBundle = Buffer.from(authorities.get(deploymentName) ?? "").toString("base64");
  const service = {
    namespace: csv.metadata.namespace ?? "",
    name: serviceName(deploymentName),
    port: containerPort || 443,
  };
  const labels = { ...known?.metadata.labels, ...ownerLabels(csv), ...managedLabel };
  const spec = { group, version, groupPriorityMinimum: 2000, versionPriority: 15, ...known?.spec, service, caBundle };
  if (known === undefined) {
    const annotations = config?.annotations === undefined ? {} : { annotations: config.annotations };
    await cluster.create(APIService, { metadata: { name, labels, ...annotations }, spec });
    return;
  }
  await cluster.change(APIService, {
    before: known,
    after: { ...known, spec, metadata: { ...known.metadata, labels } },
  });
}

async function ensureWebhook(
  webhook: CsvWebhook,
  { csv, group, cluster }: Installation,
  { authorities }: InstalledCertificates,
): Promise<void> {
  const authority = authorities.get(webhook.deploymentName ?? "") ?? "";
  const facts = { csv, webhook, authority, selector: webhookNamespaces(group) };
  switch (webhook.type) {
    case "ValidatingAdmissionWebhook":
    case "MutatingAdmissionWebhook": {
      const isValidating = webhook.type === "ValidatingAdmissionWebhook";
      const kind = isValidating ? ValidatingWebhookConfiguration : MutatingWebhookConfiguration;
      const labelSelector = Object.entries(webhookLabels(csv, webhook))
        .map(([key, value]) => `${key}=${value}`)
        .join(",");
      const metadata = webhookMetadata(facts);
      const content = toWebhookConfiguration(facts);
      const known = await cluster.list<KubeObject>(kind, { labelSelector });
      if (known.length === 0) await cluster.create<KubeObject>(kind, { metadata, ...content });
      for (const before of known) {
        const labels = { ...before.metadata.labels, ...metadata.labels };
        await cluster.change<KubeObject>(kind, {
          before,
          after: { ...before, ...content, metadata: { ...before.metadata, labels } },
        });
      }
      return;
    }
    case "ConversionWebhook":
      return ensureConversion(facts, cluster);
    default:
      return webhook.type satisfies never;
  }
}

async function ensureConversion(facts: Parameters<typeof toConversion>[0], cluster: Cluster): Promise<void> {
  const crds = new Map<string, CustomResourceDefinition>();
  for (const name of facts.webhook.conversionCRDs ?? []) {
    const crd = await cluster.get(CustomResourceDefinition, { namespace: "", name });
    if (crd !== undefined) crds.set(name, crd);
  }
  const problem = conversionProblem(facts, crds);
  if (problem !== undefined) throw new InstallError("Conversion", problem);
  for (const before of crds.values()) {
    // The shape of a conversion, as toConversion writes it.
    const conversion = toConversion(facts) as NonNullable<CustomResourceDefinition["spec"]["conversion"]>;
    await cluster.change(CustomResourceDefinition, {
      before,
      after: { ...before, spec: { ...before.spec, conversion } },
    });
  }
}

/** Deletes the Deployments of the operator that are no longer in its spec. */
async function removeOrphans({ csv, cluster }: Installation, wanted: ReadonlySet<string>): Promise<void> {
  const { namespace } = csv.metadata;
  for (const each of await cluster.list(Deployment, { namespace, labelSelector: ownerSelector(csv) })) {
    const { name, uid } = each.metadata;
    if (!wanted.has(name) && isOwnedBy(each, csv))
      await cluster.remove(Deployment, { namespace: namespace ?? "", name, uid });
  }
}
