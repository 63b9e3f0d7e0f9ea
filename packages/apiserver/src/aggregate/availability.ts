/** Finds out whether the server behind an API service answers: its service, its endpoints, and its discovery document. */
import type { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Service } from "@capstan/kinds/v1";
import type { Lookup } from "../builtin/context.ts";
import { OutgoingError } from "../outgoing/outgoing.ts";
import { portOf, type RemoteService } from "./api-service.ts";
import { callRemote, type RemoteParts } from "./remote-call.ts";

/** What was found. */
export interface Finding {
  readonly isAvailable: boolean;
  readonly reason: string;
  readonly message: string;
  /** The discovery document of the group at the version. */
  readonly resources?: unknown;
}

/** What is in the way before any call is made; `undefined` when nothing is. */
export function obstacleOf(service: RemoteService, lookup: Lookup): Finding | undefined {
  const { namespace, name } = service.spec.service;
  const place = `service/${name} in "${namespace}"`;
  const found = lookup.get("services", name, namespace) as Service | undefined;
  if (found === undefined) return missing("ServiceNotFound", `${place} is not present`);
  if ((found.spec?.type ?? "ClusterIP") !== "ClusterIP") return undefined;
  const port = found.spec?.ports?.find((one) => one.port === portOf(service));
  if (port === undefined) return missing("ServicePortError", `${place} is not listening on port ${portOf(service)}`);
  const slices = slicesOf(namespace, name, lookup);
  if (slices.length === 0) return missing("EndpointsNotFound", `cannot find endpointslices for ${place}`);
  if (slices.some((slice) => hasEndpoint(slice, port.name ?? ""))) return undefined;
  return missing(
    "MissingEndpoints",
    `endpointslices for ${place} have no addresses with port name "${port.name ?? ""}"`,
  );
}

function missing(reason: string, message: string): Finding {
  return { isAvailable: false, reason, message };
}

function slicesOf(namespace: string, name: string, lookup: Lookup): readonly EndpointSlice[] {
  const all = lookup.list("endpointslices.discovery.k8s.io", namespace) as readonly EndpointSlice[];
  return all.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);
}

function hasEndpoint({ endpoints, ports = [] }: EndpointSlice, portName: string): boolean {
  const isReady = (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);
  return isReady && ports.some(({ name = "", port }) => name === portName && port !== undefined);
}

const aggregator = { name: "system:kube-aggregator", groups: ["system:masters"] };

/** Asks the other server for its discovery document. */
export async function probe(service: RemoteService, parts: RemoteParts): Promise<Finding> {
  const { group = "", version = "" } = service.spec;
  const path = `/apis/${group}/${version}`;
  try {
    const request = { method: "GET", path, user: aggregator, headers: { accept: "application/json" } };
    const { status, body } = await callRemote(service, request, parts);
    if (status < 200 || status >= 300)
      return failed(service, path, `bad status from ${addressOf(service, path)}: ${status}`);
    return { isAvailable: true, reason: "Passed", message: "all checks passed", resources: parse(body) };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    if (error.code === "Unresolved") return missing("FailedDiscoveryCheck", error.message);
    return failed(service, path, `Get "${addressOf(service, path)}": ${error.message}`);
  }
}

function failed(service: RemoteService, path: string, why: string): Finding {
  return missing("FailedDiscoveryCheck", `failing or missing response from ${addressOf(service, path)}: ${why}`);
}

function addressOf(service: RemoteService, path: string): string {
  const { name, namespace } = service.spec.service;
  return `https://${name}.${namespace}.svc:${portOf(service)}${path}`;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}
