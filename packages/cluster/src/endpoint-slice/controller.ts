/** Writes down which pods answer for a Service, in slices. */
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Node, Pod, Service } from "@capstan/kinds/v1";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { Ledger } from "../ledger/ledger.ts";
import { controllerReference } from "../ownership/owner.ts";
import { podIndexes } from "../pod/cache.ts";
import { Pace } from "../pod/pace.ts";
import type { Setting } from "../setting.ts";
import { addressTypes, groupsOf, isHeadless } from "./endpoints.ts";
import { pack } from "./pack.ts";
import { MANAGED_BY, SERVICE_NAME, writeSlices } from "./write.ts";

const MANAGER_NAME = "endpointslice-controller.k8s.io";
const HEADLESS = "service.kubernetes.io/headless";

/** The controller of EndpointSlices. */
export function endpointSliceController(setting: Setting): Controller {
  const ledger = new Ledger(EndpointSlice, setting.clock);
  const pace = new Pace(setting.clock);
  const { client } = setting;
  return controller(
    Service,
    {
      name: "endpointslice",
      reads: [Pod, Node, EndpointSlice],
      predicate: anyChange,
      watches: [ledger.watch],
      cache: { Pod: podIndexes },
    },
    async ({ object: service, find, get, signal }): Promise<ReconcileResult> => {
      const { name, namespace = "" } = service.metadata;
      const { selector, type } = service.spec ?? {};
      if (type === "ExternalName" || selector === undefined || Object.keys(selector).length === 0) return;
      const rest = pace.rest(service.metadata.uid);
      if (rest !== undefined) return requeue(rest, { reason: "many pods move: they are looked at together" });
      const labels = { [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER_NAME };
      const slices = ledger
        .current(find(EndpointSlice, { labels }), ({ metadata }) => {
          return metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME] === name;
        })
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const pods = find(Pod, { labels: selector });
      pace.took(service.metadata.uid, pods.length);
      const groups = groupsOf(service, pods, (node) => (node === "" ? undefined : get(Node, node)));
      const changes = pack(groups, addressTypes(service), slices);
      const reference = controllerReference(Service, service);
      const owner = { client, ledger, name, namespace, reference, labels: labelsOf(service), signal };
      await writeSlices(owner, changes, slices);
    },
  );
}

/** The labels of the service, and those that say whose the slice is. */
function labelsOf(service: Service): { readonly [label: string]: string } {
  const { [HEADLESS]: _headless, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) && { [HEADLESS]: "" }),
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: MANAGER_NAME,
  };
}
