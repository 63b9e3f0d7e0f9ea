/** EndpointSlice: endpoints of a service. */
import type { Endpoint, EndpointPort, EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  fieldErrors,
  isDeepEqual,
  type FieldError,
} from "@capstan/model";
import { checkLabels, checkObjectMetadata } from "../../metadata/check.ts";
import type { Draft } from "../draft.ts";
import {
  checkLabelName,
  checkOneOf,
  checkQualified,
  checkSamePointer,
  checkSubdomain,
  invalidEach,
  requireOneOf,
} from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { ipFamilyOf } from "../meta/ip-address.ts";
import { checkEndpointIp, checkIp, ipWarnings } from "../meta/ip-checks.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import { listCell } from "./list-cell.ts";
import { occursBefore } from "../occurs-before.ts";

const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20_000;
const maxHints = 8;
const managedBy = "endpointslice.kubernetes.io/managed-by";
const controllers = new Set(["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"]);

export const endpointSlice: KindRules<EndpointSlice> = defineRules<EndpointSlice>({
  validatesMetadata: true,
  defaults({ ports }) {
    for (const port of ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  prepareForCreate(draft) {
    startGeneration(draft);
    dropTopology(draft);
  },
  prepareForUpdate(draft, old) {
    bumpGeneration(draft, old, ["addressType", "endpoints", "ports"]);
    if (!isDeepEqual(draft.metadata.labels ?? {}, old.metadata.labels ?? {})) {
      draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
    if (!isDeepEqual(draft.endpoints, old.endpoints)) dropTopology(draft);
  },
  validateCreate: (object) => checkSlice(object),
  validateUpdate: (object, old) => [
    ...checkSlice(object, old),
    ...checkSamePointer(object.addressType, old.addressType, "addressType"),
  ],
  warnings: (object, old) => [
    ...(old === undefined && object.addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
    ...(controllers.has(object.metadata.labels?.[managedBy] ?? "") ? [] : addressWarnings(object)),
  ],
  table: {
    row: (object, now) => {
      const { metadata, addressType, ports, endpoints } = object;
      const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
      const numbers = (ports ?? []).map(({ port, name }) => String(port ?? name ?? "*"));
      return { cells: [metadata.name, addressType, listCell(numbers), listCell(addresses), ageOf(object, now)] };
    },
  },
});

/** Drops deprecatedTopology, which belongs to a version that is no longer served. */
function dropTopology({ endpoints }: Draft<EndpointSlice>): void {
  for (const endpoint of endpoints ?? []) delete endpoint.deprecatedTopology;
}

function addressWarnings({ endpoints }: EndpointSlice): string[] {
  return (endpoints ?? []).flatMap(({ addresses }, index) =>
    (addresses ?? []).flatMap((address, at) => ipWarnings(address, `endpoints[${index}].addresses[${at}]`)),
  );
}

function checkSlice(object: EndpointSlice, old?: EndpointSlice): FieldError[] {
  const { addressType, ports, endpoints } = object;
  const isKept = old !== undefined && isDeepEqual(old.endpoints, endpoints);
  return [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...requireOneOf(addressType, "addressType", ["FQDN", "IPv4", "IPv6"]),
    ...checkPorts(ports ?? []),
    ...(isKept ? [] : checkEndpoints(endpoints ?? [], addressType)),
  ];
}

function checkPorts(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > maxPorts) return [fieldErrors.tooMany("ports", ports.length, maxPorts)];
  const names = ports.map(({ name = "" }) => name);
  return ports.flatMap(({ name = "", protocol, appProtocol }, index) => {
    const path = `ports[${index}]`;
    return [
      ...(name === "" ? [] : checkLabelName(name, `${path}.name`)),
      ...(occursBefore(names, index) ? [fieldErrors.duplicate(`${path}.name`, name)] : []),
      ...checkOneOf(protocol, `${path}.protocol`, ["SCTP", "TCP", "UDP"]),
      ...(appProtocol === undefined ? [] : checkQualified(appProtocol, `${path}.appProtocol`)),
    ];
  });
}

function checkEndpoints(endpoints: readonly Endpoint[], type: string): FieldError[] {
  if (endpoints.length > maxEndpoints) return [fieldErrors.tooMany("endpoints", endpoints.length, maxEndpoints)];
  return endpoints.flatMap((endpoint, index) => checkEndpoint(endpoint, `endpoints[${index}]`, type));
}

function checkEndpoint(endpoint: Endpoint, path: string, type: string): FieldError[] {
  const { nodeName, hostname, hints, deprecatedTopology } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const at = `${path}.addresses`;
  return [
    ...(addresses.length === 0 ? [fieldErrors.required(at, "must contain at least 1 address")] : []),
    ...(addresses.length > maxAddresses ? [fieldErrors.tooMany(at, addresses.length, maxAddresses)] : []),
    ...addresses.flatMap((address, index) => checkAddress(address, { path: at, index, type })),
    ...(nodeName === undefined ? [] : checkSubdomain(nodeName, `${path}.nodeName`)),
    ...checkLabels(deprecatedTopology, `${path}.deprecatedTopology`),
    ...(hostname === undefined ? [] : checkLabelName(hostname, `${path}.hostname`)),
    ...(hints === undefined ? [] : checkHints(hints, `${path}.hints`)),
  ];
}

interface AddressPlace {
  /** The path of the list: some errors name the list, not the address. */
  readonly path: string;
  readonly index: number;
  readonly type: string;
}

function checkAddress(address: string, { path, index, type }: AddressPlace): FieldError[] {
  const at = `${path}[${index}]`;
  if (type === "FQDN") return checkDomain(address, at);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const malformed = type === "IPv4" ? checkIp(address, at) : checkStrictIp(address, at);
  if (malformed.length > 0) return malformed;
  return [
    ...(ipFamilyOf(address) === type ? [] : [fieldErrors.invalid(path, address, `must be an ${type} address`)]),
    ...checkEndpointIp(address, at),
  ];
}

/** Requires the canonical form of an address. */
function checkStrictIp(address: string, path: string): FieldError[] {
  const errors = checkIp(address, path);
  if (errors.length > 0) return errors;
  const [warning] = ipWarnings(address, path);
  const canonical = warning === undefined ? undefined : /"([^"]*)"\)$/.exec(warning)?.[1];
  if (canonical === undefined) return [];
  return [fieldErrors.invalid(path, address, `must be in canonical form ("${canonical}")`)];
}

function checkDomain(name: string, path: string): FieldError[] {
  if (name === "") return [fieldErrors.required(path)];
  const domain = name.endsWith(".") ? name.slice(0, -1) : name;
  const problems = checkDns1123Subdomain(domain);
  if (problems.length > 0) return [fieldErrors.invalid(path, domain, problems.join(","))];
  const labels = domain.split(".");
  if (labels.length < 2) {
    return [fieldErrors.invalid(path, domain, "should be a domain with at least two segments separated by dots")];
  }
  const bad = labels.find((label) => checkDns1123Label(label).length > 0);
  return bad === undefined ? [] : [fieldErrors.invalid(path, bad, checkDns1123Label(bad).join(","))];
}

function checkHints({ forZones = [], forNodes = [] }: NonNullable<Endpoint["hints"]>, path: string): FieldError[] {
  if (forZones.length > maxHints) return [fieldErrors.tooMany(`${path}.forZones`, forZones.length, maxHints)];
  const zones = checkNames(forZones, `${path}.forZones`, checkLabelValue);
  if (forNodes.length > maxHints) {
    return [...zones, fieldErrors.tooMany(`${path}.forNodes`, forNodes.length, maxHints)];
  }
  return [...zones, ...checkNames(forNodes, `${path}.forNodes`, checkDns1123Subdomain)];
}

function checkNames(
  items: readonly { readonly name: string }[],
  path: string,
  check: (name: string) => readonly string[],
): FieldError[] {
  const names = items.map(({ name }) => name);
  return names.flatMap((name, index) => [
    ...(occursBefore(names, index) ? [fieldErrors.duplicate(`${path}[${index}].name`, name)] : []),
    ...invalidEach(`${path}[${index}].name`, name, check(name)),
  ]);
}
