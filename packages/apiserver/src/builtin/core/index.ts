/** The rules of the core group. */
import type { ResourceName } from "../context.ts";
import type { KindRules, ResourceRules } from "../rules.ts";
import { componentStatusRules } from "./component-status.ts";
import { configMapRules } from "./config-map.ts";
import { endpointsRules } from "./endpoints.ts";
import { eventRules } from "./event.ts";
import { limitRangeRules } from "./limit-range.ts";
import { namespaceRules } from "./namespace.ts";
import { nodeRules } from "./node.ts";
import { persistentVolumeClaimRules } from "./persistent-volume-claim.ts";
import { persistentVolumeRules } from "./persistent-volume.ts";
import { podTemplateRules } from "./pod-template.ts";
import { podRules } from "./pod.ts";
import { replicationControllerRules } from "./replication-controller.ts";
import { resourceQuotaRules } from "./resource-quota.ts";
import { secretRules } from "./secret.ts";
import { serviceAccountRules } from "./service-account.ts";
import { serviceRules } from "./service.ts";

const rules = {
  componentstatuses: componentStatusRules,
  configmaps: configMapRules,
  endpoints: endpointsRules,
  events: eventRules,
  limitranges: limitRangeRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  persistentvolumeclaims: persistentVolumeClaimRules,
  persistentvolumes: persistentVolumeRules,
  pods: podRules,
  podtemplates: podTemplateRules,
  replicationcontrollers: replicationControllerRules,
  resourcequotas: resourceQuotaRules,
  secrets: secretRules,
  serviceaccounts: serviceAccountRules,
  services: serviceRules,
};

/** By the plural of the resource. */
export const coreRules: ReadonlyMap<ResourceName, ResourceRules> = new Map(
  Object.entries(rules).map(([resource, kind]) => [resource, kind as KindRules]),
);
