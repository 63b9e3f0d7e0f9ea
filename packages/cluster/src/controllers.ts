/** The built-in controllers, in one list. */
import type { Controller } from "@capstan/runtime";
import { cronJobController } from "./cron-job/controller.ts";
import { daemonSetController } from "./daemon-set/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { endpointSliceController } from "./endpoint-slice/controller.ts";
import { endpointsController } from "./endpoints/controller.ts";
import { disruptionController } from "./disruption/controller.ts";
import { jobController } from "./job/controller.ts";
import { timeToLiveController } from "./job/time-to-live.ts";
import { nodeLifecycleController } from "./node-lifecycle/controller.ts";
import { replicaSetController, replicationController } from "./replica-set/controller.ts";
import { rootCaController, serviceAccountController } from "./service-account/controller.ts";
import { statefulSetController } from "./stateful-set/controller.ts";
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
    replicationController(setting),
    deploymentController(setting),
    statefulSetController(setting),
    daemonSetController(setting),
    jobController(setting),
    timeToLiveController(setting),
    cronJobController(setting),
    endpointSliceController(setting),
    endpointsController(setting),
    disruptionController(setting),
    nodeLifecycleController(setting),
  ];
}
