/** Endpoints: the addresses behind a service, in the old form. */
import type { EndpointAddress, EndpointPort, Endpoints, EndpointSubset } from "@capstan/kinds/v1";
import { checkDns1123Subdomain, checkPortNumber, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkLabelName, checkQualified, invalidEach, isEmpty } from "../meta/checks.ts";
import { checkEndpointIp, checkIp, ipWarnings } from "../meta/ip-checks.ts";
import { checkNamespaced } from "../meta/metadata.ts";
import { checkProtocol } from "../pod-template/container.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";

export const endpointsRules: KindRules<Endpoints> = defineRules<Endpoints>({
  createOnUpdate: true,
  defaults(draft) {
    for (const port of (draft.subsets ?? []).flatMap(({ ports = [] }) => ports)) {
      if (isEmpty(port.protocol)) port.protocol = "TCP";
    }
  },
  validateCreate: (endpoints) => [...checkSubsets(endpoints.subsets ?? [])],
  validateUpdate: (endpoints, old) => [
    ...checkNamespaced(endpoints),
    ...(isDeepEqual(endpoints.subsets, old.subsets) ? [] : checkSubsets(endpoints.subsets ?? [])),
  ],
  warnings: ({ metadata, subsets = [] }) =>
    metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller"
      ? []
      : subsets.flatMap((subset, index) => addressWarnings(subset, `subsets[${index}]`)),
  table: {
    row: (endpoints, now) => ({
      cells: [endpoints.metadata.name ?? "", endpointsCell(endpoints.subsets ?? []), ageOf(endpoints, now)],
    }),
  },
});

function addressWarnings(subset: EndpointSubset, path: string): string[] {
  return (["addresses", "notReadyAddresses"] as const).flatMap((field) =>
    (subset[field] ?? []).flatMap(({ ip }, index) => ipWarnings(ip, `${path}.${field}[${index}].ip`)),
  );
}

function checkSubsets(subsets: readonly EndpointSubset[]): FieldError[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const path = `subsets[${index}]`;
    return [
      ...(addresses.length + notReadyAddresses.length > 0
        ? []
        : [fieldErrors.required(path, "must specify `addresses` or `notReadyAddresses`")]),
      ...addresses.flatMap((address, at) => checkAddress(address, `${path}.addresses[${at}]`)),
      ...notReadyAddresses.flatMap((address, at) => checkAddress(address, `${path}.notReadyAddresses[${at}]`)),
      ...ports.flatMap((port, at) => checkEndpointPort(port, `${path}.ports[${at}]`, ports.length > 1)),
    ];
  });
}

function checkAddress({ ip, hostname, nodeName }: EndpointAddress, path: string): FieldError[] {
  return [
    ...checkIp(ip, `${path}.ip`),
    ...(isEmpty(hostname) ? [] : checkLabelName(hostname, `${path}.hostname`)),
    ...(nodeName === undefined ? [] : invalidEach(`${path}.nodeName`, nodeName, checkDns1123Subdomain(nodeName))),
    ...checkEndpointIp(ip, `${path}.ip`),
  ];
}

function checkEndpointPort(port: EndpointPort, path: string, needsName: boolean): FieldError[] {
  const { name = "", appProtocol } = port;
  return [
    ...(name === "" ? (needsName ? [fieldErrors.required(`${path}.name`)] : []) : checkLabelName(name, `${path}.name`)),
    ...invalidEach(`${path}.port`, port.port, checkPortNumber(port.port)),
    ...checkProtocol(port.protocol, `${path}.protocol`),
    ...(appProtocol === undefined ? [] : checkQualified(appProtocol, `${path}.appProtocol`)),
  ];
}

const shownAddresses = 3;

function endpointsCell(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip.includes(":") ? `[${ip}]` : ip}:${port}`)),
  );
  const shown = all.slice(0, shownAddresses).join(",");
  return all.length > shownAddresses ? `${shown} + ${all.length - shownAddresses} more...` : shown;
}
