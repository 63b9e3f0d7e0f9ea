/** Writes the endpoints of a Service into EndpointSlices. */
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Node, Pod, Service } from "@capstan/kinds/v1";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { MutationCache } from "../controller/mutation-cache.ts";
import { controllerReference } from "../ownership/owner.ts";
import { podIndexes } from "../pod/indexes.ts";
import { ReconcileThrottle } from "../pod/throttle.ts";
import type { ControllerContext } from "../controller/context.ts";
import { addressTypes, groupsOf, isHeadless } from "./endpoints.ts";
import { pack } from "./pack.ts";
import { MANAGED_BY, SERVICE_NAME, writeSlices } from "./write.ts";

const MANAGER_NAME = "endpointslice-controller.k8s.io";
const HEADLESS = "service.kubernetes.io/headless";

/** The controller of EndpointSlices. */
export function endpointSliceController(context: ControllerContext): Controller {
  const sliceCache = new MutationCache(EndpointSlice, context.clock);
  const throttle = new ReconcileThrottle(context.clock);
  const { client } = context;
  return controller(
    Service,
    {
      name: "endpointslice",
      reads: [Pod, Node, EndpointSlice],
      predicate: anyChange,
      watches: [sliceCache.watch],
      cache: { Pod: podIndexes },
    },
    async ({ object: service, find, get, signal }): Promise<ReconcileResult> => {
      const { name, namespace = "" } = service.metadata;
      const { selector, type } = service.spec ?? {};
      if (type === "ExternalName" || selector === undefined || Object.keys(selector).length === 0) return;
      const delay = throttle.delay(service.metadata.uid);
      if (delay !== undefined) return requeue(delay, { reason: "throttled: many pods change" });
      const labels = { [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER_NAME };
      const slices = sliceCache
        .current(find(EndpointSlice, { labels }), ({ metadata }) => {
          return metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME] === name;
        })
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const pods = find(Pod, { labels: selector });
      throttle.reconciled(service.metadata.uid, pods.length);
      const groups = groupsOf(service, pods, (node) => (node === "" ? undefined : get(Node, node)));
      const changes = pack(groups, addressTypes(service), slices);
      const reference = controllerReference(Service, service);
      const owner = { client, sliceCache, name, namespace, reference, labels: labelsOf(service), signal };
      await writeSlices(owner, changes, slices);
    },
  );
}

/** The labels of the service, and those that link the slice to it. */
function labelsOf(service: Service): { readonly [label: string]: string } {
  const { [HEADLESS]: _headless, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) && { [HEADLESS]: "" }),
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: MANAGER_NAME,
  };
}
