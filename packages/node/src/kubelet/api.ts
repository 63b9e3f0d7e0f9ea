/** The kubelet's API, as far as an API server uses it: logs, exec, attach, port-forward, proxy, pods and statistics. */
import type { Clock } from "@capstan/client";
import { NodeError } from "../errors.ts";
import type { ContainerRecord } from "../pod/situation.ts";
import type { PodWorker } from "../pod/worker.ts";
import type { Doors, Sandbox } from "../runtime/runtime.ts";
import { plain, type KubeletAnswer, type KubeletCall } from "./call.ts";
import { readLogs, type LogRequest } from "./logs.ts";
import { forwardPorts } from "./port-forward.ts";
import { proxyTo } from "./proxy.ts";
import { measurementsOf, summaryOf } from "./statistics.ts";
import { serveStreams } from "./streams.ts";
import { isWebSocket, sendOver } from "./web-socket.ts";

/** What the API needs of its node. */
export interface KubeletTools {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly doors: Doors | undefined;
  readonly find: (namespace: string, name: string) => PodWorker | undefined;
  readonly workers: () => Iterable<PodWorker>;
}

/** Answers one request; the path has the query. */
export async function serveKubelet(path: string, call: KubeletCall, tools: KubeletTools): Promise<KubeletAnswer> {
  try {
    return await route(path, call, tools);
  } catch (thrown) {
    if (!(thrown instanceof NodeError)) return plain(500, thrown instanceof Error ? thrown.message : String(thrown));
    return plain(statusOf(thrown), thrown.message);
  }
}

function statusOf({ code }: NodeError): number {
  return code === "NotFound" ? 404 : code === "BadRequest" ? 400 : 500;
}

async function route(path: string, call: KubeletCall, tools: KubeletTools): Promise<KubeletAnswer> {
  const url = new URL(path, "http://kubelet");
  const [verb = "", namespace = "", pod = "", container = ""] = url.pathname.slice(1).split("/");
  switch (verb) {
    case "containerLogs": {
      const request = logRequest(url.searchParams, findContainer(tools, { namespace, pod, container }));
      const answer = await readLogs(request, tools);
      return isWebSocket(call) ? sendOver(call, answer) : answer;
    }
    case "exec":
    case "attach": {
      const { record } = findContainer(tools, { namespace, pod, container });
      return serveStreams(verb, { id: runningId(record), query: url.searchParams, call, doors: doorsOf(tools) });
    }
    case "portForward":
      return forwardPorts(sandboxOf(tools, namespace, pod), { query: url.searchParams, call, doors: doorsOf(tools) });
    case "proxy":
      return proxyToPod(url, call, tools);
    case "stats":
      return { status: 200, headers: json, body: JSON.stringify(await summaryOf(tools)) };
    case "metrics":
      return plain(200, await measurementsOf(tools));
    case "pods":
      return { status: 200, headers: json, body: podList(tools) };
    case "healthz":
      return plain(200, "ok");
    default:
      return plain(404, "404 page not found\n");
  }
}

const json = { "content-type": "application/json" };

function podList({ workers }: KubeletTools): string {
  const items = Array.from(workers(), ({ situation }) => situation.pod);
  return JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items });
}

/** `/proxy/<namespace>/<pod>:<port>/<path>`, with `https:` before the pod where it speaks TLS. */
function proxyToPod(url: URL, call: KubeletCall, tools: KubeletTools): Promise<KubeletAnswer> {
  const [, , namespace = "", target = "", ...rest] = url.pathname.split("/");
  const isSecure = target.startsWith("https:");
  const [pod = "", port = "80"] = target.replace(/^https?:/, "").split(":");
  const sandbox = sandboxOf(tools, namespace, pod);
  const path = `/${rest.join("/")}${url.search}`;
  return proxyTo({ connect: () => doorsOf(tools).openPort(sandbox, Number(port)), isSecure, path, call });
}

interface ContainerName {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

interface Found {
  readonly worker: PodWorker;
  readonly record: ContainerRecord;
}

function findContainer(tools: KubeletTools, { namespace, pod, container }: ContainerName): Found {
  const worker = tools.find(namespace, pod);
  if (worker === undefined) throw new NodeError("NotFound", `pod "${pod}" not found`);
  const record = worker.situation.containers.get(container);
  if (record !== undefined) return { worker, record };
  throw new NodeError("BadRequest", `container ${container} not found in pod ${pod}`);
}

function logRequest(query: URLSearchParams, { worker, record }: Found): LogRequest {
  return { query, worker, record };
}

function runningId({ life, container }: ContainerRecord): string {
  if (life.is === "running") return life.id;
  throw new NodeError("NotFound", `container not found ("${container.spec.name}")`);
}

function sandboxOf(tools: KubeletTools, namespace: string, pod: string): Sandbox {
  const state = tools.find(namespace, pod)?.situation.sandbox;
  if (state?.is === "ready") return state.sandbox;
  throw new NodeError("NotFound", `pod "${pod}" is not running`);
}

function doorsOf({ doors }: KubeletTools): Doors {
  if (doors !== undefined) return doors;
  // No colon: kubectl reads an answer that could be YAML as a Status, and shows nothing of it.
  const message = "this pod is simulated and runs no program that could be reached; --pods real runs it";
  throw new NodeError("BadRequest", message);
}
