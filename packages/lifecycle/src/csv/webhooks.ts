/** The webhook configurations of an operator, and the conversion webhooks in its CRDs. */
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Kind, KubeObject, LabelSelectorObject, StoredObject } from "@capstan/model";
import { deepHash } from "../cluster/hash.ts";
import { managedLabel, ownerLabels } from "../cluster/owners.ts";
import type { ClusterServiceVersion, CsvWebhook } from "../kinds/csv.ts";
import type { OperatorGroup } from "../kinds/operator-group.ts";
import type { Reader } from "../manager/reader.ts";
import { serviceName } from "./certified-deployments.ts";
import { toGoForm } from "./go-form.ts";
import type { WebhookState } from "./seen.ts";

const NAME_LABEL = "olm.webhook-description-generate-name";
const HASH_LABEL = "olm.webhook-description-hash";

/** The labels by which the configuration of a description is found, whatever its hash. */
export function webhookLabels(csv: ClusterServiceVersion, webhook: CsvWebhook): { readonly [key: string]: string } {
  return { ...ownerLabels(csv), [NAME_LABEL]: webhook.generateName };
}

function hashOf(webhook: CsvWebhook): string {
  return deepHash(toGoForm(webhook, "WebhookDescription"));
}

/** Whether every webhook is registered as described. */
export function webhookState(csv: ClusterServiceVersion, reader: Reader): WebhookState {
  for (const webhook of csv.spec.webhookdefinitions ?? []) {
    const state = stateOf(csv, webhook, reader);
    if (state !== "present") return state;
  }
  return "present";
}

function stateOf(csv: ClusterServiceVersion, webhook: CsvWebhook, reader: Reader): WebhookState {
  if (webhook.type === "ConversionWebhook") return conversionState(webhook, reader);
  const labels = { ...webhookLabels(csv, webhook), [HASH_LABEL]: hashOf(webhook) };
  return reader.find(configurationKinds[webhook.type], { namespace: "*", labels }).length > 0 ? "present" : "missing";
}

function conversionState({ conversionCRDs = [] }: CsvWebhook, reader: Reader): WebhookState {
  for (const name of conversionCRDs) {
    const crd = reader.get(CustomResourceDefinition, { name });
    if (crd === undefined) return { problem: `customresourcedefinitions.apiextensions.k8s.io "${name}" not found` };
    const { conversion } = crd.spec;
    const isReady = conversion?.strategy === "Webhook" && conversion.webhook?.clientConfig?.caBundle !== undefined;
    if (!isReady) return { problem: "conversionWebhook not ready" };
  }
  return conversionCRDs.length > 0 ? "present" : "missing";
}

/** What both kinds of configurations of admission webhooks have. */
interface Configuration extends StoredObject {
  readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}

const configurationKinds: {
  readonly [T in Exclude<CsvWebhook["type"], "ConversionWebhook">]: Kind<Configuration>;
} = {
  ValidatingAdmissionWebhook: ValidatingWebhookConfiguration,
  MutatingAdmissionWebhook: MutatingWebhookConfiguration,
};

/** The authority of a webhook as it is registered; undefined if it is not. */
export function registeredAuthority(
  csv: ClusterServiceVersion,
  webhook: CsvWebhook,
  reader: Reader,
): string | undefined {
  if (webhook.type === "ConversionWebhook") {
    const bundles = (webhook.conversionCRDs ?? []).map(
      (name) => reader.get(CustomResourceDefinition, { name })?.spec.conversion?.webhook?.clientConfig?.caBundle,
    );
    return bundles.find((each) => each !== undefined);
  }
  const labels = webhookLabels(csv, webhook);
  const [found] = reader.find(configurationKinds[webhook.type], { namespace: "*", labels });
  return found?.webhooks?.[0]?.clientConfig.caBundle;
}

/** The configurations of webhooks that an operator no longer describes, by kind. */
export function abandonedConfigurations(csv: ClusterServiceVersion, reader: Reader): readonly Abandoned[] {
  const described = new Set(csv.spec.webhookdefinitions?.map(({ generateName }) => generateName));
  return Object.values(configurationKinds).flatMap((kind) =>
    reader
      .find(kind, { namespace: "*", labels: ownerLabels(csv) })
      .filter(({ metadata }) => {
        const name = metadata.labels?.[NAME_LABEL];
        return name !== undefined && !described.has(name);
      })
      .map(({ metadata: { name, uid } }) => ({ kind, name, uid })),
  );
}

