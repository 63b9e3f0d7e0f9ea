/** The packet filter's rules for services: from Services and EndpointSlices to the text that nft reads. Pure. */
import { createHash } from "node:crypto";
import type { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Service, ServicePort } from "@capstan/kinds/v1";

/** Where a connection to a service may end. */
interface Backend {
  readonly ip: string;
  readonly port: number;
}

/** One port of one service, and who serves it. */
interface Target {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly nodePort: number | undefined;
  /** Seconds for which a client comes back to the same backend. */
  readonly affinity: number | undefined;
  readonly backends: readonly Backend[];
}

/** The rules of all services; what was there before is replaced at once. */
export function serviceRules(services: readonly Service[], slices: readonly EndpointSlice[]): string {
  const byService = groupSlices(slices);
  const targets = services.flatMap((service) => targetsOf(service, byService.get(keyOf(service)) ?? []));
  const served = targets.filter(({ backends }) => backends.length > 0);
  const dead = targets.filter(({ backends }) => backends.length === 0);
  return [
    "add table ip capstan-services",
    "delete table ip capstan-services",
    "table ip capstan-services {",
    ...served.flatMap(setsOf),
    ...served.flatMap(chainsOf),
    verdictMap("addresses", "ipv4_addr . inet_proto . inet_service", served.flatMap(addressElements)),
    verdictMap("node-ports", "inet_proto . inet_service", served.flatMap(nodePortElements)),
    elementSet("dead", "ipv4_addr . inet_proto . inet_service", dead.flatMap(deadElements)),
    elementSet("hairpins", "ipv4_addr . ipv4_addr", hairpins(served)),
    hooks,
    "}",
    "",
  ].join("\n");
}

const hooks = `  chain choose {
    ip daddr . meta l4proto . th dport vmap @addresses
    fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @node-ports
  }
  chain prerouting { type nat hook prerouting priority dstnat; policy accept; jump choose; }
  chain output { type nat hook output priority -100; policy accept; jump choose; }
  chain postrouting { type nat hook postrouting priority srcnat; policy accept; ct status dnat ip saddr . ip daddr @hairpins masquerade; }
  chain refuse {
    meta l4proto tcp ip daddr . meta l4proto . th dport @dead reject with tcp reset
    ip daddr . meta l4proto . th dport @dead reject
  }
  chain refuse-in { type filter hook prerouting priority -110; policy accept; jump refuse; }
  chain refuse-out { type filter hook output priority -110; policy accept; jump refuse; }`;

