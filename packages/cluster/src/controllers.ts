/** The list of built-in controllers. */
import type { Controller } from "@capstan/runtime";
import { clusterRoleController } from "./cluster-role/controller.ts";
import { cronJobController } from "./cron-job/controller.ts";
import { daemonSetController } from "./daemon-set/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { endpointSliceController } from "./endpoint-slice/controller.ts";
import { endpointsController } from "./endpoints/controller.ts";
import { disruptionController } from "./disruption/controller.ts";
import { ignoreTerminatingNamespaces } from "./controller/errors.ts";
import type { ServedKinds } from "./informer/served-kinds.ts";
import { jobController } from "./job/controller.ts";
import { ttlAfterFinishedController } from "./job/ttl-after-finished.ts";
import { nodeLifecycleController } from "./node-lifecycle/controller.ts";
import { quotaController } from "./resource-quota/controller.ts";
import { replicaSetController, replicationController } from "./replica-set/controller.ts";
import { rootCaController, serviceAccountController } from "./service-account/controller.ts";
import { statefulSetController } from "./stateful-set/controller.ts";
import type { ControllerContext } from "./controller/context.ts";
import { endpointSliceMirroringController } from "./endpoint-slice/mirroring.ts";
import { taintEvictionController } from "./taint-eviction/controller.ts";
import { claimController } from "./volume/claims.ts";
import { ephemeralController } from "./volume/ephemeral.ts";
import { volumeController } from "./volume/volumes.ts";

/** What the controllers need besides their context. */
export interface ControllersOptions {
  /** The certificate of the cluster's CA, in PEM. */
  readonly certificate: string;
  readonly kinds: ServedKinds;
  /** Removes the files of a volume that has no claim. */
  readonly removeVolume: (path: string | undefined) => Promise<void>;
}

/** All controllers that run in the operator of the runtime. */
export function builtinControllers(
  context: ControllerContext,
  { certificate, kinds, removeVolume }: ControllersOptions,
): readonly Controller[] {
  return [
    serviceAccountController(context),
    rootCaController(context, certificate),
    replicaSetController(context),
    replicationController(context),
    deploymentController(context),
    statefulSetController(context),
    daemonSetController(context),
    jobController(context),
    ttlAfterFinishedController(context),
    cronJobController(context),
    endpointSliceController(context),
    endpointsController(context),
    endpointSliceMirroringController(context),
    disruptionController(context),
    claimController(context),
    ephemeralController(context),
    volumeController(context, removeVolume),
    quotaController(context, kinds),
    clusterRoleController(context),
    taintEvictionController(context),
    nodeLifecycleController(context),
  ].map(ignoreTerminatingNamespaces);
}
