/** The kube-dns Service. */
import { isApiError } from "@capstan/client";
import type { Client } from "@capstan/client";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Service } from "@capstan/kinds/v1";
import { FIELD_MANAGER } from "../controller/context.ts";

/** The address of the DNS server in the node network. */
export const DNS_SERVER_ADDRESS = "172.30.255.53";
/** The cluster IP of the service, the usual one. */
const DNS_SERVICE_ADDRESS = "10.0.0.10";

const namespace = "kube-system";
const name = "kube-dns";
const labels = { "k8s-app": "kube-dns", "kubernetes.io/name": "CoreDNS" };
const transports = [
  { name: "dns", port: 53, protocol: "UDP" },
  { name: "dns-tcp", port: 53, protocol: "TCP" },
] as const;

/** Creates the service and its EndpointSlice if they do not exist. */
export async function ensureDnsService(client: Client): Promise<void> {
  const spec = { clusterIP: DNS_SERVICE_ADDRESS, ports: transports.map((one) => ({ ...one, targetPort: one.port })) };
  const options = { fieldManager: FIELD_MANAGER };
  if (!(await serviceExists(client)))
    await client.create(Service, { metadata: { namespace, name, labels }, spec }, options);
  const slice = {
    metadata: {
      namespace,
      name,
      labels: { "kubernetes.io/service-name": name, "endpointslice.kubernetes.io/managed-by": FIELD_MANAGER },
    },
    addressType: "IPv4" as const,
    endpoints: [{ addresses: [DNS_SERVER_ADDRESS], conditions: { ready: true, serving: true } }],
    ports: [...transports],
  };
  await client.create(EndpointSlice, slice, options).catch(ignoreAlreadyExists);
}

/** A create cannot tell: the address conflict is reported before the name conflict. */
async function serviceExists(client: Client): Promise<boolean> {
  try {
    await client.get(Service, { namespace, name });
    return true;
  } catch (error) {
    if (isApiError(error, "NotFound")) return false;
    throw error;
  }
}

function ignoreAlreadyExists(error: unknown): undefined {
  if (!isApiError(error, "AlreadyExists")) throw error;
}
