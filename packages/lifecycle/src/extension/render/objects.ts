/** The objects of a bundle without its webhooks: service accounts, permissions, CRDs, Deployments and the others. */
import type { Manifest } from "../../csv/permissions.ts";
import { permissionFacts } from "../../csv/permissions.ts";
import { withConfig } from "../../csv/config.ts";
import type { CsvDeployment, CsvPermission, CsvStrategy } from "../../kinds/csv.ts";
import { ExtensionError } from "../errors.ts";
import { isNamespaced } from "./bundle.ts";
import { certificateName, uniqueName, webhookServiceName } from "./names.ts";
import { certificateVolumes } from "./certificate.ts";
import type { Rendering } from "./render.ts";

const RBAC = "rbac.authorization.k8s.io";

/** Everything but webhooks, their Services and their certificates. */
export function plainObjects(rendering: Rendering): readonly Manifest[] {
  return [
    ...serviceAccounts(rendering),
    ...namespacedPermissions(rendering),
    ...clusterPermissions(rendering),
    ...crds(rendering),
    ...others(rendering),
    ...deployments(rendering),
  ];
}

/** Whether the operator watches all namespaces. */
function isForAll({ targets }: Rendering): boolean {
  return targets.length === 1 && targets[0] === "";
}

function strategyOf({ bundle }: Rendering): CsvStrategy {
  return bundle.csv.spec.install.spec ?? {};
}

function accountOf({ serviceAccountName }: CsvPermission): string {
  return serviceAccountName === "" || serviceAccountName === undefined ? "default" : serviceAccountName;
}

function serviceAccounts(rendering: Rendering): readonly Manifest[] {
  const { permissions = [], clusterPermissions: cluster = [] } = strategyOf(rendering);
  const names = new Set([...permissions, ...cluster].map(accountOf));
  return [...names]
    .filter((name) => name !== "default")
    .map((name) => ({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace: rendering.namespace },
    }));
}

function namespacedPermissions(rendering: Rendering): readonly Manifest[] {
  if (isForAll(rendering)) return [];
  const { permissions = [] } = strategyOf(rendering);
  return rendering.targets.flatMap((namespace) =>
    permissions.flatMap((permission) => pair("Role", permission, { rendering, namespace })),
  );
}

/** In the mode for all namespaces the other permissions count for the cluster too, and the operator may see namespaces. */
function clusterPermissions(rendering: Rendering): readonly Manifest[] {
  const { permissions = [], clusterPermissions: own = [] } = strategyOf(rendering);
  const seen = { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["namespaces"] };
  const lifted = isForAll(rendering)
    ? permissions.map((each) => ({ ...each, rules: [...(each.rules ?? []), seen] }))
    : [];
  return [...own, ...lifted].flatMap((permission) => pair("ClusterRole", permission, { rendering }));
}

function pair(
  kind: "Role" | "ClusterRole",
  permission: CsvPermission,
  { rendering, namespace }: { readonly rendering: Rendering; readonly namespace?: string },
): readonly Manifest[] {
  const account = accountOf(permission);
  const name = uniqueName(`${rendering.bundle.csv.metadata.name}-${account}`, permissionFacts(permission));
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const apiVersion = `${RBAC}/v1`;
  return [
    { apiVersion, kind, metadata, rules: permission.rules ?? [] },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind, name },
      subjects: [{ kind: "ServiceAccount", name: account, namespace: rendering.namespace }],
    },
  ];
}

function crds({ bundle, namespace, certificates }: Rendering): readonly Manifest[] {
  const conversions = (bundle.csv.spec.webhookdefinitions ?? []).filter(({ type }) => type === "ConversionWebhook");
  return bundle.crds.map((crd) => {
    const webhook = conversions.find(({ conversionCRDs = [] }) => conversionCRDs.includes(crd.metadata.name));
    const manifest = crd as unknown as Manifest;
    if (webhook === undefined) return manifest;
    if (crd.spec.preserveUnknownFields === true)
      throw new ExtensionError(
        "InvalidBundle",
        `custom resource definition '${crd.metadata.name}' must have .spec.preserveUnknownFields set to false to let API Server call webhook to do the conversion`,
      );
    const { deploymentName = "", webhookPath: path = "/", containerPort: port } = webhook;
    const service = {
      namespace,
      name: webhookServiceName(deploymentName),
      path,
      ...(port === undefined ? {} : { port }),
    };
    const conversion = {
      strategy: "Webhook",
      webhook: { clientConfig: { service }, conversionReviewVersions: webhook.admissionReviewVersions ?? [] },
    };
    return certificates.inject({ ...manifest, spec: { ...crd.spec, conversion } }, deploymentName);
  });
}

function others({ bundle, namespace }: Rendering): readonly Manifest[] {
  return bundle.others.map((object) =>
    isNamespaced(object.kind) === true ? { ...object, metadata: { ...object.metadata, namespace } } : object,
  );
}

function deployments(rendering: Rendering): readonly Manifest[] {
  return (strategyOf(rendering).deployments ?? []).map((each) => deployment(each, rendering));
}

function deployment({ name, label, spec }: CsvDeployment, rendering: Rendering): Manifest {
  const { bundle, namespace, targets, deploymentConfig } = rendering;
  const annotations = {
    ...bundle.csv.metadata.annotations,
    ...spec.template.metadata?.annotations,
    "olm.targetNamespaces": targets.join(","),
    "olm.operatorNamespace": namespace,
  };
  const annotated = { ...spec.template, metadata: { ...spec.template.metadata, annotations } };
  const isServing = (bundle.csv.spec.webhookdefinitions ?? []).some((each) => each.deploymentName === name);
  const mounted = isServing ? certificateVolumes(annotated, certificateName(name)) : annotated;
  const template = withConfig(mounted, deploymentConfig);
  const metadata = {
    name,
    namespace,
    ...(label === undefined ? {} : { labels: label }),
    ...(deploymentConfig?.annotations === undefined ? {} : { annotations: deploymentConfig.annotations }),
  };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { ...spec, template, revisionHistoryLimit: 1 } };
}
