/** The rules of the group apps. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { controllerRevision } from "./controller-revision.ts";
import { daemonSet } from "./daemon-set.ts";
import { deployment } from "./deployment.ts";
import { replicaSet } from "./replica-set.ts";
import { statefulSet } from "./stateful-set.ts";

export const appsRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["controllerrevisions.apps", controllerRevision],
  ["daemonsets.apps", daemonSet],
  ["deployments.apps", deployment],
  ["replicasets.apps", replicaSet],
  ["statefulsets.apps", statefulSet],
]);
