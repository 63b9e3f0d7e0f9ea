/** Mirrors Endpoints that users write as EndpointSlices, for clients that read only slices. */
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Endpoint } from "@capstan/kinds/discovery.k8s.io/v1";
import { Endpoints, Service } from "@capstan/kinds/v1";
import type { EndpointAddress } from "@capstan/kinds/v1";
import { anyChange, controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import type { Group } from "./endpoints.ts";
import { pack } from "./pack.ts";
import { MANAGED_BY, SERVICE_NAME, writeSlices } from "./write.ts";
import { MutationCache } from "../controller/mutation-cache.ts";
import { controllerReference } from "../ownership/owner.ts";
import type { ControllerContext } from "../controller/context.ts";

const MIRROR = "endpointslicemirroring-controller.k8s.io";
const SKIP = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";

/** The endpoints of subsets, grouped by family and ports. */
export function mirrorGroups({ subsets }: Endpoints): readonly Group[] {
  return (subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    (["IPv4", "IPv6"] as const).flatMap((addressType): Group[] => {
      const isOfFamily = ({ ip }: EndpointAddress): boolean => ip.includes(":") === (addressType === "IPv6");
      const endpoints = [
        ...addresses.filter(isOfFamily).map((address) => toEndpoint(address, true)),
        ...notReadyAddresses.filter(isOfFamily).map((address) => toEndpoint(address, false)),
      ];
      const hasHostname = ports.map(({ name = "", protocol = "TCP", ...rest }) => ({ name, protocol, ...rest }));
      return endpoints.length === 0 ? [] : [{ addressType, ports: hasHostname, endpoints }];
    }),
  );
}

function toEndpoint({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname !== undefined && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    ...(targetRef !== undefined && { targetRef }),
  };
}

/** Whether Endpoints are written by a user, for a service without a selector. */
function isMirrored({ metadata: { labels = {}, annotations = {} } }: Endpoints, service: Service | undefined): boolean {
  return (
    labels[SKIP] !== "true" &&
    annotations[LEADER] === undefined &&
    labels["endpoints.kubernetes.io/managed-by"] !== "endpoint-controller" &&
    service !== undefined &&
    service.spec?.selector === undefined
  );
}

/** The controller of mirrored slices. */
export function endpointSliceMirroringController({ client, clock }: ControllerContext): Controller {
  const sliceCache = new MutationCache(EndpointSlice, clock);
  return controller(
    Endpoints,
    {
      name: "endpointslicemirroring",
      reads: [Service, EndpointSlice],
      predicate: anyChange,
      watches: [sliceCache.watch],
    },
    async ({ object: endpoints, find, get, signal }) => {
      const { name, namespace = "" } = endpoints.metadata;
      const isOwned = { [SERVICE_NAME]: name, [MANAGED_BY]: MIRROR };
      const slices = sliceCache.current(find(EndpointSlice, { labels: isOwned }), ({ metadata }) => {
        return metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME] === name;
      });
      const groups = isMirrored(endpoints, get(Service, name)) ? mirrorGroups(endpoints) : [];
      const reference = controllerReference(Endpoints, endpoints);
      const labels = { ...endpoints.metadata.labels, ...isOwned };
      await writeSlices(
        { client, sliceCache, name, namespace, reference, labels, signal },
        pack(groups, [], slices),
        slices,
      );
    },
  );
}
