/** Node: a machine that runs pods. */
import type { Node, NodeConfigSource, Taint } from "@capstan/kinds/v1";
import {
  byteLength,
  checkConfigMapKey,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  fieldErrors,
  quote,
  type FieldError,
} from "@capstan/model";
import type { Draft } from "../draft.ts";
import { checkLabelKey, checkPositive, invalidEach, isEmpty } from "../meta/checks.ts";
import { toInternal } from "../meta/internal-form.ts";
import { parseNetwork } from "../meta/ip-address.ts";
import { checkNetwork, networkWarnings } from "../meta/ip-checks.ts";
import { checkChangedMetadata, checkClusterScoped } from "../meta/metadata.ts";
import { roundQuantities } from "../meta/resource-list.ts";
import type { ResourceList } from "@capstan/model";
import { checkAmount } from "../meta/resource-name.ts";
import { keepField, statusView } from "../meta/status.ts";
import { checkTaintEffect } from "../pod-template/scheduling.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkAvoidedPods } from "./node-annotations.ts";
import { nodeProxy } from "./node-proxy.ts";
import { nodeRow } from "./node-table.ts";

export const nodeRules: KindRules<Node> = defineRules<Node>({
  defaults: defaultNode,
  prepareForCreate(draft) {
    delete draft.spec?.configSource;
    delete draft.status?.config;
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    if (old.spec?.configSource === undefined) delete draft.spec?.configSource;
  },
  validateCreate: (node) => [...checkClusterScoped(node), ...checkNode(node)],
  validatesMetadata: true,
  validateUpdate: (node, old) => [...checkClusterScoped(node), ...checkNode(node), ...checkChange(node, old)],
  warnings: ({ spec }) => [
    ...(spec?.configSource === undefined ? [] : ["spec.configSource: the feature is removed"]),
    ...(isEmpty(spec?.externalID) ? [] : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
    ...(spec?.podCIDRs ?? []).flatMap((network, index) => networkWarnings(network, `spec.podCIDRs[${index}]`)),
  ],
  resetFields: ["status"],
  selectsByNamespace: false,
  fields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
  subresources: {
    status: statusView<Node>({
      prepare(draft, old) {
        if (old.status?.config === undefined) delete draft.status?.config;
      },
      validate: checkChange,
    }),
    proxy: nodeProxy,
  },
  table: { row: nodeRow },
});

function defaultNode(draft: Draft<Node>): void {
  const { status, spec } = draft;
  if (status?.allocatable === undefined && status?.capacity !== undefined) status.allocatable = { ...status.capacity };
  roundQuantities(status?.capacity);
  roundQuantities(status?.allocatable);
  if (spec !== undefined) joinNetworks(spec);
}

/** podCIDR and the first item of podCIDRs must agree. */
function joinNetworks(spec: NonNullable<Draft<Node>["spec"]>): void {
  const { podCIDR = "", podCIDRs = [] } = spec;
  if (podCIDR !== "" && podCIDRs[0] !== podCIDR) spec.podCIDRs = [podCIDR];
  const [first] = spec.podCIDRs ?? [];
  if (first !== undefined) spec.podCIDR = first;
}

function checkNode(node: Node): FieldError[] {
  const { spec, status } = node;
  const swap = status?.nodeInfo?.swap?.capacity;
  return [
    ...checkAvoidedPods(node.metadata.annotations ?? {}, "metadata.annotations"),
    ...checkTaints(spec?.taints ?? [], "metadata.taints"),
    ...checkResources(node),
    ...(swap === undefined ? [] : checkPositive(swap, "metadata.nodeSwapStatus.capacity")),
    ...checkFeatures(status?.declaredFeatures ?? [], "status.declaredFeatures"),
    ...checkNetworks(spec?.podCIDRs ?? [], "spec.podCIDRs"),
  ];
}

function checkTaints(taints: readonly Taint[], path: string): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const here = `${path}[${index}]`;
    const { key, value = "", effect } = taint;
    const complaints = checkLabelValue(value);
    const errors = [
      ...checkLabelKey(key, `${here}.key`),
      ...(complaints.length === 0 ? [] : [fieldErrors.invalid(`${here}.value`, value, complaints.join(";"))]),
      ...(isEmpty(effect) ? [fieldErrors.required(`${here}.effect`)] : checkTaintEffect(effect, `${here}.effect`)),
    ];
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) errors.push(repeatedTaint(taint, here));
    seen.add(pair);
    return errors;
  });
}

function repeatedTaint(taint: Taint, path: string): FieldError {
  const error = fieldErrors.duplicate(path, toInternal("Taint", taint));
  return { ...error, body: `${error.body}: taints must be unique by key and effect pair` };
}

function checkResources({ status }: Node): FieldError[] {
  const check = (list: ResourceList | undefined, path: string): FieldError[] =>
    Object.entries(list ?? {}).flatMap(([name, amount]) => checkAmount(name, amount, `${path}.${name}`));
  return [...check(status?.capacity, "status.capacity"), ...check(status?.allocatable, "status.allocatable")];
}

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const maxFeatureName = 253;

