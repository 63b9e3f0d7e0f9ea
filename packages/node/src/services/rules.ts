/** The nftables rules for services: from Services and EndpointSlices to tables, and the text that changes them. Pure. */
import { createHash } from "node:crypto";
import type { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Service } from "@capstan/kinds/v1";
import { candidatesFor, localTo, nearTo, usable, type Backend } from "./backends.ts";
import { strayMark } from "./stray.ts";

/** One port of one service and its backends. */
interface Target {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly nodePort: number | undefined;
  /** The address of the only node that serves the port, with its own pods; `undefined` means all nodes. */
  readonly onlyAt: string | undefined;
  /** The session affinity in seconds. */
  readonly affinity: number | undefined;
  readonly backends: readonly Backend[];
  /** Different backends for clients of particular nodes. */
  readonly views: readonly View[];
}

/** A service as the clients of one node see it. */
interface View {
  /** The addresses of the node and of its pods. */
  readonly sources: readonly string[];
  readonly target: Target;
}

/** The content of the nftables table. */
export interface RuleSet {
  /** Sets by name: they hold the clients with session affinity as long as the set exists. */
  readonly sets: ReadonlyMap<string, string>;
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** Elements by table and key; those of sets have no value. */
  readonly elements: { readonly [table in ElementTable]: ReadonlyMap<string, string> };
  /** The conntrack marks of the UDP backends. */
  readonly marks: ReadonlySet<number>;
}

/** The tables that decide about a packet: a service, a node port, drop, or hairpin. */
export type ElementTable = "addresses" | "node-ports" | "local-ports" | "dead" | "hairpins";

/** The addresses and the zone of a node: a service may prefer backends on the node or near the client. */
export interface NodePlace {
  readonly address: string;
  /** The range of its pod addresses. */
  readonly pods: string;
  /** Empty if the node has no zone. */
  readonly zone: string;
}

/** Nodes by name. */
export type NodePlaces = ReadonlyMap<string, NodePlace>;

/** The rules of all services. */
export function serviceRules(
  services: readonly Service[],
  slices: readonly EndpointSlice[],
  nodes: NodePlaces = new Map(),
): RuleSet {
  const byService = groupSlices(slices);
  const asked = services.flatMap((service) => targetsOf(service, byService.get(keyOf(service)) ?? [], nodes));
  const all = [...asked, ...asked.flatMap(({ views }) => views.map(({ target }) => target))];
  const served = all.filter(({ backends }) => backends.length > 0);
  const dead = all.filter(({ backends }) => backends.length === 0);
  return {
    sets: new Map(served.flatMap(setsOf)),
    chains: new Map(served.flatMap(chainsOf)),
    elements: {
      addresses: new Map(served.flatMap(addressElements)),
      "node-ports": new Map(served.flatMap(nodePortElements)),
      "local-ports": new Map(all.flatMap(localPortElements)),
      dead: new Map(dead.flatMap(deadElements)),
      hairpins: new Map(hairpins(served)),
    },
    marks: new Set(served.flatMap((target) => target.backends.flatMap((backend) => markOf(target, backend) ?? []))),
  };
}

const types: { readonly [table in ElementTable]: string } = {
  addresses: "ipv4_addr . inet_proto . inet_service : verdict",
  "node-ports": "inet_proto . inet_service : verdict",
  "local-ports": "ipv4_addr . inet_proto . inet_service : verdict",
  dead: "ipv4_addr . inet_proto . inet_service",
  hairpins: "ipv4_addr . ipv4_addr",
};
const tables = Object.keys(types) as ElementTable[];
const table = "ip capstan-services";

/** The text that changes nftables from one set of rules to another; unchanged parts are not touched. */
export function formatChange(before: RuleSet | undefined, after: RuleSet): string {
  return before === undefined ? formatAll(after) : formatDifference(before, after);
}

function formatAll({ sets, chains, elements }: RuleSet): string {
  return [
    `add table ${table}`,
    `delete table ${table}`,
    `table ${table} {`,
    ...[...sets].map(([name, spec]) => `  set ${name} { ${spec} }`),
    ...[...chains].map(([name, rules]) => `  chain ${name} { ${rules.join("; ")}; }`),
    ...tables.map((name) => {
      const items = [...elements[name]].map(formatElement);
      const kind = types[name].endsWith("verdict") ? "map" : "set";
      return `  ${kind} ${name} { type ${types[name]};${items.length === 0 ? "" : ` elements = { ${items.join(", ")} };`} }`;
    }),
    hooks,
    "}",
    "",
  ].join("\n");
}