function keyOf({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function groupSlices(slices: readonly EndpointSlice[]): ReadonlyMap<string, EndpointSlice[]> {
  const groups = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const key = `${slice.metadata.namespace}/${slice.metadata.labels?.["kubernetes.io/service-name"] ?? ""}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [slice]);
    else group.push(slice);
  }
  return groups;
}

function targetsOf(service: Service, slices: readonly EndpointSlice[]): readonly Target[] {
  const { spec } = service;
  if (spec === undefined || spec.type === "ExternalName" || !isIpv4(spec.clusterIP)) return [];
  const addresses = [spec.clusterIP, ...(spec.externalIPs ?? []), ...balancerAddresses(service)].filter(isIpv4);
  const affinity =
    spec.sessionAffinity === "ClientIP" ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) : undefined;
  return (spec.ports ?? []).map((port) => ({
    name: `${keyOf(service)}:${port.name ?? ""}:${port.protocol ?? "TCP"}:${port.port}`,
    protocol: (port.protocol ?? "TCP").toLowerCase(),
    port: port.port,
    addresses: [...new Set(addresses)],
    nodePort: port.nodePort,
    affinity,
    backends: backendsOf(port, slices),
  }));
}

function balancerAddresses({ status }: Service): readonly string[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
}

function isIpv4(address: string | undefined): address is string {
  return address !== undefined && /^\d+\.\d+\.\d+\.\d+$/.test(address);
}

/** Ready endpoints; where there are none, those that still serve although they are about to end. */
function backendsOf(
  { name = "", protocol = "TCP" }: ServicePort,
  slices: readonly EndpointSlice[],
): readonly Backend[] {
  const found = slices
    .filter(({ addressType }) => addressType === "IPv4")
    .flatMap(({ endpoints = [], ports = [] }) => {
      const port = ports?.find((one) => (one.name ?? "") === name && (one.protocol ?? "TCP") === protocol)?.port;
      if (port === undefined) return [];
      return (endpoints ?? []).flatMap(({ addresses, conditions = {} }) =>
        addresses.map((ip) => ({ ip, port, ready: conditions.ready !== false, serving: conditions.serving === true })),
      );
    });
  const ready = found.filter((one) => one.ready);
  const usable = ready.length > 0 ? ready : found.filter((one) => one.serving);
  const unique = new Map(usable.map(({ ip, port }) => [`${ip}:${port}`, { ip, port }]));
  return [...unique.values()];
}

/** Names of chains are short and have no odd characters. */
function idOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function backendId({ name }: Target, { ip, port }: Backend): string {
  return idOf(`${name}/${ip}:${port}`);
}

function setsOf(target: Target): readonly string[] {
  const { affinity } = target;
  if (affinity === undefined) return [];
  return target.backends.map(
    (backend) =>
      `  set clients-${backendId(target, backend)} { type ipv4_addr; flags dynamic,timeout; timeout ${affinity}s; }`,
  );
}

/** A chain for each backend, and one that chooses among them: whoever came before goes where it went, others anywhere. */
function chainsOf(target: Target): readonly string[] {
  const { affinity, backends, protocol } = target;
  const ids = backends.map((backend) => backendId(target, backend));
  const ends = backends.map(({ ip, port }, index) => {
    const remember = affinity === undefined ? "" : `update @clients-${ids[index]} { ip saddr }; `;
    return `  chain to-${ids[index]} { ${remember}meta l4proto ${protocol} dnat to ${ip}:${port}; }`;
  });
  const again = affinity === undefined ? [] : ids.map((id) => `ip saddr @clients-${id} goto to-${id};`);
  const choices = ids.map((id, index) => `${index} : goto to-${id}`).join(", ");
  const choose = `numgen random mod ${ids.length} vmap { ${choices} };`;
  return [...ends, `  chain of-${idOf(target.name)} { ${[...again, choose].join(" ")} }`];
}

function addressElements({ name, addresses, protocol, port }: Target): readonly string[] {
  return addresses.map((address) => `${address} . ${protocol} . ${port} : goto of-${idOf(name)}`);
}

function nodePortElements({ name, nodePort, protocol }: Target): readonly string[] {
  return nodePort === undefined || nodePort === 0 ? [] : [`${protocol} . ${nodePort} : goto of-${idOf(name)}`];
}

function deadElements({ addresses, protocol, port }: Target): readonly string[] {
  return addresses.map((address) => `${address} . ${protocol} . ${port}`);
}

/** A pod that reaches itself through a service must not see its own address as the sender's. */
function hairpins(targets: readonly Target[]): readonly string[] {
  const ips = new Set(targets.flatMap(({ backends }) => backends.map(({ ip }) => ip)));
  return [...ips].map((ip) => `${ip} . ${ip}`);
}

function verdictMap(name: string, type: string, elements: readonly string[]): string {
  const unique = [...new Map(elements.map((element) => [element.split(" : ")[0], element])).values()];
  const list = unique.length === 0 ? "" : ` elements = { ${unique.join(", ")} };`;
  return `  map ${name} { type ${type} : verdict;${list} }`;
}

function elementSet(name: string, type: string, elements: readonly string[]): string {
  const list = elements.length === 0 ? "" : ` elements = { ${[...new Set(elements)].join(", ")} };`;
  return `  set ${name} { type ${type};${list} }`;
}
