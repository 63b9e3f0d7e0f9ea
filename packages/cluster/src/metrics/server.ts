/** The metrics server: an aggregated API that runs in process and measures on request. */
import type { OutgoingAnswer, OutgoingCall } from "@capstan/apiserver";
import { isApiError } from "@capstan/client";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Node, Pod, Service } from "@capstan/kinds/v1";
import type { RunningNode } from "@capstan/node";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { metricsResponse } from "./api.ts";
import type { Window } from "./api.ts";
import { takeSample } from "./summary.ts";
import type { Sample } from "./summary.ts";

const namespace = "kube-system";
const name = "metrics-server";
const host = `${name}.${namespace}.svc`;
const labels = { "k8s-app": name };

/** Handles calls to the metrics server. */
export interface MetricsServer {
  /** Whether a call is for the metrics server. */
  handles(call: OutgoingCall): boolean;
  answer(call: OutgoingCall): Promise<OutgoingAnswer>;
  /** Registers the API and measures these nodes from now on. */
  open(context: ControllerContext, nodes: readonly RunningNode[]): Promise<void>;
}

/** The shortest and longest distance of two samples, in milliseconds. */
const MIN_WINDOW = 1000;
const MAX_WINDOW = 60_000;

/** A metrics server without nodes. */
export function metricsServer(): MetricsServer {
  let measure: ((url: URL) => Promise<object | undefined>) | undefined;
  return {
    handles: ({ url }) => new URL(url).hostname === host,
    async answer({ url }) {
      const body = await measure?.(new URL(url));
      return body === undefined ? toResponse(404, notFound) : toResponse(200, body);
    },
    async open(context, nodes) {
      measure = createMeasurement(context, nodes);
      await register(context);
    },
  };
}

function createMeasurement(
  { client, clock }: ControllerContext,
  nodes: readonly RunningNode[],
): (url: URL) => Promise<object | undefined> {
  let last: Sample | undefined;
  const window = async (): Promise<Window> => {
    const now = await takeSample(nodes, clock.wall());
    const isUsable = last !== undefined && now.at - last.at >= MIN_WINDOW && now.at - last.at <= MAX_WINDOW;
    if (last !== undefined && isUsable) {
      const before = last;
      last = now;
      return { before, after: now };
    }
    await new Promise<void>((resolve) => void clock.later(MIN_WINDOW, resolve));
    last = await takeSample(nodes, clock.wall());
    return { before: now, after: last };
  };
  return async (url) => {
    // Clients request the group document often; it needs no measurement.
    if (url.pathname.split("/").length <= 4) return metricsResponse(url, { window: emptyWindow, nodes: [], pods: [] });
    const [measured, allNodes, allPods] = await Promise.all([
      window(),
      client.list(Node, {}).all(),
      client.list(Pod, { namespace: "*" }).all(),
    ]);
    return metricsResponse(url, { window: measured, nodes: allNodes.items, pods: allPods.items });
  };
}

const emptySample: Sample = { at: 0, nodes: new Map(), pods: new Map() };
const emptyWindow: Window = { before: emptySample, after: emptySample };
const notFound = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "NotFound", code: 404 };

function toResponse(status: number, value: object): OutgoingAnswer {
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(value)) };
}

async function register({ client }: ControllerContext): Promise<void> {
  const options = { fieldManager: FIELD_MANAGER, force: true };
  const metadata = { namespace, name, labels };
  await client.create(Service, { metadata, spec: { ports: [{ port: 443 }] } }, options).catch(ignoreAlreadyExists);
  const slice = {
    metadata: { namespace, name, labels: { ...labels, "kubernetes.io/service-name": name } },
    addressType: "IPv4" as const,
    endpoints: [{ addresses: ["192.0.2.2"], conditions: { ready: true } }],
    ports: [{ name: "", port: 443, protocol: "TCP" as const }],
  };
  await client.create(EndpointSlice, slice, options).catch(ignoreAlreadyExists);
  const spec = {
    group: "metrics.k8s.io",
    version: "v1beta1",
    service: { namespace, name },
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
  };
  await client
    .create(APIService, { metadata: { name: "v1beta1.metrics.k8s.io", labels }, spec }, options)
    .catch(ignoreAlreadyExists);
  const reader = {
    metadata: { name: "system:aggregated-metrics-reader", labels: aggregated },
    rules: [{ apiGroups: ["metrics.k8s.io"], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] }],
  };
  await client.create(ClusterRole, reader, options).catch(ignoreAlreadyExists);
}

const aggregated = Object.fromEntries(
  ["view", "edit", "admin"].map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, "true"]),
);

function ignoreAlreadyExists(error: unknown): undefined {
  if (!isApiError(error, "AlreadyExists")) throw error;
}
