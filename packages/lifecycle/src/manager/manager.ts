/** The lifecycle manager: all its controllers as one operator. */
import { operator } from "@capstan/runtime";
import type { Operator } from "@capstan/runtime";
import { catalogSourceController } from "../catalog-source/controller.ts";
import { configController } from "../config/controller.ts";
import { csvController } from "../csv/controller.ts";
import { groupController } from "../group/controller.ts";
import { clusterCatalogController } from "../extension/catalog/controller.ts";
import { extensionController } from "../extension/controller.ts";
import { revisionController } from "../extension/revision/controller.ts";
import { groupRoleController } from "../group/role-controller.ts";
import { installPlanController } from "../install-plan/controller.ts";
import { conditionController, conditionGenerator } from "../operator-condition/controller.ts";
import { operatorControllers } from "../operator/controller.ts";
import { policyController } from "../policy/controller.ts";
import { rollbackController } from "../rollback/controller.ts";
import { subscriptionController } from "../subscription/controller.ts";
import { resolutionController } from "../subscription/resolve-namespace.ts";
import type { ManagerSetting } from "./setting.ts";

/** The name of the manager in leases and events. */
export const managerName = "operator-lifecycle-manager";

/** The manager for a cluster. */
export function lifecycleManager(setting: ManagerSetting): Operator {
  return operator({
    name: managerName,
    controllers: [
      catalogSourceController(setting),
      clusterCatalogController(setting),
      conditionController(setting),
      conditionGenerator(setting),
      configController(setting),
      csvController(setting),
      extensionController(setting),
      groupController(setting),
      groupRoleController(setting),
      installPlanController(setting),
      ...operatorControllers(setting),
      policyController(setting),
      resolutionController(setting),
      revisionController(setting),
      rollbackController(setting),
      subscriptionController(setting),
    ],
  });
}
