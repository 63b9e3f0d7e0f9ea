/** The endpoints of a Service: its pods, their ports and conditions. Pure. */
import type { Endpoint, EndpointPort } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Node, Pod, Service } from "@capstan/kinds/v1";
import { isFinished, isReady } from "../pod/state.ts";

/** The address families. */
export type AddressType = "IPv4" | "IPv6";

/** Endpoints that share their ports. */
export interface Group {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

type ServicePort = NonNullable<NonNullable<Service["spec"]>["ports"]>[number];

/** Whether a pod belongs into endpoints: it has an address and has not finished. */
export function shouldBeInEndpoints(pod: Pod): boolean {
  return !isFinished(pod) && (pod.status?.podIP ?? "") !== "";
}

/** Whether a service has no cluster IP, so that clients connect to its pods. */
export function isHeadless({ spec }: Service): boolean {
  return spec?.clusterIP === "None";
}

/** The address families of a service. */
export function addressTypes({ spec }: Service): readonly AddressType[] {
  const families = spec?.ipFamilies ?? [];
  if (families.length > 0) return families.map((family) => (family === "IPv6" ? "IPv6" : "IPv4"));
  return [spec?.clusterIP?.includes(":") === true ? "IPv6" : "IPv4"];
}

/** The ports of a service at one pod. A named port that the pod does not have is omitted. */
export function portsAt(pod: Pod, { spec }: Service): readonly EndpointPort[] {
  const ports = spec?.ports ?? [];
  return ports.flatMap((port): EndpointPort[] => {
    const number = targetOf(pod, port);
    if (number === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = port;
    return [{ name, protocol, port: number, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function targetOf({ spec }: Pod, { targetPort, port, protocol = "TCP" }: ServicePort): number | undefined {
  if (typeof targetPort !== "string") return targetPort === undefined || targetPort === 0 ? port : targetPort;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const container of [...(spec?.containers ?? []), ...sidecars]) {
    for (const one of container.ports ?? []) {
      if (one.name === targetPort && (one.protocol ?? "TCP") === protocol) return one.containerPort;
    }
  }
  return undefined;
}

/** The address of a pod in a family. */
export function addressOf({ status }: Pod, type: AddressType): string | undefined {
  const addresses = status?.podIPs?.map(({ ip }) => ip) ?? [status?.podIP ?? ""];
  return addresses.find((ip) => ip !== undefined && ip !== "" && ip.includes(":") === (type === "IPv6"));
}

/** One pod as an endpoint. */
export function toEndpoint(
  pod: Pod,
  service: Service,
  { address, node }: { readonly address: string; readonly node: Node | undefined },
): Endpoint {
  const { namespace = "", name, uid } = pod.metadata;
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  const zone = node?.metadata.labels?.["topology.kubernetes.io/zone"];
  const conditions = conditionsOf(pod, service);
  const hasHostname = hostname !== undefined && hostname !== "" && subdomain === service.metadata.name;
  return {
    addresses: [address],
    conditions,
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName !== undefined && nodeName !== "" && { nodeName }),
    ...(zone !== undefined && { zone }),
    ...(hasHostname && { hostname }),
    ...hintsOf(service, { isReady: conditions.ready === true, nodeName, zone }),
  };
}

interface EndpointTopology {
  readonly isReady: boolean;
  readonly nodeName: string | undefined;
  readonly zone: string | undefined;
}

/** The topology hints of an endpoint for `trafficDistribution`: its zone, and its node before that. */
function hintsOf({ spec }: Service, { isReady: ready, nodeName, zone }: EndpointTopology): Pick<Endpoint, "hints"> {
  const distribution = spec?.trafficDistribution ?? "";
  if (!ready || !["PreferClose", "PreferSameZone", "PreferSameNode"].includes(distribution)) return {};
  const forNodes =
    distribution === "PreferSameNode" && nodeName !== undefined ? { forNodes: [{ name: nodeName }] } : {};
  const hints = { ...(zone === undefined ? {} : { forZones: [{ name: zone }] }), ...forNodes };
  return Object.keys(hints).length === 0 ? {} : { hints };
}

/** With `publishNotReadyAddresses`, every pod counts as ready. */
function conditionsOf(pod: Pod, { spec }: Service): NonNullable<Endpoint["conditions"]> {
  const publishNotReady = spec?.publishNotReadyAddresses === true;
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const serving = publishNotReady || isReady(pod);
  return { ready: publishNotReady || (serving && !terminating), serving, terminating };
}

/** All endpoints of a service, grouped by family and ports. */
export function groupsOf(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
): readonly Group[] {
  const groups = new Map<string, { addressType: AddressType; ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
  for (const addressType of addressTypes(service)) {
    for (const pod of pods.filter(shouldBeInEndpoints)) {
      const address = addressOf(pod, addressType);
      const ports = portsAt(pod, service);
      if (address === undefined || (ports.length === 0 && !isHeadless(service))) continue;
      const id = groupId(addressType, ports);
      const group = groups.get(id) ?? { addressType, ports, endpoints: [] };
      groups.set(id, group);
      group.endpoints.push(toEndpoint(pod, service, { address, node: nodeOf(pod.spec?.nodeName ?? "") }));
    }
  }
  return [...groups.values()];
}

/** Groups with the same id share their slices. */
export function groupId(addressType: string, ports: readonly EndpointPort[]): string {
  const texts = ports.map(
    ({ name = "", protocol, port, appProtocol = "" }) => `${name}/${protocol}/${port}/${appProtocol}`,
  );
  return `${addressType} ${texts.sort().join(" ")}`;
}
