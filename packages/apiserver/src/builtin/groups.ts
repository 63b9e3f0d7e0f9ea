/** The rules of all named API groups (all except the core group). */
import { admissionregistrationRules } from "./admissionregistration/index.ts";
import { apiregistrationRules } from "./apiregistration/index.ts";
import { appsRules } from "./apps/index.ts";
import { authenticationRules } from "./authentication/index.ts";
import { authorizationRules } from "./authorization/index.ts";
import { autoscalingRules } from "./autoscaling/index.ts";
import { batchRules } from "./batch/index.ts";
import { certificatesRules } from "./certificates/index.ts";
import { coordinationRules } from "./coordination/index.ts";
import { discoveryRules } from "./discovery/index.ts";
import { flowcontrolRules } from "./flowcontrol/index.ts";
import { networkingRules } from "./networking/index.ts";
import { nodeRules } from "./node/index.ts";
import { policyRules } from "./policy/index.ts";
import { rbacRules } from "./rbac/index.ts";
import { resourceRules } from "./resource/index.ts";
import { schedulingRules } from "./scheduling/index.ts";
import { storageRules } from "./storage/index.ts";
import type { ResourceName } from "./context.ts";
import type { ResourceRules } from "./rules.ts";

export const groupRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ...admissionregistrationRules,
  ...apiregistrationRules,
  ...appsRules,
  ...authenticationRules,
  ...authorizationRules,
  ...autoscalingRules,
  ...batchRules,
  ...certificatesRules,
  ...coordinationRules,
  ...discoveryRules,
  ...flowcontrolRules,
  ...networkingRules,
  ...nodeRules,
  ...policyRules,
  ...rbacRules,
  ...resourceRules,
  ...schedulingRules,
  ...storageRules,
]);