function checkFeatures(features: readonly string[], path: string): FieldError[] {
  return features.flatMap((feature, index) => {
    const why = complaintAboutFeature(feature);
    const errors = why === undefined ? [] : [fieldErrors.invalid(`${path}[${index}]`, feature, why)];
    const next = features[index + 1];
    if (next === undefined || feature < next) return errors;
    const nextPath = `${path}[${index + 1}]`;
    return feature === next
      ? [...errors, fieldErrors.duplicate(nextPath, next)]
      : [...errors, fieldErrors.invalid(nextPath, next, "list must be sorted alphabetically")];
  });
}

function complaintAboutFeature(feature: string): string | undefined {
  const intro = `invalid feature name ${quote(feature)}`;
  if (byteLength(feature) > maxFeatureName) return `${intro}: must be no more than ${maxFeatureName} characters`;
  if (featureName.test(feature)) return undefined;
  return `${intro}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
}

function checkNetworks(networks: readonly string[], path: string): FieldError[] {
  const errors = networks.flatMap((network, index) => checkNetwork(network, `${path}[${index}]`));
  if (networks.length < 2) return errors;
  const unreadable = networks.findIndex((network) => parseNetwork(network) === undefined);
  if (unreadable >= 0) {
    const why = `invalid CIDR[${unreadable}]: <nil> (invalid CIDR address: ${networks[unreadable]})`;
    errors.push(fieldErrors.internal(path, `invalid PodCIDRs. failed to check with dual stack with error:${why}`));
  }
  const families = new Set(networks.map((network) => parseNetwork(network)?.bits));
  if (unreadable < 0 && families.size === 2 && networks.length === 2) return errors;
  return [...errors, fieldErrors.invalid(path, networks, "may specify no more than one CIDR for each IP family")];
}

function checkChange(node: Node, old: Node): FieldError[] {
  const { spec = {}, status = {} } = node;
  const { spec: before = {} } = old;
  return [
    ...checkChangedMetadata(node, old),
    ...checkResources(node),
    ...checkFeatures(status.declaredFeatures ?? [], "status.declaredFeatures"),
    ...checkAddresses(status.addresses ?? []),
    ...checkKeptNetworks(spec.podCIDRs ?? [], before.podCIDRs ?? []),
    ...(isEmpty(before.providerID) || before.providerID === spec.providerID
      ? []
      : [fieldErrors.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid')]),
    ...checkConfigSources(node),
    ...checkTaints(spec.taints ?? [], "metadata.taints"),
    ...((spec.externalID ?? "") === (before.externalID ?? "")
      ? []
      : [fieldErrors.forbidden("spec.externalID", "may not be updated")]),
  ];
}

function checkConfigSources({ spec, status }: Node): FieldError[] {
  const ofSpec = spec?.configSource;
  return [
    ...(ofSpec === undefined ? [] : checkConfigSource(ofSpec, "spec.configSource", "spec")),
    ...(["assigned", "active", "lastKnownGood"] as const).flatMap((field) => {
      const source = status?.config?.[field];
      return source === undefined ? [] : checkConfigSource(source, `status.config.${field}`, "status");
    }),
  ];
}

function checkAddresses(addresses: NonNullable<NonNullable<Node["status"]>["addresses"]>): FieldError[] {
  const seen = new Set<string>();
  return addresses.flatMap((address, index) => {
    const key = `${address.type}/${address.address}`;
    if (seen.has(key)) {
      return [fieldErrors.duplicate(`status.addresses[${index}]`, toInternal("NodeAddress", address))];
    }
    seen.add(key);
    return [];
  });
}

function checkKeptNetworks(networks: readonly string[], old: readonly string[]): FieldError[] {
  if (old.length === 0) return [];
  const why = 'node updates may not change podCIDR except from "" to valid';
  const refusal = fieldErrors.forbidden("spec.podCIDRs", why);
  if (old.length !== networks.length) return [refusal];
  return old.filter((network, index) => network !== networks[index]).map(() => refusal);
}

function checkConfigSource(source: NodeConfigSource, path: string, place: "spec" | "status"): FieldError[] {
  const { configMap } = source;
  if (configMap === undefined) {
    const shown = toInternal("NodeConfigSource", source);
    return [fieldErrors.invalid(path, shown, "exactly one reference subfield must be non-nil")];
  }
  const here = `${path}.configMap`;
  const identity = (["uid", "resourceVersion"] as const).flatMap((field) => {
    const isMissing = isEmpty(configMap[field]);
    if (place === "status") return isMissing ? [fieldErrors.required(`${here}.${field}`)] : [];
    return isMissing ? [] : [fieldErrors.forbidden(`${here}.${field}`, `${field} must not be set in spec`)];
  });
  const named = (
    field: "namespace" | "name" | "kubeletConfigKey",
    check: (value: string) => string[],
  ): FieldError[] => {
    const value = configMap[field];
    return isEmpty(value)
      ? [fieldErrors.required(`${here}.${field}`)]
      : invalidEach(`${here}.${field}`, value, check(value));
  };
  return [
    ...identity,
    ...named("namespace", checkDns1123Label),
    ...named("name", checkDns1123Subdomain),
    ...named("kubeletConfigKey", checkConfigMapKey),
  ];
}
