/** Checks the availability of the server behind an APIService: its Service, its endpoints, and its discovery document. */
import type { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { Service } from "@capstan/kinds/v1";
import type { Lookup } from "../builtin/context.ts";
import type { Clock } from "../clock.ts";
import { OutgoingError } from "../outgoing/outgoing.ts";
import { portOf, type RemoteService } from "./api-service.ts";
import { callRemote, type RemoteParts } from "./remote-call.ts";

/** The result of a check. */
export interface Finding {
  readonly isAvailable: boolean;
  readonly reason: string;
  readonly message: string;
  /** The discovery document of the group version. */
  readonly resources?: unknown;
}

/** The reason why no call is possible; `undefined` if a call can be made. */
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

/** Timeout of a probe, as in kube-aggregator. */
const patience = 5_000;

export interface ProbeParts extends RemoteParts {
  readonly clock: Pick<Clock, "later">;
}

/** Requests the discovery document of the other server. A server that does not respond in time is unavailable. */
export async function probe(service: RemoteService, { clock, ...parts }: ProbeParts): Promise<Finding> {
  const late = new AbortController();
  const { promise, resolve } = Promise.withResolvers<Finding>();
  const timer = clock.later(patience, () => {
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
