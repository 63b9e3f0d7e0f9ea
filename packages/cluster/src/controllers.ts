/** The built-in controllers, in one list. */
import type { Controller } from "@capstan/runtime";
import { clusterRoleController } from "./cluster-role/controller.ts";
import { cronJobController } from "./cron-job/controller.ts";
import { daemonSetController } from "./daemon-set/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { endpointSliceController } from "./endpoint-slice/controller.ts";
import { endpointsController } from "./endpoints/controller.ts";
import { disruptionController } from "./disruption/controller.ts";
import { atPeace } from "./failure/failure.ts";
import type { KnownKinds } from "./follow/kinds.ts";
import { jobController } from "./job/controller.ts";
import { timeToLiveController } from "./job/time-to-live.ts";
import { nodeLifecycleController } from "./node-lifecycle/controller.ts";
import { quotaController } from "./quota/controller.ts";
import { replicaSetController, replicationController } from "./replica-set/controller.ts";
import { rootCaController, serviceAccountController } from "./service-account/controller.ts";
import { statefulSetController } from "./stateful-set/controller.ts";
import type { Setting } from "./setting.ts";
import { sliceMirroringController } from "./slice-mirroring/controller.ts";
import { taintEvictionController } from "./taint-eviction/controller.ts";
import { claimController } from "./volume/claims.ts";
import { ephemeralController } from "./volume/ephemeral.ts";
import { volumeController } from "./volume/volumes.ts";

/** What the controllers need besides the setting. */
export interface Surroundings {
  /** The certificate of the cluster's authority, in PEM. */
  readonly certificate: string;
  readonly kinds: KnownKinds;
  /** Removes what is left of a volume that nobody claims. */
  readonly removeVolume: (path: string | undefined) => Promise<void>;
}

/** Every controller that is an ordinary one. */
export function builtinControllers(
  setting: Setting,
  { certificate, kinds, removeVolume }: Surroundings,
): readonly Controller[] {
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
    sliceMirroringController(setting),
    disruptionController(setting),
    claimController(setting),
    ephemeralController(setting),
    volumeController(setting, removeVolume),
    quotaController(setting, kinds),
    clusterRoleController(setting),
    taintEvictionController(setting),
    nodeLifecycleController(setting),
  ].map(atPeace);
}
