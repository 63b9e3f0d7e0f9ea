/** What a cluster is told about an operator's webhooks: their configurations, and how a CRD's versions are converted. Pure. */
import { isIP } from "node:net";
import type { KubeObject } from "@capstan/model";
import type { CustomResourceDefinition as Crd, Resource } from "@capstan/schema";
import type { AnyKind } from "../api.ts";
import { meantNamespaces } from "../every-namespace.ts";
import { CustomResourceDefinition } from "../manager/crds.ts";
import { crdName, storageVersion } from "../resource.ts";
import type { ServingNames } from "./certificates.ts";
import { CONVERT_PATH, hookPath, isConverted } from "./paths.ts";
import type { ChosenPaths } from "./paths.ts";

/** How an API server reaches the webhooks: through a Service, or at an address when the operator runs outside the cluster. */
export type Reach =
  | { readonly by: "service"; readonly namespace: string; readonly name: string; readonly port: number }
  | { readonly by: "url"; readonly url: string };

/** What registrations say besides what a resource says. */
export interface RegistrationOptions {
  readonly reach: Reach;
  /** Whom the API server shall trust, as PEM. */
  readonly bundle: string;
  /** The operator's own namespace: its objects are never held up. */
  readonly namespace: string;
  /** The namespaces that the operator works in; absent: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** What happens to a write when the webhook cannot be reached: refused unless said otherwise. Deletes always go through. */
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  /** How long the API server waits: 5 seconds unless said otherwise. */
  readonly timeoutSeconds?: number | undefined;
  /** Where hooks are answered, by the names of CRDs: `/validate-<group>-<version>-<kind>` unless said otherwise. */
  readonly paths?: ChosenPaths | undefined;
}

/** What a cluster is told, in an object of this kind: whom to ask about writes, or how versions are converted. */
export interface Registration {
  readonly tells: "webhooks" | "conversion";
  readonly kind: AnyKind;
  readonly object: KubeObject;
}

const registrationKind = (kind: string): AnyKind => ({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind,
  plural: `${kind.toLowerCase()}s`,
  scope: "Cluster",
});

export const MutatingWebhookConfiguration: AnyKind = registrationKind("MutatingWebhookConfiguration");
export const ValidatingWebhookConfiguration: AnyKind = registrationKind("ValidatingWebhookConfiguration");

/** The configurations of a resource's hooks. They bear the name of its CRD, of which a cluster has only one. */
export function registrationsOf(resource: Resource, options: RegistrationOptions): readonly Registration[] {
  const { hooks } = resource;
  const registrations: Registration[] = [];
  if (hooks.default) {
    const fill = webhook(resource, options, { name: "default", verb: "mutate", operations: ["CREATE", "UPDATE"] });
    const webhooks = [{ ...fill, reinvocationPolicy: "IfNeeded" }];
    registrations.push(registration(MutatingWebhookConfiguration, resource, webhooks));
  }
  if (hooks.validate) {
    const verb = "validate";
    const write = webhook(resource, options, { name: verb, verb, operations: ["CREATE", "UPDATE"] });
    // An operator that is gone must not keep anybody from cleaning up after it.
    const lenient = { ...options, failurePolicy: "Ignore" } as const;
    const remove = webhook(resource, lenient, { name: "validate-delete", verb, operations: ["DELETE"] });
    registrations.push(registration(ValidatingWebhookConfiguration, resource, [write, remove]));
  }
  return registrations;
}

/** How the CRD's versions are converted; absent where there is nothing to convert. */
export function conversionOf(resource: Resource, { reach, bundle }: RegistrationOptions): Crd["spec"]["conversion"] {
  if (!isConverted(resource)) return undefined;
  const clientConfig = clientConfigOf(reach, CONVERT_PATH, bundle);
  return { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } };
}

/** The conversion as a part of the CRD, whose definition may be somebody else's; none where there is nothing to convert. */
export function conversionRegistrationsOf(resource: Resource, options: RegistrationOptions): readonly Registration[] {
  const conversion = conversionOf(resource, options);
  if (conversion === undefined) return [];
  const { group, version, kind } = CustomResourceDefinition;
  const head = { apiVersion: `${group}/${version}`, kind, metadata: { name: crdName(resource) } };
  return [
    { tells: "conversion", kind: CustomResourceDefinition, object: { ...head, spec: { conversion } } as KubeObject },
  ];
}

/** Under which names the serving certificate must be valid. */
export function servingNames(reach: Reach): ServingNames {
  if (reach.by === "service") {
    const name = `${reach.name}.${reach.namespace}.svc`;
    return { dnsNames: [name, `${name}.cluster.local`], ipAddresses: [] };
  }
  const host = new URL(reach.url).hostname.replaceAll(/^\[|\]$/gu, "");
  return isIP(host) > 0 ? { dnsNames: [], ipAddresses: [host] } : { dnsNames: [host], ipAddresses: [] };
}

function registration(kind: AnyKind, resource: Resource, webhooks: readonly object[]): Registration {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const metadata = { name: crdName(resource) };
  return { tells: "webhooks", kind, object: { apiVersion, kind: kind.kind, metadata, webhooks } as KubeObject };
}

interface Hook {
  readonly name: string;
  readonly verb: "mutate" | "validate";
  readonly operations: readonly string[];
}

function webhook(resource: Resource, options: RegistrationOptions, { name, verb, operations }: Hook): object {
  const { reach, bundle, failurePolicy = "Fail", timeoutSeconds = 5 } = options;
  const { group, plural, scope } = resource;
  return {
    name: `${name}.${crdName(resource)}`,
    admissionReviewVersions: ["v1"],
    clientConfig: clientConfigOf(reach, hookPath(verb, resource, options.paths), bundle),
    // Only the objects themselves: whoever writes a status, such as the operator, is not held up.
    rules: [{ operations, apiGroups: [group], apiVersions: [storageVersion(resource)], resources: [plural], scope }],
    // Whichever version is written, the hook sees the stored one.
    matchPolicy: "Equivalent",
    sideEffects: "None",
    failurePolicy,
    timeoutSeconds,
    ...(scope === "Namespaced" ? { namespaceSelector: namespaceSelector(options) } : {}),
    matchConditions: [notBeingDeleted],
  };
}

/** Finalizers can be removed from an object that is going away, whatever the state of the webhook. */
const notBeingDeleted = {
  name: "not-being-deleted",
  expression: "object == null || !has(object.metadata.deletionTimestamp)",
};

function namespaceSelector({ namespace, namespaces }: RegistrationOptions): object {
  const key = "kubernetes.io/metadata.name";
  const outside = { key, operator: "NotIn", values: [...new Set([namespace, "kube-system"])] };
  const values = meantNamespaces(namespaces);
  const inside = { key, operator: "In", values };
  return { matchExpressions: values.length === 0 ? [outside] : [outside, inside] };
}

function clientConfigOf(reach: Reach, path: string, bundle: string): object {
  const caBundle = Buffer.from(bundle).toString("base64");
  switch (reach.by) {
    case "service": {
      const { namespace, name, port } = reach;
      return { caBundle, service: { namespace, name, port, path } };
    }
    case "url":
      return { caBundle, url: `${reach.url.replace(/\/$/u, "")}${path}` };
  }
}
