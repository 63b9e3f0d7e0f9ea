/** The DNS zone of a cluster: services, their ports, the pods of headless services. From objects to records, pure. */
import type { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Service } from "@capstan/kinds/v1";
import { formatIpv6, types, type DnsRecord, type Reply } from "./message.ts";

/** All records by name. */
export type Zone = ReadonlyMap<string, readonly DnsRecord[]>;

/** The records of a cluster with this domain. */
export function zoneOf(services: readonly Service[], slices: readonly EndpointSlice[], domain: string): Zone {
  const zone = new Map<string, DnsRecord[]>();
  const add = (record: DnsRecord): void => {
    const known = zone.get(record.name);
    if (known === undefined) zone.set(record.name, [record]);
    else if (!known.some((one) => JSON.stringify(one) === JSON.stringify(record))) known.push(record);
  };
  for (const name of [`svc.${domain}`, `pod.${domain}`]) zone.set(name, []);
  zone.set(domain, [authorityOf(domain)]);
  add({ name: `dns-version.${domain}`, type: "TXT", text: "1.1.0" });
  for (const service of services) {
    const { name, namespace } = service.metadata;
    const own = slices.filter(
      ({ metadata }) => metadata.namespace === namespace && metadata.labels?.["kubernetes.io/service-name"] === name,
    );
    zone.set(`${namespace}.svc.${domain}`, zone.get(`${namespace}.svc.${domain}`) ?? []);
    for (const record of recordsOf(service, own, `${name}.${namespace}.svc.${domain}`)) add(record);
  }
  return zone;
}

function recordsOf({ spec }: Service, slices: readonly EndpointSlice[], name: string): readonly DnsRecord[] {
  if (spec?.type === "ExternalName") return [{ name, type: "CNAME", target: spec.externalName ?? "" }];
  if (spec?.clusterIP === undefined || spec.clusterIP === "") return [];
  if (spec.clusterIP === "None")
    return slices.flatMap((slice) => headlessRecords(slice, name, spec.publishNotReadyAddresses === true));
  const addresses = (spec.clusterIPs ?? [spec.clusterIP]).flatMap((address) => [
    addressRecord(name, address),
    { name: reverseName(address), type: "PTR", target: name } as const,
  ]);
  const ports = (spec.ports ?? []).flatMap((port) =>
    portRecord({ name, portName: port.name, protocol: port.protocol, port: port.port, target: name }),
  );
  return [...addresses, ...ports];
}

/** Each endpoint of a headless service has its own name. */
function headlessRecords(slice: EndpointSlice, name: string, evenUnready: boolean): readonly DnsRecord[] {
  const endpoints = (slice.endpoints ?? []).filter(({ conditions }) => evenUnready || conditions?.ready !== false);
  return endpoints.flatMap(({ addresses, hostname }) =>
    addresses.flatMap((address) => {
      const own = `${hostname ?? address.replaceAll(/[.:]/g, "-")}.${name}`;
      const ports = (slice.ports ?? []).flatMap((port) =>
        port.port === undefined
          ? []
          : portRecord({ name, portName: port.name, protocol: port.protocol, port: port.port, target: own }),
      );
      const reverse: DnsRecord = { name: reverseName(address), type: "PTR", target: own };
      return [addressRecord(name, address), addressRecord(own, address), reverse, ...ports];
    }),
  );
}

interface PortRecord {
  readonly name: string;
  readonly portName: string | undefined;
  readonly protocol: string | undefined;
  readonly port: number;
  readonly target: string;
}

function portRecord({ name, portName, protocol = "TCP", port, target }: PortRecord): readonly DnsRecord[] {
  const under = (own: string): DnsRecord => ({ name: own, type: "SRV", port, weight: 100, target });
  if (portName === undefined || portName === "") return [under(name)];
  return [under(name), under(`_${portName}._${protocol.toLowerCase()}.${name}`)];
}

function addressRecord(name: string, address: string): DnsRecord {
  return address.includes(":") ? { name, type: "AAAA", address } : { name, type: "A", address };
}

function reverseName(address: string): string {
  if (address.includes(":")) return `${formatIpv6(address).toString("hex").split("").reverse().join(".")}.ip6.arpa`;
  return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
}

/** Looks a name up in the zone; `undefined` for an external name. */
export function lookUp(
  zone: Zone,
  domain: string,
  { name, type }: { readonly name: string; readonly type: number },
): Reply | undefined {
  const records = zone.get(name) ?? podRecords(name, domain);
  const isOurs = name === domain || name.endsWith(`.${domain}`);
  if (records === undefined) {
    if (!isOurs) return undefined;
    // A name with other names below it exists, even without records.
    const hasBelow = zone.keys().some((known) => known.endsWith(`.${name}`));
    return { code: hasBelow ? "ok" : "no such name", ...nothing(domain) };
  }
  const own = shared(records.filter((record) => types[record.type] === type || record.type === "CNAME"));
  if (own.length === 0) return { code: "ok", ...nothing(domain) };
  const answers = [...own, ...own.flatMap((record) => behindAlias(zone, record, type))];
  const additional = answers.flatMap((record) =>
    record.type === "SRV"
      ? (zone.get(record.target) ?? []).filter((one) => one.type === "A" || one.type === "AAAA")
      : [],
  );
  return { code: "ok", isFinal: true, answers, authority: [], additional };
}

/** SRV records of one response share the weight. */
function shared(records: readonly DnsRecord[]): readonly DnsRecord[] {
  const weight = Math.max(1, Math.floor(100 / records.filter(({ type }) => type === "SRV").length));
  return records.map((record) => (record.type === "SRV" ? { ...record, weight } : record));
}

/** The SOA record of the cluster domain, as cluster DNS servers return it. */
function authorityOf(domain: string): DnsRecord {
  return { name: domain, type: "SOA", server: `ns.dns.${domain}`, mailbox: `hostmaster.${domain}` };
}

function nothing(domain: string): Omit<Reply, "code"> {
  return { isFinal: true, answers: [], authority: [authorityOf(domain)], additional: [] };
}

/** A CNAME is returned with the records of its target, as far as the zone has them, because clients ask for addresses. */
function behindAlias(zone: Zone, record: DnsRecord, type: number, depth = 0): readonly DnsRecord[] {
  if (record.type !== "CNAME" || type === types.CNAME || depth === longestChain) return [];
  const found = (zone.get(record.target) ?? []).filter((one) => types[one.type] === type || one.type === "CNAME");
  return [...found, ...found.flatMap((one) => behindAlias(zone, one, type, depth + 1))];
}

const longestChain = 8;

/** `10-1-2-3.namespace.pod.domain` encodes its own address. */
function podRecords(name: string, domain: string): readonly DnsRecord[] | undefined {
  const suffix = `.pod.${domain}`;
  if (!name.endsWith(suffix)) return undefined;
  const match = /^(\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3})\.[^.]+$/.exec(name.slice(0, -suffix.length));
  return match === null ? undefined : [{ name, type: "A", address: (match[1] ?? "").replaceAll("-", ".") }];
}