/** A configuration that is to be deleted. */
export interface Abandoned {
  readonly kind: Kind;
  readonly name: string;
  readonly uid: string;
}

/** What a configuration is made from. */
export interface WebhookFacts {
  readonly csv: ClusterServiceVersion;
  readonly webhook: CsvWebhook;
  readonly authority: string;
  readonly selector: LabelSelectorObject | undefined;
}

/** The namespaces that the webhooks of a group's operators see: none named means all of them. */
export function webhookNamespaces({ metadata, spec }: OperatorGroup): LabelSelectorObject | undefined {
  if ((spec?.targetNamespaces?.length ?? 0) === 0) return spec?.selector;
  return { matchLabels: { [groupLabel(metadata.uid)]: "" } };
}

/** The label of the target namespaces of a group. */
export function groupLabel(uid: string): string {
  return `olm.operatorgroup.uid/${uid}`;
}

/** The content of a configuration without its name. */
export function toWebhookConfiguration({ csv, webhook, authority, selector }: WebhookFacts): object {
  const { namespace = "" } = csv.metadata;
  const service = {
    name: serviceName((webhook.deploymentName ?? "").replaceAll(".", "-")),
    namespace,
    port: webhook.containerPort ?? 443,
    ...(webhook.webhookPath === undefined ? {} : { path: webhook.webhookPath }),
  };
  const { rules, failurePolicy, matchPolicy, objectSelector, sideEffects, timeoutSeconds } = webhook;
  const optional = { rules, failurePolicy, matchPolicy, objectSelector, sideEffects, timeoutSeconds };
  const reinvocation = webhook.type === "MutatingAdmissionWebhook" ? webhook.reinvocationPolicy : undefined;
  return {
    webhooks: [
      {
        name: webhook.generateName,
        ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
        ...(selector === undefined ? {} : { namespaceSelector: selector }),
        ...(reinvocation === undefined ? {} : { reinvocationPolicy: reinvocation }),
        admissionReviewVersions: webhook.admissionReviewVersions ?? [],
        clientConfig: { service, caBundle: Buffer.from(authority).toString("base64") },
      },
    ],
  };
}

/** The metadata of a new configuration. */
export function webhookMetadata({ csv, webhook }: Pick<WebhookFacts, "csv" | "webhook">): KubeObject["metadata"] {
  const labels = { ...webhookLabels(csv, webhook), ...managedLabel, [HASH_LABEL]: hashOf(webhook) };
  return { generateName: `${webhook.generateName}-`, labels };
}

/** Whether an operator supports only all namespaces. */
function isSingleton({ spec }: ClusterServiceVersion): boolean {
  return (spec.installModes ?? []).every(({ type, supported }) => (type === "AllNamespaces") === supported);
}

/** The message if a CRD cannot get the conversion webhook. */
export function conversionProblem(
  { csv, webhook }: Pick<WebhookFacts, "csv" | "webhook">,
  crds: ReadonlyMap<string, CustomResourceDefinition>,
): string | undefined {
  if (!isSingleton(csv)) {
    return "unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces";
  }
  if ((webhook.conversionCRDs ?? []).length === 0) {
    return "unable to manager conversion webhook: conversion webhook must have at least one CRD specified";
  }
  const owned = new Set(csv.spec.customresourcedefinitions?.owned?.map(({ name }) => name));
  for (const name of webhook.conversionCRDs ?? []) {
    const crd = crds.get(name);
    if (crd === undefined) {
      return `unable to get CRD ${name} specified in Conversion Webhook: customresourcedefinitions.apiextensions.k8s.io "${name}" not found`;
    }
    if (!owned.has(name)) return `csv ${csv.metadata.name} does not own CRD ${name}`;
    if (crd.spec.preserveUnknownFields === true) {
      return "crd.Spec.PreserveUnknownFields must be false to let API Server call webhook to do the conversion";
    }
  }
  return undefined;
}

/** The conversion of a CRD through a webhook. */
export function toConversion({ csv, webhook, authority }: WebhookFacts): object {
  const service = {
    namespace: csv.metadata.namespace ?? "",
    name: serviceName((webhook.deploymentName ?? "").replaceAll(".", "-")),
    path: webhook.webhookPath ?? "/",
    port: webhook.containerPort ?? 443,
  };
  const clientConfig = { service, caBundle: Buffer.from(authority).toString("base64") };
  return {
    strategy: "Webhook",
    webhook: { clientConfig, conversionReviewVersions: webhook.admissionReviewVersions ?? [] },
  };
}
