/** The subsets of an Endpoints object: addresses that share ports, in a fixed order. Pure. */
import type { EndpointAddress, EndpointSubset, Pod, Service } from "@capstan/kinds/v1";
import { addressOf, addressTypes, shouldBeInEndpoints, isHeadless, portsAt } from "../endpoint-slice/endpoints.ts";
import { isReady } from "../pod/state.ts";

type Port = NonNullable<EndpointSubset["ports"]>[number];

interface Subset {
  readonly ports: readonly Port[];
  readonly ready: EndpointAddress[];
  readonly unready: EndpointAddress[];
}

/** The subsets of a service. Terminating pods are left out. */
export function subsetsOf(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const [family = "IPv4"] = addressTypes(service);
  const subsets = new Map<string, Subset>();
  for (const pod of pods) {
    if (!shouldBeInEndpoints(pod) || isTerminating(pod, service)) continue;
    const ip = addressOf(pod, family);
    const ports = portsAt(pod, service).map(toPort).sort(byName);
    if (ip === undefined || (ports.length === 0 && !isHeadless(service))) continue;
    const id = JSON.stringify(ports);
    const subset = subsets.get(id) ?? { ports, ready: [], unready: [] };
    subsets.set(id, subset);
    const serves = isReady(pod) || service.spec?.publishNotReadyAddresses === true;
    (serves ? subset.ready : subset.unready).push(toAddress(pod, service, ip));
  }
  return [...subsets.values()].map(({ ports, ready, unready }) => ({
    ...(ready.length > 0 && { addresses: ready.sort(byIp) }),
    ...(unready.length > 0 && { notReadyAddresses: unready.sort(byIp) }),
    ...(ports.length > 0 && { ports }),
  }));
}

function isTerminating({ metadata }: Pod, { spec }: Service): boolean {
  return metadata.deletionTimestamp !== undefined && spec?.publishNotReadyAddresses !== true;
}

function toPort({ name, port = 0, protocol = "TCP", appProtocol }: ReturnType<typeof portsAt>[number]): Port {
  return {
    ...(name !== undefined && name !== "" && { name }),
    port,
    protocol,
    ...(appProtocol !== undefined && { appProtocol }),
  };
}

function toAddress(pod: Pod, service: Service, ip: string): EndpointAddress {
  const { namespace = "", name, uid } = pod.metadata;
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  const hasHostname = hostname !== undefined && hostname !== "" && subdomain === service.metadata.name;
  return {
    ...(hasHostname && { hostname }),
    ip,
    ...(nodeName !== undefined && nodeName !== "" && { nodeName }),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

function byIp(a: EndpointAddress, b: EndpointAddress): number {
  return a.ip < b.ip ? -1 : 1;
}

function byName(a: Port, b: Port): number {
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}
