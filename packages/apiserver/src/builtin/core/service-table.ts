/** Table rows of services. */
import type { Service, ServicePort } from "@capstan/kinds/v1";
import type { TableRow } from "../rules.ts";
import { ageOf, labelsCell, orNone } from "../table/cells.ts";
import { specOf } from "./service-shape.ts";

export function serviceRow(service: Service, now: number): TableRow {
  const { type = "", clusterIPs = [], ports = [], selector } = specOf(service);
  return {
    cells: [
      service.metadata.name ?? "",
      type,
      clusterIPs[0] ?? "<none>",
      externalCell(service),
      orNone(ports.map(portCell).join(",")),
      ageOf(service, now),
      labelsCell(selector),
    ],
  };
}

function portCell({ port, nodePort = 0, protocol }: ServicePort): string {
  return nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function externalCell(service: Service): string {
  const { type, externalIPs = [], externalName = "" } = specOf(service);
  switch (type) {
    case "ClusterIP":
    case "NodePort":
      return orNone(externalIPs.join(","));
    case "LoadBalancer":
      return [...balancerAddresses(service), ...externalIPs].join(",") || "<pending>";
    case "ExternalName":
      return externalName;
    default:
      return "<unknown>";
  }
}

function balancerAddresses({ status }: Service): string[] {
  const found = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || (hostname ?? ""));
  return [...new Set(found.filter((address) => address !== ""))].sort();
}
