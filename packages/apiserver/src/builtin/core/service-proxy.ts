/** The `proxy` subresource of a service: forwards a request to one of its pods, through the node of that pod. */
import type { EndpointAddress, Endpoints, EndpointSubset, Pod, Service } from "@capstan/kinds/v1";
import { apiErrors, quote, type StatusError } from "@capstan/model";
import type { ConnectRules, ProxyPlace, ProxyScope, ProxyTarget } from "../rules.ts";
import { hostOf, proxyMethods, schemeOf } from "./proxy-place.ts";

/** Finds a ready pod and forwards the request to its node. Like kube-apiserver it reads the Endpoints of that name. */
export const serviceProxy: ConnectRules<Service> = {
  type: "connect",
  methods: proxyMethods,
  locate(asked, scope) {
    const { name } = asked;
    const portName = portNameOf(asked, scope);
    const endpoints = scope.lookup.get("endpoints", name, scope.namespace) as Endpoints | undefined;
    if (endpoints === undefined) throw notThere(name);
    const subsets = endpoints.subsets ?? [];
    const id = subsets.length === 0 ? name : scope.id;
    for (const subset of subsets) {
      const place = placeIn(subset, { ...asked, port: portName }, scope);
      if (place !== undefined) return place;
    }
    throw apiErrors.serviceUnavailable(`no endpoints available for service ${quote(id)}`);
  },
};

/** A missing Endpoints object is reported as a missing service. */
function notThere(name: string): StatusError {
  return apiErrors.notFound({ group: "", resource: "services" }, name);
}

const largest = 2n ** 63n - 1n;

/** A port that is not a number is used as a port name, without a lookup of the service. */
function portNameOf({ name, port: asked }: ProxyTarget, { namespace, lookup }: ProxyScope): string {
  const number = /^[+-]?\d+$/.test(asked) ? BigInt(asked.replace("+", "")) : undefined;
  if (number === undefined || number > largest || number < -largest - 1n) return asked;
  const service = lookup.get("services", name, namespace) as Service | undefined;
  if (service === undefined) throw notThere(name);
  const port = (service.spec?.ports ?? []).find((one) => BigInt(one.port) === number);
  if (port !== undefined) return port.name ?? "";
  throw apiErrors.serviceUnavailable(`no service port ${number} found for service ${quote(name)}`);
}

function placeIn(subset: EndpointSubset, asked: ProxyTarget, scope: ProxyScope): ProxyPlace | undefined {
  const port = (subset.ports ?? []).find((one) => (one.name ?? "") === asked.port)?.port;
  if (port === undefined) return undefined;
  const places = (subset.addresses ?? []).map((address) => placeOf(address, { ...asked, port: String(port) }, scope));
  return places.find((place) => place !== undefined);
}

/** Only pods are reached, and only at an address that the pod has. */
function placeOf(
  { ip, targetRef }: EndpointAddress,
  asked: ProxyTarget,
  { namespace, lookup }: ProxyScope,
): ProxyPlace | undefined {
  if (targetRef?.name === undefined || targetRef.namespace !== namespace) return undefined;
  const pod = lookup.get("pods", targetRef.name, namespace) as Pod | undefined;
  const nodeName = pod?.spec?.nodeName;
  if (nodeName === undefined || !(pod?.status?.podIPs ?? []).some((one) => one.ip === ip)) return undefined;
  const { port } = asked;
  const to = { verb: "proxy", pod: { namespace, name: targetRef.name }, scheme: schemeOf(asked), port } as const;
  return { nodeName, to, host: hostOf(ip, port) };
}
