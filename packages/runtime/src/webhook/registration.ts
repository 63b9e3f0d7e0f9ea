/** The registrations of an operator's webhooks: webhook configurations, and the conversion of a CRD. Pure. */
import { isIP } from "node:net";
import type { KubeObject } from "@capstan/model";
import type { CustomResourceDefinition as Crd, Resource } from "@capstan/schema";
import type { AnyKind } from "../api.ts";
import { meantNamespaces } from "../cache/every-namespace.ts";
import { CustomResourceDefinition } from "../crds/crds.ts";
import { crdName, storageVersion } from "../resource.ts";
import type { ServingNames } from "./certificates.ts";
import { CONVERT_PATH, hookPath, isConverted } from "./paths.ts";
import type { ChosenPaths } from "./paths.ts";

/** How an API server reaches the webhooks: through a Service, or at a URL when the operator runs outside the cluster. */
export type Reach =
  | { readonly by: "service"; readonly namespace: string; readonly name: string; readonly port: number }
  | { readonly by: "url"; readonly url: string };

/** Settings of registrations besides those of the resource. */
export interface RegistrationOptions {
  readonly reach: Reach;
  /** The CA bundle, as PEM. */
  readonly bundle: string;
  /** The operator's own namespace: its objects are never blocked. */
  readonly namespace: string;
  /** The namespaces that the operator watches; absent: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** The failure policy for writes when the webhook cannot be reached. Default: Fail. Deletes are always allowed. */
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  /** The timeout of the API server. Default: 5 seconds. */
  readonly timeoutSeconds?: number | undefined;
  /** The paths of webhooks, by CRD name. Default: `/validate-<group>-<version>-<kind>`. */
  readonly paths?: ChosenPaths | undefined;
}

/** A registration in an object of this kind: admission webhooks, or the conversion of a CRD. */
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

/** The configurations of a resource's webhooks. They have the name of its CRD, which is unique in a cluster. */
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
    // An operator that is gone must not block the deletion of its objects.
    const lenient = { ...options, failurePolicy: "Ignore" } as const;
    const remove = webhook(resource, lenient, { name: "validate-delete", verb, operations: ["DELETE"] });
    registrations.push(registration(ValidatingWebhookConfiguration, resource, [write, remove]));
  }
  return registrations;
}

/** The conversion of the CRD; absent if there are no conversions. */
export function conversionOf(resource: Resource, { reach, bundle }: RegistrationOptions): Crd["spec"]["conversion"] {
  if (!isConverted(resource)) return undefined;
  const clientConfig = clientConfigOf(reach, CONVERT_PATH, bundle);
  return { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } };
}

/** The conversion as a partial CRD; its definition may have another manager. Empty if there are no conversions. */
export function conversionRegistrationsOf(resource: Resource, options: RegistrationOptions): readonly Registration[] {
  const conversion = conversionOf(resource, options);
  if (conversion === undefined) return [];
  const { group, version, kind } = CustomResourceDefinition;
  const head = { apiVersion: `${group}/${version}`, kind, metadata: { name: crdName(resource) } };
  return [
    { tells: "conversion", kind: CustomResourceDefinition, object: { ...head, spec: { conversion } } as KubeObject },
  ];
}

/** The names of the serving certificate. */
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
    // Only the objects themselves: writes of the status, such as the operator's, are not blocked.
    rules: [{ operations, apiGroups: [group], apiVersions: [storageVersion(resource)], resources: [plural], scope }],
    // Whichever version is written, the webhook gets the storage version.
    matchPolicy: "Equivalent",
    sideEffects: "None",
    failurePolicy,
    timeoutSeconds,
    ...(scope === "Namespaced" ? { namespaceSelector: namespaceSelector(options) } : {}),
    matchConditions: [notBeingDeleted],
  };
}

/** Finalizers can be removed from an object that is being deleted, whatever the state of the webhook. */
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
