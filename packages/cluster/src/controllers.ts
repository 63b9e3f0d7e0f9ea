/** The built-in controllers, in one list. */
import type { Controller } from "@capstan/runtime";
import { deploymentController } from "./deployment/controller.ts";
import { endpointSliceController } from "./endpoint-slice/controller.ts";
import { nodeLifecycleController } from "./node-lifecycle/controller.ts";
import { replicaSetController } from "./replica-set/controller.ts";
import { rootCaController, serviceAccountController } from "./service-account/controller.ts";
import type { Setting } from "./setting.ts";

/** What the controllers need besides the setting. */
export interface Trust {
  /** The certificate of the cluster's authority, in PEM. */
  readonly certificate: string;
}

/** Every controller that is an ordinary one. */
export function builtinControllers(setting: Setting, { certificate }: Trust): readonly Controller[] {
  return [
    serviceAccountController(setting),
    rootCaController(setting, certificate),
    replicaSetController(setting),
    deploymentController(setting),
    endpointSliceController(setting),
    nodeLifecycleController(setting),
  ];
}
