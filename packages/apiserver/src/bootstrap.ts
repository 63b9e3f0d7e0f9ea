/** The objects of a new server: namespaces, default roles, priorities, and the Service of the server itself. */
import { cloneJson, formatTime, isDeepEqual, type KubeObject } from "@capstan/model";
import type { ServiceCIDR } from "@capstan/kinds/networking.k8s.io/v1";
import { defaultServiceNetwork } from "./builtin/core/address-pool.ts";
import type { AnyDraft } from "./builtin/draft.ts";
import type { Lookup, ResourceName, Writer } from "./builtin/context.ts";
import type { Clock } from "./clock.ts";
import { bootstrapText } from "./generated/bootstrap.ts";
import type { Randomness } from "./parts.ts";
import { serverAddressIn } from "./service-ranges.ts";

/** The sources of creation times and uids. */
export interface Maker {
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The objects of a new server, each with its resource. */
export function* bootstrapObjects(
  { clock, randomness }: Maker,
  serviceNetwork: string = defaultServiceNetwork,
): Generator<[ResourceName, KubeObject]> {
  const creationTimestamp = formatTime(clock.wall());
  for (const [resource, object] of recorded(creationTimestamp, serviceNetwork)) {
    if (selfResources.has(resource)) continue;
    yield [resource, { ...object, metadata: { ...object.metadata, uid: randomness.uuid(), creationTimestamp } }];
  }
  yield ["configmaps", tokenTracking(creationTimestamp, randomness.uuid())];
}

/** The common name of the certificate with which the server calls aggregated servers. */
export const frontProxy = "front-proxy-client";

type Certified = { readonly certificate: string };

/** Publishes the certificate authorities, so that aggregated servers can verify clients and the front proxy. */
export function publishAuthorities(
  { clock, randomness, lookup, writer }: Maker & { readonly lookup: Lookup; readonly writer: Writer },
  { clients, frontProxy: frontProxyAuthority }: { readonly clients: Certified; readonly frontProxy: Certified },
): void {
  const [name, namespace] = ["extension-apiserver-authentication", "kube-system"];
  const data = {
    "client-ca-file": clients.certificate,
    "requestheader-allowed-names": JSON.stringify([frontProxy]),
    "requestheader-client-ca-file": frontProxyAuthority.certificate,
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-uid-headers": "[]",
    "requestheader-username-headers": '["X-Remote-User"]',
  };
  const existing = lookup.get("configmaps", name, namespace);
  if (existing !== undefined) {
    writer.update("configmaps", { ...existing, data } as KubeObject);
    return;
  }
  const metadata = { name, namespace, uid: randomness.uuid(), creationTimestamp: formatTime(clock.wall()) };
  writer.create("configmaps", { kind: "ConfigMap", apiVersion: "v1", metadata, data } as KubeObject);
}

/** The objects as recorded from a kube-apiserver with the default service CIDR. */
function recorded(now: string, network: string): readonly [ResourceName, AnyDraft][] {
  const text = bootstrapText.replaceAll("{time}", now);
  return JSON.parse(network === defaultServiceNetwork ? text : inNetwork(text, network)) as [ResourceName, AnyDraft][];
}

/** Replaces the default service CIDR. It is an entry of a list in the recording, so two CIDRs (dual stack) fit in its place. */
function inNetwork(text: string, network: string): string {
  return text
    .replaceAll(`"${defaultServiceNetwork}"`, `"${network.replace(",", '","')}"`)
    .replaceAll(`"${serverAddressIn(defaultServiceNetwork)}"`, `"${serverAddressIn(network)}"`);
}

/** The service CIDRs with which the stored state was created; a restarted server cannot change them. */
export function serviceNetworkOf(lookup: Lookup): string {
  const kept = lookup.get("servicecidrs.networking.k8s.io", "kubernetes") as ServiceCIDR | undefined;
  return kept?.spec?.cidrs?.join(",") ?? defaultServiceNetwork;
}

/** The ConfigMap with the start of legacy service account token tracking. It has a date, so it is not part of the recording. */
function tokenTracking(now: string, uid: string): KubeObject {
  const object = {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: {
      name: "kube-apiserver-legacy-service-account-token-tracking",
      namespace: "kube-system",
      uid,
      creationTimestamp: now,
      managedFields: [
        {
          manager: "kube-apiserver",
          operation: "Update" as const,
          apiVersion: "v1",
          time: now,
          fieldsType: "FieldsV1" as const,
          fieldsV1: { "f:data": { ".": {}, "f:since": {} } },
        },
      ],
    },
    data: { since: now.slice(0, 10) },
  };
  return object;
}

/** The address at which clients inside the cluster reach the server. */
export interface Advertised {
  readonly address: string;
  readonly port: number;
}

/** Resources that contain the server's own address. */
const selfResources: ReadonlySet<ResourceName> = new Set(["services", "endpoints", "endpointslices.discovery.k8s.io"]);

interface Endpoint extends AnyDraft {
  spec?: { ports: { targetPort: number }[] };
  subsets?: { addresses: { ip: string }[]; ports: { port: number }[] }[];
  endpoints?: { addresses: string[] }[];
  ports?: { port: number }[];
}

/** Writes the address of the server into the Service `default/kubernetes` and its endpoints at every start. */
export function publishAddress(
  { clock, randomness, lookup, writer }: Maker & { readonly lookup: Lookup; readonly writer: Writer },
  advertised: Advertised,
): void {
  const now = formatTime(clock.wall());
  for (const [resource, object] of recorded(now, serviceNetworkOf(lookup))) {
    if (!selfResources.has(resource)) continue;
    const wanted = pointTo(object as Endpoint, advertised);
    const existing = lookup.get(resource, "kubernetes", "default");
    if (existing === undefined) {
      Object.assign(wanted.metadata, { uid: randomness.uuid(), creationTimestamp: now });
      writer.create(resource, wanted);
    } else {
      const updated = { ...cloneJson(existing), ...wanted, metadata: existing.metadata };
      if (!isDeepEqual(updated, existing)) writer.update(resource, updated);
    }
  }
}

function pointTo(object: Endpoint, { address, port }: Advertised): AnyDraft {
  for (const one of object.spec?.ports ?? []) one.targetPort = port;
  for (const subset of object.subsets ?? []) {
    for (const one of subset.addresses) one.ip = address;
    for (const one of subset.ports) one.port = port;
  }
  for (const one of object.endpoints ?? []) one.addresses = [address];
  for (const one of object.ports ?? []) one.port = port;
  return object;
}
