/** Observes everything that the next step of a ClusterServiceVersion depends on. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Namespace, Secret, ServiceAccount } from "@capstan/kinds/v1";
import { ownerLabels } from "../cluster/owners.ts";
import { serviceAccountOf } from "../group/service-account.ts";
import { selectNamespaces } from "../group/targets.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { OperatorCondition } from "../kinds/operator-condition.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";
import { Subscription } from "../kinds/subscription.ts";
import type { SubscriptionConfig } from "../kinds/subscription.ts";
import { upgradeVeto } from "../operator-condition/veto.ts";
import type { Reader } from "../manager/reader.ts";
import type { Discovery } from "../manager/setting.ts";
import {
  apiServiceName,
  apiServiceProblem,
  apiServicesState,
  hasApiServiceConflict,
  ownedApiServices,
} from "./api-services.ts";
import { certifiedDeployments, certificateState, secretName } from "./certified-deployments.ts";
import { installProblem } from "./deployment.ts";
import { permissionStatus } from "./permission-status.ts";
import { isCopied } from "./replacement.ts";
import { requirementsOf } from "./requirements.ts";
import type { Offer } from "./requirements.ts";
import type { Roles } from "./service-account-rules.ts";
import type { Seen } from "./seen.ts";
import { invalidWebhook } from "./webhook-rules.ts";
import { registeredAuthority, webhookState } from "./webhooks.ts";

/** Where the observation comes from. */
export interface Sight {
  readonly reader: Reader;
  readonly discovery: Discovery;
  readonly now: number;
}

/** Observes. Kinds that are not cached are looked up in discovery before the decision. */
export async function observe(csv: ClusterServiceVersion, { reader, discovery, now }: Sight): Promise<Seen> {
  const { name, namespace = "" } = csv.metadata;
  const all = reader.find(ClusterServiceVersion, { namespace });
  const siblings = all.filter((each) => each.metadata.name !== name && !isCopied(each));
  const groups = reader.find(OperatorGroup, { namespace });
  const otherGroups = reader
    .find(OperatorGroup, { namespace: "*" })
    .filter((group) => !groups.some(({ metadata }) => metadata.uid === group.metadata.uid));
  const offer = await offerOf(csv, { reader, discovery, siblings });
  const certificates = certificateState(csv, { reader, now });
  const account = serviceAccountOf(groups);
  return {
    csv,
    siblings,
    groups,
    otherGroups,
    hasNoTargets: groups[0] !== undefined && matchesNothing(groups[0], reader),
    veto: (replaced) => upgradeVeto(reader.get(OperatorCondition, { namespace, name: replaced.metadata.name })),
    requirements: () => allRequirements(csv, reader, offer),
    componentProblem: () =>
      apiServiceProblem(csv, { reader, siblings }) ?? (certificates === "rotate" ? { is: "rotation" } : undefined),
    installProblem: () => {
      const live = reader.find(Deployment, { namespace, labels: ownerLabels(csv) });
      return installProblem(certifiedDeployments(csv, reader), { csv, config: configOf(csv, reader) }, live);
    },
    apiServices: () => apiServicesState(csv, { reader, now, serves: offer.serves }),
    webhooks: () => webhookState(csv, reader),
    isExpectationUnknown: () => isExpectationUnknown(csv, reader),
    accountProblem: "error" in account ? account.error : undefined,
    hasApiServiceConflict: () => hasApiServiceConflict(csv, { reader, siblings }),
    invalidWebhook: () => invalidWebhook(csv.spec.webhookdefinitions ?? []),
    now,
  };
}

/** Whether an authority that is part of the wanted Deployments, or the Secret or Deployment for it, is missing. */
function isExpectationUnknown(csv: ClusterServiceVersion, reader: Reader): boolean {
  const { namespace = "" } = csv.metadata;
  const names = new Set(csv.spec.install.spec?.deployments?.map(({ name }) => name));
  const isMissing = (authority: string | undefined, deployment: string): boolean =>
    (authority ?? "") === "" ||
    !names.has(deployment) ||
    reader.get(Secret, { namespace, name: secretName(deployment) }) === undefined;
  return (
    ownedApiServices(csv).some((each) => {
      const authority = reader.get(APIService, { name: apiServiceName(each) })?.spec?.caBundle;
      return isMissing(authority, each.deploymentName ?? "");
    }) ||
    (csv.spec.webhookdefinitions ?? []).some((each) =>
      isMissing(registeredAuthority(csv, each, reader), each.deploymentName ?? ""),
    )
  );
}

function matchesNothing(group: OperatorGroup, reader: Reader): boolean {
  return selectNamespaces(group, reader.find(Namespace, { namespace: "*" })).length === 0;
}

/** The config of the Subscription that installed an operator. */
export function configOf(csv: ClusterServiceVersion, reader: Reader): SubscriptionConfig | undefined {
  const { name, namespace = "" } = csv.metadata;
  const subscription = reader
    .find(Subscription, { namespace })
    .find(({ status }) => status?.currentCSV === name || status?.installedCSV === name);
  return subscription?.spec.config;
}

function allRequirements(csv: ClusterServiceVersion, reader: Reader, offer: Offer): ReturnType<Seen["requirements"]> {
  const { namespace = "" } = csv.metadata;
  const plain = requirementsOf(csv, offer);
  const accounts = reader.find(ServiceAccount, { namespace });
  const world = { csv, accounts, roles: rolesOf(namespace, reader) };
  const permissions = permissionStatus(world, csv.spec.install.spec ?? {});
  if ("invalid" in permissions) return permissions;
  return { areMet: plain.areMet && permissions.areMet, statuses: [...plain.statuses, ...permissions.statuses] };
}

/** The roles of a namespace and of the cluster. */
export function rolesOf(namespace: string, reader: Reader): Roles {
  return {
    roles: reader.find(Role, { namespace }),
    roleBindings: reader.find(RoleBinding, { namespace }),
    clusterRoles: reader.find(ClusterRole, { namespace: "*" }),
    clusterRoleBindings: reader.find(ClusterRoleBinding, { namespace: "*" }),
  };
}

interface Offered {
  readonly reader: Reader;
  readonly discovery: Discovery;
  readonly siblings: readonly ClusterServiceVersion[];
}

async function offerOf(csv: ClusterServiceVersion, { reader, discovery, siblings }: Offered): Promise<Offer> {
  const wanted = [
    ...(csv.spec.nativeAPIs ?? []),
    ...(csv.spec.apiservicedefinitions?.required ?? []),
    ...ownedApiServices(csv),
  ];
  const served = new Set<string>();
  for (const { group, version, kind } of wanted) {
    if ((await discovery.kind(group, version, kind)) !== undefined) served.add(`${kind}.${version}.${group}`);
  }
  return {
    serverVersion: csv.spec.minKubeVersion === undefined ? "" : await discovery.version(),
    crds: (name) => reader.get(CustomResourceDefinition, { name }),
    apiServices: (name) => reader.get(APIService, { name }),
    serves: (group, version, kind) => served.has(`${kind}.${version}.${group}`),
    siblings,
  };
}