function formatElement([key, value]: readonly [string, string]): string {
  return value === "" ? key : `${key} : ${value}`;
}

/** First new chains, then the elements that lead to them, finally the removal of unreferenced chains. */
function formatDifference(before: RuleSet, after: RuleSet): string {
  const isChanged = ([name, rules]: readonly [string, readonly string[]]): boolean =>
    before.chains.get(name)?.join() !== rules.join();
  const fresh = [...after.chains].filter(isChanged);
  const lines = [
    ...[...after.sets].filter(([name, spec]) => before.sets.get(name) !== spec).map(addSet),
    ...fresh.map(([name]) => `add chain ${table} ${name}`),
    ...fresh.flatMap(([name, rules]) => [
      `flush chain ${table} ${name}`,
      ...rules.map((rule) => `add rule ${table} ${name} ${rule}`),
    ]),
    ...tables.flatMap((name) => elementChanges(name, before.elements[name], after.elements[name])),
    ...missing(before.chains, after.chains).map((name) => `flush chain ${table} ${name}`),
    ...missing(before.chains, after.chains).map((name) => `delete chain ${table} ${name}`),
    ...missing(before.sets, after.sets).map((name) => `delete set ${table} ${name}`),
  ];
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function addSet([name, spec]: readonly [string, string]): string {
  return `add set ${table} ${name} { ${spec} }`;
}

function missing(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): readonly string[] {
  return [...before.keys()].filter((name) => !after.has(name));
}

function elementChanges(
  name: ElementTable,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const gone = [...before.keys()].filter((key) => after.get(key) !== before.get(key));
  const come = [...after].filter(([key, value]) => before.get(key) !== value);
  return [
    ...(gone.length === 0 ? [] : [`delete element ${table} ${name} { ${gone.join(", ")} }`]),
    ...(come.length === 0 ? [] : [`add element ${table} ${name} { ${come.map(formatElement).join(", ")} }`]),
  ];
}

const hooks = `  chain choose {
    ip daddr . meta l4proto . th dport vmap @addresses
    ip daddr . meta l4proto . th dport vmap @local-ports
    fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @node-ports
    meta l4proto udp ct mark set ${strayMark}
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

function targetsOf(service: Service, slices: readonly EndpointSlice[], nodes: NodePlaces): readonly Target[] {
  const { spec } = service;
  if (spec === undefined || spec.type === "ExternalName" || !isIpv4(spec.clusterIP)) return [];
  const affinity =
    spec.sessionAffinity === "ClientIP" ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) : undefined;
  const isLocal = spec.externalTrafficPolicy === "Local" && nodes.size > 0;
  const addresses = [spec.clusterIP, ...(spec.externalIPs ?? []), ...balancerAddresses(service)].filter(isIpv4);
  return (spec.ports ?? []).flatMap((port): Target[] => {
    const candidates = candidatesFor(port, slices);
    const common: Target = {
      name: `${keyOf(service)}:${port.name ?? ""}:${port.protocol ?? "TCP"}:${port.port}`,
      protocol: (port.protocol ?? "TCP").toLowerCase(),
      port: port.port,
      affinity,
      addresses: [],
      nodePort: undefined,
      onlyAt: undefined,
      backends: usable(candidates),
      views: [],
    };
    const usual: Target = {
      ...common,
      addresses: [...new Set(addresses)],
      nodePort: isLocal ? undefined : port.nodePort,
      views: viewsOf(common, { service, candidates, nodes }),
    };
    if (!isLocal) return [usual];
    const ofNodes = Array.from(nodes, ([name, { address }]): Target => {
      const backends = localTo(candidates, { name });
      return { ...common, name: `${common.name}@${name}`, nodePort: port.nodePort, onlyAt: address, backends };
    });
    return [usual, ...ofNodes];
  });
}

interface Seen {
  readonly service: Service;
  readonly candidates: ReturnType<typeof candidatesFor>;
  readonly nodes: NodePlaces;
}

/** If nodes have different backends, each node has its own view. */
function viewsOf(common: Target, { service, candidates, nodes }: Seen): readonly View[] {
  const isLocal = service.spec?.internalTrafficPolicy === "Local";
  const views = Array.from(nodes, ([name, { address, pods, zone }]): View => {
    const backends = isLocal ? localTo(candidates, { name }) : nearTo(candidates, { name, zone });
    return { sources: [pods, address], target: { ...common, name: `${common.name}<${name}`, backends } };
  });
  const isSame = views.every(({ target }) => target.backends.length === common.backends.length);
  return isSame ? [] : views;
}

function balancerAddresses({ status }: Service): readonly string[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
}

function isIpv4(address: string | undefined): address is string {
  return address !== undefined && /^\d+\.\d+\.\d+\.\d+$/.test(address);
}

/** Chain names must be short and without special characters. */
function idOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function backendId({ name }: Target, { ip, port }: Backend): string {
  return idOf(`${name}/${ip}:${port}`);
}

/** Only UDP needs marks: the kernel cannot detect that a UDP backend is gone. */
function markOf(target: Target, backend: Backend): number | undefined {
  return target.protocol === "udp" ? Number.parseInt(backendId(target, backend).slice(0, 8), 16) : undefined;
}

type Entry = readonly [string, string];

function setsOf(target: Target): readonly Entry[] {
  const { affinity } = target;
  if (affinity === undefined) return [];
  const spec = `type ipv4_addr; flags dynamic,timeout; timeout ${affinity}s;`;
  return target.backends.map((backend): Entry => [`clients-${backendId(target, backend)}-${affinity}`, spec]);
}

/** A chain for each backend, and one that selects among them: clients with session affinity go to their backend, others to a random one. */
function chainsOf(target: Target): readonly (readonly [string, readonly string[]])[] {
  const { affinity, backends, protocol } = target;
  const ids = backends.map((backend) => backendId(target, backend));
  const ends = backends.map(({ ip, port }, index): readonly [string, readonly string[]] => {
    const remember = affinity === undefined ? "" : `update @clients-${ids[index]}-${affinity} { ip saddr } `;
    const mark = markOf(target, { ip, port });
    const marked = mark === undefined ? "" : `ct mark set ${mark} `;
    return [`to-${ids[index]}`, [`${remember}${marked}meta l4proto ${protocol} dnat to ${ip}:${port}`]];
  });
  const again = affinity === undefined ? [] : ids.map((id) => `ip saddr @clients-${id}-${affinity} goto to-${id}`);
  const choices = ids.map((id, index) => `${index} : goto to-${id}`).join(", ");
  const choose = [...target.views.map(viewRule), ...again, `numgen random mod ${ids.length} vmap { ${choices} }`];
  return [...ends, [`of-${idOf(target.name)}`, choose]];
}

/** Packets from a node without backends are dropped. */
function viewRule({ sources, target: { name, backends } }: View): string {
  const verdict = backends.length === 0 ? "drop" : `goto of-${idOf(name)}`;
  return `ip saddr { ${sources.join(", ")} } ${verdict}`;
}

function addressElements({ name, addresses, protocol, port }: Target): readonly Entry[] {
  return addresses.map((address): Entry => [`${address} . ${protocol} . ${port}`, `goto of-${idOf(name)}`]);
}

function nodePortElements({ name, nodePort = 0, protocol, onlyAt }: Target): readonly Entry[] {
  return nodePort === 0 || onlyAt !== undefined ? [] : [[`${protocol} . ${nodePort}`, `goto of-${idOf(name)}`]];
}

/** A node without local backends drops packets to such a port. */
function localPortElements({ name, nodePort = 0, protocol, onlyAt, backends }: Target): readonly Entry[] {
  if (nodePort === 0 || onlyAt === undefined) return [];
  return [[`${onlyAt} . ${protocol} . ${nodePort}`, backends.length === 0 ? "drop" : `goto of-${idOf(name)}`]];
}

function deadElements({ addresses, protocol, port, onlyAt }: Target): readonly Entry[] {
  return onlyAt === undefined ? addresses.map((address): Entry => [`${address} . ${protocol} . ${port}`, ""]) : [];
}

/** A pod that reaches itself through a service must not see its own address as the source. */
function hairpins(targets: readonly Target[]): readonly Entry[] {
  const ips = new Set(targets.flatMap(({ backends }) => backends.map(({ ip }) => ip)));
  return [...ips].map((ip): Entry => [`${ip} . ${ip}`, ""]);
}
