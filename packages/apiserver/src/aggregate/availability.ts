/** Finds out whether the server behind an API service answers: its service, its endpoints, and its discovery document. */
import type { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Service } from "@capstan/kinds/v1";
import type { Lookup } from "../builtin/context.ts";
import type { Clock } from "../clock.ts";
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

/** How long the other server may take, as with kube-aggregator. */
const patience = 5_000;

/** What a probe needs. */
export interface ProbeParts extends RemoteParts {
  readonly clock: Pick<Clock, "after">;
}

/** Asks the other server for its discovery document. A server that does not answer in time is not available. */
export async function probe(service: RemoteService, { clock, ...parts }: ProbeParts): Promise<Finding> {
  const late = new AbortController();
  const { promise, resolve } = Promise.withResolvers<Finding>();
  const timer = clock.after(patience, () => {
    resolve(notReached(service, "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"));
    late.abort();
  });
  try {
    return await Promise.race([promise, ask(service, parts, late.signal)]);
  } finally {
    timer.cancel();
  }
}

async function ask(service: RemoteService, parts: RemoteParts, signal: AbortSignal): Promise<Finding> {
  const path = pathOf(service);
  try {
    const request = { method: "GET", path, user: aggregator, headers: { accept: "application/json" }, signal };
    const { status, body } = await callRemote(service, request, parts);
    if (status < 200 || status >= 300) return failed(service, `bad status from ${addressOf(service)}: ${status}`);
    return { isAvailable: true, reason: "Passed", message: "all checks passed", resources: parse(body) };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    if (error.code === "Unresolved") return missing("FailedDiscoveryCheck", error.message);
    return notReached(service, error.message);
  }
}

function notReached(service: RemoteService, why: string): Finding {
  return failed(service, `Get "${addressOf(service)}": ${why}`);
}

function failed(service: RemoteService, why: string): Finding {
  return missing("FailedDiscoveryCheck", `failing or missing response from ${addressOf(service)}: ${why}`);
}

function pathOf({ spec: { group = "", version = "" } }: RemoteService): string {
  return `/apis/${group}/${version}`;
}

function addressOf(service: RemoteService): string {
  const { name, namespace } = service.spec.service;
  return `https://${name}.${namespace}.svc:${portOf(service)}${pathOf(service)}`;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}
