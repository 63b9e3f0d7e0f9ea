/** The part of the kubelet API that an API server uses: logs, exec, attach, port-forward, proxy, pods and statistics. */
import type { Clock } from "@capstan/client";
import { NodeError } from "../errors.ts";
import type { ContainerRecord } from "../pod/situation.ts";
import type { PodWorker } from "../pod/worker.ts";
import type { StreamingRuntime, Sandbox } from "../runtime/runtime.ts";
import { plain, type KubeletAnswer, type KubeletCall } from "./call.ts";
import { readLogs } from "./logs.ts";
import { forwardPorts } from "./port-forward.ts";
import { proxyTo } from "./proxy.ts";
import {
  parseKubeletPath,
  type KubeletApiCall,
  type KubeletContainerRequest,
  type KubeletProxyRequest,
  type KubeletRequest,
  type PodKey,
} from "./request.ts";
import { measurementsOf, summaryOf } from "./statistics.ts";
import { serveStreams } from "./streams.ts";
import { isWebSocket, sendOver } from "./web-socket.ts";

/** The parts of a node that the API serves. */
export interface KubeletTools {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly streaming: StreamingRuntime | undefined;
  readonly find: (namespace: string, name: string) => PodWorker | undefined;
  readonly workers: () => Iterable<PodWorker>;
}

export async function serveKubelet(
  request: KubeletRequest,
  call: KubeletCall,
  tools: KubeletTools,
): Promise<KubeletAnswer> {
  try {
    if (request.verb === "proxy") return await proxyToPod(request, call, tools);
    const asked = request.verb === "api" ? parseKubeletPath(request.path) : request;
    return asked === undefined ? plain(404, "404 page not found\n") : await answer(asked, call, tools);
  } catch (thrown) {
    if (!(thrown instanceof NodeError)) return plain(500, thrown instanceof Error ? thrown.message : String(thrown));
    return plain(statusOf(thrown), thrown.message);
  }
}

function statusOf({ code }: NodeError): number {
  return code === "NotFound" ? 404 : code === "BadRequest" ? 400 : 500;
}

async function answer(asked: KubeletApiCall, call: KubeletCall, tools: KubeletTools): Promise<KubeletAnswer> {
  switch (asked.verb) {
    case "containerLogs": {
      const log = await readLogs({ query: asked.query, ...findContainer(tools, asked) }, tools);
      return isWebSocket(call) ? sendOver(call, log) : log;
    }
    case "exec":
    case "attach": {
      const { record } = findContainer(tools, asked);
      return serveStreams(asked.verb, {
        id: runningId(record),
        query: asked.query,
        call,
        streaming: streamingOf(tools),
      });
    }
    case "portForward":
      return forwardPorts(sandboxOf(tools, asked.pod), { query: asked.query, call, streaming: streamingOf(tools) });
    case "stats":
      return { status: 200, headers: json, body: JSON.stringify(await summaryOf(tools)) };
    case "metrics":
      return plain(200, await measurementsOf(tools));
    case "pods":
      return { status: 200, headers: json, body: podList(tools) };
    case "healthz":
      return plain(200, "ok");
  }
}

const json = { "content-type": "application/json" };

function podList({ workers }: KubeletTools): string {
  const items = Array.from(workers(), ({ situation }) => situation.pod);
  return JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items });
}

async function proxyToPod(
  { pod, scheme, port, path }: KubeletProxyRequest,
  call: KubeletCall,
  tools: KubeletTools,
): Promise<KubeletAnswer> {
  const sandbox = sandboxOf(tools, pod);
  const number = parsePort(port);
  if (number === undefined) return plain(503, `error trying to reach service: dial tcp: address ${port}: invalid port`);
  const streaming = streamingOf(tools);
  return proxyTo({ connect: () => streaming.openPort(sandbox, number), isSecure: scheme === "https", path, call });
}

/** Decimal digits only: `Number` would also accept `0x50`, `8e1` and spaces. */
function parsePort(port: string): number | undefined {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  return number >= 1 && number <= 65_535 ? number : undefined;
}

interface Found {
  readonly worker: PodWorker;
  readonly record: ContainerRecord;
}

function findContainer(tools: KubeletTools, { pod, container }: KubeletContainerRequest): Found {
  const worker = tools.find(pod.namespace, pod.name);
  if (worker === undefined) throw new NodeError("NotFound", `pod "${pod.name}" not found`);
  const record = worker.situation.containers.get(container);
  if (record !== undefined) return { worker, record };
  throw new NodeError("BadRequest", `container ${container} not found in pod ${pod.name}`);
}

function runningId({ life, container }: ContainerRecord): string {
  if (life.is === "running") return life.id;
  throw new NodeError("NotFound", `container not found ("${container.spec.name}")`);
}

function sandboxOf(tools: KubeletTools, { namespace, name }: PodKey): Sandbox {
  const state = tools.find(namespace, name)?.situation.sandbox;
  if (state?.is === "ready") return state.sandbox;
  throw new NodeError("NotFound", `pod "${name}" is not running`);
}

function streamingOf({ streaming }: KubeletTools): StreamingRuntime {
  if (streaming !== undefined) return streaming;
  // No colon: kubectl parses a response that could be YAML as a Status, and shows nothing of it.
  const message = "this pod is simulated and runs no program that could be reached; --pods real runs it";
  throw new NodeError("BadRequest", message);
}
