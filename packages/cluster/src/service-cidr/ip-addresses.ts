/** Maintains an IPAddress object for every service address. */
import { isApiError } from "@capstan/client";
import { IPAddress, ServiceCIDR } from "@capstan/kinds/networking.k8s.io/v1";
import { Service } from "@capstan/kinds/v1";
import { isIPv6 } from "node:net";
import { runInformer } from "../informer/informer.ts";
import { WorkQueue } from "../informer/work-queue.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";

/** The range from which the API server allocates addresses. */
const DEFAULT_RANGE = "10.0.0.0/24";
const options = { fieldManager: FIELD_MANAGER };

/** Creates the default range and watches services. */
export async function startServiceAddresses(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { api, client, clock, log } = context;
  const range = { metadata: { name: "kubernetes" }, spec: { cidrs: [DEFAULT_RANGE] } };
  await client.create(ServiceCIDR, range, options).catch(ignore("AlreadyExists"));
  const owners = new Map<string, Service>();
  const reconcile = (address: string): Promise<undefined> => syncAddress(context, address, owners.get(address));
  const queue = new WorkQueue({ name: "service addresses", clock, log, reconcile });
  const listener = {
    put(service: Service, old: Service | undefined): void {
      for (const address of addressesOf(old)) if (!addressesOf(service).includes(address)) forget(address, service);
      for (const address of addressesOf(service)) {
        if (owners.get(address)?.metadata.uid === service.metadata.uid) continue;
        owners.set(address, service);
        queue.add(address);
      }
    },
    removed(service: Service): void {
      for (const address of addressesOf(service)) forget(address, service);
    },
  };
  const forget = (address: string, { metadata: { uid } }: Service): void => {
    if (owners.get(address)?.metadata.uid !== uid) return;
    owners.delete(address);
    queue.add(address);
  };
  void runInformer<Service>({ api, kind: Service, clock, signal, listener });
  signal.addEventListener("abort", () => queue.stop(), { once: true });
}

function addressesOf(service: Service | undefined): readonly string[] {
  return (service?.spec?.clusterIPs ?? []).filter((address) => address !== "None" && address !== "");
}

async function syncAddress(
  { client }: ControllerContext,
  address: string,
  owner: Service | undefined,
): Promise<undefined> {
  if (owner === undefined) {
    await client.delete(IPAddress, { name: address }).catch(ignore("NotFound"));
    return;
  }
  const { namespace = "", name } = owner.metadata;
  const labels = {
    "ipaddress.kubernetes.io/ip-family": isIPv6(address) ? "IPv6" : "IPv4",
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
  };
  const spec = { parentRef: { group: "", resource: "services", namespace, name } };
  await client.create(IPAddress, { metadata: { name: address, labels }, spec }, options).catch(ignore("AlreadyExists"));
}

function ignore(reason: "AlreadyExists" | "NotFound"): (error: unknown) => undefined {
  return (error) => {
    if (!isApiError(error, reason)) throw error;
  };
}
