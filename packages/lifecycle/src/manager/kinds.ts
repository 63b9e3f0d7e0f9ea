/** The kinds that the manager caches. */
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap, Namespace, Pod, Secret, Service, ServiceAccount } from "@capstan/kinds/v1";
import type { Kind } from "@capstan/model";
import { ClusterCatalog } from "../kinds/cluster-catalog.ts";
import { ClusterExtension } from "../kinds/cluster-extension.ts";
import { ClusterExtensionRevision } from "../kinds/cluster-extension-revision.ts";
import { CatalogSource } from "../kinds/catalog-source.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { InstallPlan } from "../kinds/install-plan.ts";
import { OLMConfig } from "../kinds/olm-config.ts";
import { OperatorCondition } from "../kinds/operator-condition.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";
import { Operator } from "../kinds/operator.ts";
import { Subscription } from "../kinds/subscription.ts";

/** OLM's kinds and the built-in kinds that their reconciles read. */
export const readKinds: readonly Kind[] = [
  CatalogSource,
  ClusterCatalog,
  ClusterExtension,
  ClusterExtensionRevision,
  ClusterServiceVersion,
  InstallPlan,
  OLMConfig,
  Operator,
  OperatorCondition,
  OperatorGroup,
  Subscription,
  APIService,
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  Deployment,
  MutatingWebhookConfiguration,
  ConfigMap,
  Namespace,
  Pod,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  ValidatingWebhookConfiguration,
];
