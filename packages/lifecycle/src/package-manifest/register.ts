/** Registers the server of PackageManifests with the API server: a Service that leads to it, and the APIService. */
import { isIP } from "node:net";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Service } from "@capstan/kinds/v1";
import type { Cluster } from "../cluster/cluster.ts";
import { managedLabel } from "../cluster/owners.ts";

/** The name of the Service, as in OLM. */
export const packageServiceName = "packageserver-service";
const API_SERVICE = "v1.packages.operators.coreos.com";

/** Where the server is. */
export interface PackagePlace {
  /** The namespace of the Service. */
  readonly namespace: string;
  /** The name or address at which the API server reaches it. */
  readonly host: string;
  readonly port: number;
  /** The authority of its certificate, as PEM. */
  readonly authority: string;
}

/** The names that the certificate of the server needs. */
export function packageServerNames(namespace: string): readonly string[] {
  const name = `${packageServiceName}.${namespace}`;
  return [name, `${name}.svc`, `${name}.svc.cluster.local`];
}

/** Creates or updates the objects. */
export async function registerPackageServer(place: PackagePlace, cluster: Cluster): Promise<void> {
  const { namespace, host, port, authority } = place;
  const metadata = { name: packageServiceName, namespace, labels: managedLabel };
  const ports = [{ name: "https", protocol: "TCP" as const, port, targetPort: port }];
  const isNamed = isIP(host) === 0 || isLoopback(host);
  const known = await cluster.get(Service, { namespace, name: packageServiceName });
  const isOther = (known?.spec?.type === "ExternalName") !== isNamed;
  if (known !== undefined && isOther) await cluster.remove(Service, { namespace, name: packageServiceName });
  // Endpoints cannot be addresses of the machine itself: a name leads there.
  const spec = isNamed ? { type: "ExternalName" as const, externalName: host } : { ports };
  await cluster.apply(Service, { metadata, spec }, MANAGER);
  if (!isNamed) await applySlice(place, cluster);
  const caBundle = Buffer.from(authority).toString("base64");
  const service = { namespace, name: packageServiceName, port };
  const api = {
    group: "packages.operators.coreos.com",
    version: "v1",
    groupPriorityMinimum: 2000,
    versionPriority: 15,
  };
  await cluster.apply(
    APIService,
    { metadata: { name: API_SERVICE, labels: managedLabel }, spec: { ...api, service, caBundle } },
    MANAGER,
  );
}

const MANAGER = "package-server";

function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

async function applySlice({ namespace, host, port }: PackagePlace, cluster: Cluster): Promise<void> {
  const labels = {
    ...managedLabel,
    "kubernetes.io/service-name": packageServiceName,
    "endpointslice.kubernetes.io/managed-by": MANAGER,
  };
  await cluster.apply(
    EndpointSlice,
    {
      metadata: { name: packageServiceName, namespace, labels },
      addressType: isIP(host) === 6 ? "IPv6" : "IPv4",
      endpoints: [{ addresses: [host], conditions: { ready: true } }],
      ports: [{ name: "https", protocol: "TCP", port }],
    },
    MANAGER,
  );
}

/** Removes the objects: an API without a server would stop the discovery of others and the deletion of namespaces. */
export async function unregisterPackageServer(namespace: string, cluster: Cluster): Promise<void> {
  await cluster.remove(APIService, { namespace: "", name: API_SERVICE });
  await cluster.remove(EndpointSlice, { namespace, name: packageServiceName });
  await cluster.remove(Service, { namespace, name: packageServiceName });
}
