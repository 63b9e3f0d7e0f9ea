/** Writes the endpoints of a Service into the older Endpoints object. */
import { isApiError } from "@capstan/client";
import { Endpoints, Pod, Service } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { isHeadless } from "../endpoint-slice/endpoints.ts";
import { podIndexes } from "../pod/indexes.ts";
import { ReconcileThrottle } from "../pod/throttle.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { subsetsOf } from "./subsets.ts";

const HEADLESS = "service.kubernetes.io/headless";
const MANAGED_BY = "endpoints.kubernetes.io/managed-by";

/** The controller of Endpoints. */
export function endpointsController({ client, clock }: ControllerContext): Controller {
  const throttle = new ReconcileThrottle(clock);
  return controller(
    Service,
    { name: "endpoints", reads: [Pod, Endpoints], predicate: anyChange, cache: { Pod: podIndexes } },
    async ({ object: service, find, get, signal }): Promise<ReconcileResult> => {
      const { selector, type } = service.spec ?? {};
      if (type === "ExternalName" || selector === undefined || Object.keys(selector).length === 0) return;
      const { name, namespace = "", uid } = service.metadata;
      const delay = throttle.delay(uid);
      if (delay !== undefined) return requeue(delay, { reason: "throttled: many pods change" });
      const pods = find(Pod, { labels: selector });
      throttle.reconciled(uid, pods.length);
      const subsets = subsetsOf(service, pods);
      const { [HEADLESS]: _headless, ...own } = service.metadata.labels ?? {};
      const labels = { ...own, ...(isHeadless(service) && { [HEADLESS]: "" }), [MANAGED_BY]: "endpoint-controller" };
      const existing = get(Endpoints, name);
      const options = { fieldManager: FIELD_MANAGER, signal };
      if (existing === undefined) {
        const endpoints = { metadata: { name, namespace, labels }, subsets };
        await client.create(Endpoints, endpoints, options).catch((error: unknown) => {
          // The namespace is terminating, or the cache is stale: another reconcile follows.
          if (!isApiError(error, "AlreadyExists", "Forbidden", "NotFound")) throw error;
        });
        return;
      }
      const isSame = isDeepEqual(existing.subsets ?? [], subsets) && isDeepEqual(existing.metadata.labels, labels);
      if (isSame) return;
      const { managedFields: _managedFields, ...kept } = existing.metadata;
      await client.update(Endpoints, { ...existing, metadata: { ...kept, labels }, subsets }, options);
    },
  );
}
