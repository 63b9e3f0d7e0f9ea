/** The door `proxy` of a service: a request goes to one of the pods behind it, through the node of that pod. */
import type { Endpoint, EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Service } from "@capstan/kinds/v1";
import { apiErrors, quote } from "@capstan/model";
import type { Lookup } from "../context.ts";
import type { ConnectRules, NodePath, ProxyTarget } from "../rules.ts";
import { hostOf, podProxyPath, proxyMethods } from "./proxy-path.ts";

/** Finds a pod that is ready and hands the request to its node. */
export const serviceProxy: ConnectRules<Service> = {
  type: "connect",
  methods: proxyMethods,
  connect: () => Promise.reject(apiErrors.serviceUnavailable("no endpoints available")),
  through(service, asked, lookup) {
    const found = placesOf(service, asked, lookup).find((place) => place !== undefined);
    if (found !== undefined) return found;
    throw apiErrors.serviceUnavailable(`no endpoints available for service ${quote(service.metadata.name)}`);
  },
};

function placesOf(service: Service, { port: asked, scheme }: ProxyTarget, lookup: Lookup): (NodePath | undefined)[] {
  const { name, namespace = "" } = service.metadata;
  const portName = portNameOf(service, asked);
  const slices = lookup.list("endpointslices.discovery.k8s.io", namespace) as readonly EndpointSlice[];
  return slices
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name)
    .flatMap((slice) => {
      const port = (slice.ports ?? []).find((one) => (one.name ?? "") === portName)?.port;
      return port === undefined
        ? []
        : (slice.endpoints ?? []).map((endpoint) => placeOf(endpoint, { namespace, port, scheme }));
    });
}

/** Ports are asked for by number or by name; the only one may be left out. */
function portNameOf({ spec }: Service, asked: string): string {
  const ports = spec?.ports ?? [];
  const port = asked === "" ? ports[0] : ports.find((one) => String(one.port) === asked || one.name === asked);
  return port?.name ?? (asked === "" ? "" : asked);
}

interface Wanted {
  readonly namespace: string;
  readonly port: number;
  readonly scheme: string;
}

function placeOf(
  { addresses: [address = ""], conditions, nodeName, targetRef }: Endpoint,
  { namespace, port, scheme }: Wanted,
): NodePath | undefined {
  if (conditions?.ready === false || nodeName === undefined || targetRef?.kind !== "Pod") return undefined;
  const prefix = podProxyPath({ namespace, name: targetRef.name ?? "", port: String(port), scheme });
  return { nodeName, prefix, host: hostOf(address, String(port)) };
}
