/** The APIServices that an operator owns: whether they exist, belong to it, match their objects, and are available. */
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { Pod, Secret, Service } from "@capstan/kinds/v1";
import type { ClusterServiceVersion, CsvApiService } from "../kinds/csv.ts";
import type { Reader } from "../manager/reader.ts";
import { authorityHash, authorityHashAnnotation, secretName, serviceName } from "./certified-deployments.ts";
import { isAvailable } from "./requirements.ts";
import type { ComponentProblem } from "./seen.ts";

/** The owned APIServices, once each by name. */
export function ownedApiServices({ spec }: ClusterServiceVersion): readonly CsvApiService[] {
  return spec.apiservicedefinitions?.owned ?? [];
}

/** The name of the APIService of a description. */
export function apiServiceName({ version, group }: Pick<CsvApiService, "version" | "group">): string {
  return `${version}.${group}`;
}

/** Where the answers come from. */
export interface ApiServiceSight {
  readonly reader: Reader;
  readonly siblings: readonly ClusterServiceVersion[];
}

/** Whether an APIService belongs to an operator, to the one that it replaces, or to one that is being replaced. */
export function isAdoptable(
  service: APIService,
  csv: ClusterServiceVersion,
  siblings: readonly ClusterServiceVersion[],
): boolean {
  const { labels = {} } = service.metadata;
  const owner = labels["olm.owner"];
  if (
    labels["olm.owner.kind"] !== "ClusterServiceVersion" ||
    labels["olm.owner.namespace"] !== csv.metadata.namespace
  ) {
    return false;
  }
  if (owner === csv.metadata.name || (owner !== undefined && owner === csv.spec.replaces)) return true;
  const current = siblings.find(({ metadata }) => metadata.name === owner);
  return current?.status?.phase === "Replacing" || current?.status?.phase === "Deleting";
}

/** Whether another operator has one of the APIServices. */
export function hasApiServiceConflict(csv: ClusterServiceVersion, { reader, siblings }: ApiServiceSight): boolean {
  return ownedApiServices(csv).some((each) => {
    const service = reader.get(APIService, { name: apiServiceName(each) });
    return service !== undefined && !isAdoptable(service, csv, siblings);
  });
}

/** The first thing that is missing or does not match. */
export function apiServiceProblem(csv: ClusterServiceVersion, sight: ApiServiceSight): ComponentProblem | undefined {
  for (const each of ownedApiServices(csv)) {
    const problem = problemOf(each, { csv, ...sight });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Examined extends ApiServiceSight {
  readonly csv: ClusterServiceVersion;
}

function problemOf(wanted: CsvApiService, { csv, reader, siblings }: Examined): ComponentProblem | undefined {
  const { namespace = "" } = csv.metadata;
  const name = apiServiceName(wanted);
  const missing = (resource: string, object: string): ComponentProblem => ours(`${resource} "${object}" not found`);
  const service = reader.get(APIService, { name });
  if (service === undefined) return missing("apiservice.apiregistration.k8s.io", name);
  if (!isAdoptable(service, csv, siblings)) {
    return { is: "api-service", message: `/${name} (/, Kind=) is unadoptable`, isOurs: false };
  }
  const { deploymentName = "" } = wanted;
  const target = serviceName(deploymentName);
  if (reader.get(Service, { namespace, name: target }) === undefined) return missing("service", target);
  const reference = service.spec?.service;
  if (reference?.name !== target || reference.namespace !== namespace) {
    return ours("found APIService and service reference mismatch");
  }
  const secret = secretName(deploymentName);
  const found = reader.get(Secret, { namespace, name: secret });
  if (found === undefined) return missing("secret", secret);
  const bundle = Buffer.from(service.spec?.caBundle ?? "", "base64").toString("utf8");
  if (found.metadata.annotations?.[authorityHashAnnotation] !== authorityHash(bundle)) {
    return ours(`secret ${secret} CA cert hash does not match expected`);
  }
  return undefined;
}

function ours(message: string): ComponentProblem {
  return { is: "api-service", message, isOurs: true };
}

/** Whether all owned APIServices are available and serve their kinds. */
export function apiServicesState(
  csv: ClusterServiceVersion,
  {
    reader,
    serves,
  }: { readonly reader: Reader; readonly serves: (group: string, version: string, kind: string) => boolean },
): "available" | "unavailable" | "disrupted" {
  for (const each of ownedApiServices(csv)) {
    const service = reader.get(APIService, { name: apiServiceName(each) });
    if (service === undefined) return "unavailable";
    if (!isAvailable(service)) return isDisrupted(csv, each, reader) ? "disrupted" : "unavailable";
    if (!serves(each.group, each.version, each.kind)) return "unavailable";
  }
  return "available";
}

/** Whether a pod behind an APIService is on its way out: then the APIService comes back by itself. */
function isDisrupted(csv: ClusterServiceVersion, { deploymentName }: CsvApiService, reader: Reader): boolean {
  const labels = csv.spec.install.spec?.deployments?.find(({ name }) => name === deploymentName)?.spec.selector
    .matchLabels;
  if (labels === undefined) return false;
  const pods = reader.find(Pod, { namespace: csv.metadata.namespace ?? "", labels });
  return pods.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
}
