/** APIServices of the groups that this server serves itself. Custom groups have one while they are served. */
import { formatTime, type KubeObject } from "@capstan/model";
import type { ServerParts } from "../parts.ts";
import { apiServices, nameOf, type ApiService } from "./api-service.ts";

const managedLabel = "kube-aggregator.kubernetes.io/automanaged";
const customPriorities = { groupPriorityMinimum: 1000, versionPriority: 100 };

type Parts = Pick<ServerParts, "registry" | "lookup" | "writer" | "clock" | "randomness">;

/** Keeps these APIServices up to date until the returned function is called. */
export function startLocalServices(parts: Parts): () => void {
  register(parts);
  return parts.registry.onChange(() => register(parts));
}

function register(parts: Parts): void {
  const { registry, lookup, writer } = parts;
  const wanted = new Map<string, KubeObject>();
  for (const { group, version, resources } of registry.groupVersions()) {
    const isCustom = [...resources.values()].some((resource) => resource.isCustom);
    if (isCustom) wanted.set(nameOf(group, version), toService(group, version, parts));
  }
  const present = lookup.list(apiServices) as readonly ApiService[];
  for (const { metadata } of present) {
    if (metadata.labels?.[managedLabel] !== "true" || wanted.has(metadata.name ?? "")) continue;
    writer.delete(apiServices, metadata.name ?? "");
  }
  const names = new Set(present.map(({ metadata }) => metadata.name));
  for (const [name, service] of wanted) if (!names.has(name)) writer.create(apiServices, service);
}

function toService(group: string, version: string, { clock, randomness }: Parts): KubeObject {
  const now = formatTime(clock.wall());
  const owned = {
    "f:metadata": { "f:labels": { ".": {}, [`f:${managedLabel}`]: {} } },
    "f:spec": { "f:group": {}, "f:groupPriorityMinimum": {}, "f:version": {}, "f:versionPriority": {} },
  };
  const service = {
    kind: "APIService",
    apiVersion: "apiregistration.k8s.io/v1",
    metadata: {
      name: nameOf(group, version),
      uid: randomness.uuid(),
      creationTimestamp: now,
      labels: { [managedLabel]: "true" },
      managedFields: [
        {
          manager: "kube-apiserver",
          operation: "Update" as const,
          apiVersion: "apiregistration.k8s.io/v1",
          time: now,
          fieldsType: "FieldsV1" as const,
          fieldsV1: owned,
        },
      ],
    },
    spec: { group, version, ...customPriorities },
    status: {
      conditions: [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: now,
          reason: "Local",
          message: "Local APIServices are always available",
        },
      ],
    },
  };
  return service;
}
