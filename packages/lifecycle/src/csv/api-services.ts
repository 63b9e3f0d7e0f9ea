/** The APIServices that an operator owns: whether they exist, belong to it, match their objects, and are available. */
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Secret, Service, ServiceAccount } from "@capstan/kinds/v1";
import type { Kind, StoredObject } from "@capstan/model";
import type { ClusterServiceVersion, CsvApiService } from "../kinds/csv.ts";
import type { Reader } from "../manager/reader.ts";
import { authorityHash, authorityHashAnnotation, secretName, serviceName } from "./certified-deployments.ts";
import { isDisrupted } from "./disruption.ts";
import type { Disruption } from "./disruption.ts";
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

/** What is missing or does not match, as one text; an APIService of another owner ends the examination. */
export function apiServiceProblem(csv: ClusterServiceVersion, sight: ApiServiceSight): ComponentProblem | undefined {
  const problems: string[] = [];
  for (const each of ownedApiServices(csv)) {
    const service = sight.reader.get(APIService, { name: apiServiceName(each) });
    if (service !== undefined && !isAdoptable(service, csv, sight.siblings)) {
      problems.push(`${apiServiceName(each)} is unadoptable`);
      return { is: "api-service", message: aggregated(problems), isOurs: false };
    }
    problems.push(...problemsOf(each, service, { csv, reader: sight.reader }));
  }
  return problems.length === 0 ? undefined : { is: "api-service", message: aggregated(problems), isOurs: true };
}

/** Several messages as Go joins them: each once. */
function aggregated(problems: readonly string[]): string {
  const unique = [...new Set(problems)];
  return unique.length === 1 ? (unique[0] ?? "") : `[${unique.join(", ")}]`;
}

function missing(resource: string, object: string): readonly string[] {
  return [`${resource} "${object}" not found`];
}

interface Examined {
  readonly csv: ClusterServiceVersion;
  readonly reader: Reader;
}

/** The first broken link between the APIService, its Service, Secret and Deployment, or what the pods need beside them. */
function problemsOf(
  wanted: CsvApiService,
  service: APIService | undefined,
  { csv, reader }: Examined,
): readonly string[] {
  const { namespace = "" } = csv.metadata;
  const { deploymentName = "" } = wanted;
  const target = serviceName(deploymentName);
  if (service === undefined) return missing("apiservice.apiregistration.k8s.io", apiServiceName(wanted));
  if (reader.get(Service, { namespace, name: target }) === undefined) return missing("service", target);
  const reference = service.spec?.service;
  if (reference?.name !== target || reference.namespace !== namespace) {
    return ["found APIService and service reference mismatch"];
  }
  return certificateProblems({ namespace, deploymentName, service }, reader);
}

interface Certified {
  readonly namespace: string;
  readonly deploymentName: string;
  readonly service: APIService;
}

/** Whether the Secret and the Deployment have the authority that the APIService trusts. */
function certificateProblems({ namespace, deploymentName, service }: Certified, reader: Reader): readonly string[] {
  const target = serviceName(deploymentName);
  const secret = secretName(deploymentName);
  const found = reader.get(Secret, { namespace, name: secret });
  if (found === undefined) return missing("secret", secret);
  const hash = authorityHash(Buffer.from(service.spec?.caBundle ?? "", "base64").toString("utf8"));
  if (found.metadata.annotations?.[authorityHashAnnotation] !== hash) {
    return [`secret ${secret} CA cert hash does not match expected`];
  }
  const deployment = reader.get(Deployment, { namespace, name: deploymentName });
  if (deployment === undefined) return missing("deployment.apps", deploymentName);
  const { template } = deployment.spec ?? {};
  if (template?.metadata?.annotations?.[authorityHashAnnotation] !== hash) {
    return [`deployment ${deploymentName} CA cert hash does not match expected`];
  }
  const account = template.spec?.serviceAccountName;
  return accessProblems({ namespace, target, secret, account: account === "" ? undefined : account }, reader);
}

interface Access {
  readonly namespace: string;
  readonly target: string;
  readonly secret: string;
  readonly account: string | undefined;
}

function accessProblems({ namespace, target, secret, account = "default" }: Access, reader: Reader): readonly string[] {
  const rbac = "rbac.authorization.k8s.io";
  const wanted = [
    [ServiceAccount, "serviceaccounts", { namespace, name: account }],
    [Role, `role.${rbac}`, { namespace, name: secret }],
    [RoleBinding, `rolebinding.${rbac}`, { namespace, name: secret }],
    [ClusterRoleBinding, `clusterrolebinding.${rbac}`, { name: `${target}-system:auth-delegator` }],
    [RoleBinding, `rolebinding.${rbac}`, { namespace: "kube-system", name: `${target}-auth-reader` }],
  ] as const;
  return wanted.flatMap(([kind, resource, key]) =>
    reader.get(kind as Kind<StoredObject>, key) === undefined ? [`${resource} "${key.name}" not found`] : [],
  );
}

/** Whether all owned APIServices are available and serve their kinds. */
export function apiServicesState(
  csv: ClusterServiceVersion,
  { reader, serves, now }: Disruption & { readonly serves: (group: string, version: string, kind: string) => boolean },
): "available" | "unavailable" | "disrupted" {
  for (const each of ownedApiServices(csv)) {
    const service = reader.get(APIService, { name: apiServiceName(each) });
    if (service === undefined) return "unavailable";
    if (!isAvailable(service)) return isDisrupted(csv, { reader, now }) ? "disrupted" : "unavailable";
    if (!serves(each.group, each.version, each.kind)) return "unavailable";
  }
  return "available";
}
