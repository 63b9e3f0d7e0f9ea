/** Writes down which pods answer for a Service in the old form, for those who still read it. */
import { isApiError } from "@capstan/client";
import { Endpoints, Pod, Service } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { isHeadless } from "../endpoint-slice/endpoints.ts";
import { podIndexes } from "../pod/cache.ts";
import { Pace } from "../pod/pace.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { subsetsOf } from "./subsets.ts";

const HEADLESS = "service.kubernetes.io/headless";
const MANAGED_BY = "endpoints.kubernetes.io/managed-by";

/** The controller of Endpoints. */
export function endpointsController({ client, clock }: Setting): Controller {
  const pace = new Pace(clock);
  return controller(
    Service,
    { name: "endpoints", reads: [Pod, Endpoints], predicate: anyChange, cache: { Pod: podIndexes } },
    async ({ object: service, find, get, signal }): Promise<ReconcileResult> => {
      const { selector, type } = service.spec ?? {};
      if (type === "ExternalName" || selector === undefined || Object.keys(selector).length === 0) return;
      const { name, namespace = "", uid } = service.metadata;
      const rest = pace.rest(uid);
      if (rest !== undefined) return requeue(rest, { reason: "many pods move: they are looked at together" });
      const pods = find(Pod, { labels: selector });
      pace.took(uid, pods.length);
      const subsets = subsetsOf(service, pods);
      const { [HEADLESS]: _headless, ...own } = service.metadata.labels ?? {};
      const labels = { ...own, ...(isHeadless(service) && { [HEADLESS]: "" }), [MANAGED_BY]: "endpoint-controller" };
      const existing = get(Endpoints, name);
      const options = { fieldManager: MANAGER, signal };
      if (existing === undefined) {
        const endpoints = { metadata: { name, namespace, labels }, subsets };
        await client.create(Endpoints, endpoints, options).catch((error: unknown) => {
          // The namespace goes, or the cache is not there yet: another turn follows.
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
