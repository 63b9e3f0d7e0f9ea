/** The webhook configurations of a bundle, and the Services and certificates in front of its Deployments. */
import type { Manifest } from "../../csv/permissions.ts";
import type { CsvWebhook } from "../../kinds/csv.ts";
import { webhookServiceName } from "./names.ts";
import type { Rendering } from "./render.ts";

/** The webhook configurations, Services and certificates. */
export function webhookObjects(rendering: Rendering): readonly Manifest[] {
  const all = rendering.bundle.csv.spec.webhookdefinitions ?? [];
  const serving = [...new Set(all.map(({ deploymentName = "" }) => deploymentName))];
  return [
    ...configurations("ValidatingAdmissionWebhook", rendering),
    ...configurations("MutatingAdmissionWebhook", rendering),
    ...services(rendering),
    ...serving.flatMap((deployment) => rendering.certificates.objects(deployment)),
  ];
}

const DEFAULT_PORT = 443;

function configurations(type: CsvWebhook["type"], rendering: Rendering): readonly Manifest[] {
  const { bundle, certificates } = rendering;
  const kind = `${type.replace("AdmissionWebhook", "")}WebhookConfiguration`;
  return (bundle.csv.spec.webhookdefinitions ?? [])
    .filter((each) => each.type === type)
    .map((webhook) => {
      const name = webhook.generateName.replace(/-$/u, "");
      const manifest: Manifest = {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind,
        metadata: { name },
        webhooks: [toWebhook(webhook, { name, rendering })],
      };
      return certificates.inject(manifest, webhook.deploymentName ?? "");
    });
}

function toWebhook(
  webhook: CsvWebhook,
  { name, rendering }: { readonly name: string; readonly rendering: Rendering },
): object {
  const { deploymentName = "", containerPort: port, webhookPath: path } = webhook;
  const { namespace, targets } = rendering;
  const service = {
    namespace,
    name: webhookServiceName(deploymentName),
    ...defined({ path, port: port === 0 ? undefined : port }),
  };
  const isForAll = targets.length === 0 || targets.includes("");
  const selected = { key: "kubernetes.io/metadata.name", operator: "In", values: targets };
  const { rules, failurePolicy, matchPolicy, objectSelector, sideEffects, timeoutSeconds } = webhook;
  const { admissionReviewVersions, reinvocationPolicy } = webhook;
  return {
    name,
    clientConfig: { service },
    ...defined({ rules, failurePolicy, matchPolicy, objectSelector, sideEffects, timeoutSeconds }),
    ...defined({ admissionReviewVersions, reinvocationPolicy }),
    ...(isForAll ? {} : { namespaceSelector: { matchExpressions: [selected] } }),
  };
}

function defined(fields: { readonly [field: string]: unknown }): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

interface Port {
  readonly name: string;
  readonly port: number;
  readonly targetPort: number | string;
}

function services({ bundle, namespace }: Rendering): readonly Manifest[] {
  const webhooks = bundle.csv.spec.webhookdefinitions ?? [];
  return (bundle.csv.spec.install.spec?.deployments ?? []).flatMap(({ name, spec }): Manifest[] => {
    const ports = portsOf(webhooks.filter(({ deploymentName }) => deploymentName === name));
    if (ports.length === 0) return [];
    const metadata = { name: webhookServiceName(name), namespace };
    const selector = spec.selector.matchLabels ?? {};
    return [{ apiVersion: "v1", kind: "Service", metadata, spec: { ports, selector } }];
  });
}

function portsOf(webhooks: readonly CsvWebhook[]): readonly Port[] {
  const all = webhooks.map(({ containerPort = 0, targetPort }): Port => {
    const port = containerPort > 0 ? containerPort : DEFAULT_PORT;
    return { name: String(port), port, targetPort: targetPort ?? port };
  });
  const order = ({ targetPort }: Port): number => (typeof targetPort === "number" ? targetPort : 0);
  return all
    .filter(
      (one, at) => all.findIndex((other) => other.port === one.port && other.targetPort === one.targetPort) === at,
    )
    .toSorted((a, b) => a.port - b.port || order(a) - order(b));
}
