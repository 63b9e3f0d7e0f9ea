/** The subresources of a pod that connect to its node: log, exec, attach, portforward, proxy. */
import type { Pod } from "@capstan/kinds/v1";
import { apiErrors, fieldErrors, ParseError, parseTime, type FieldError } from "@capstan/model";
import type { Answer } from "../../answer.ts";
import type { Call } from "../../call.ts";
import { isEmpty } from "../meta/checks.ts";
import { parseIp } from "../meta/ip-address.ts";
import { checkEndpointIp } from "../meta/ip-checks.ts";
import { allContainers } from "../pod-template/containers.ts";
import type { ConnectRules, NodeConnector, PodKey, ProxyPlace, ProxyTarget } from "../rules.ts";
import { toLogAnswer } from "./log-answer.ts";
import { hostOf, proxyMethods, schemeOf } from "./proxy-place.ts";
import { parseInteger } from "../../verbs/options.ts";

type ConnectName = "log" | "exec" | "attach" | "portforward" | "proxy";

export const podConnections: { readonly [name in ConnectName]: ConnectRules<Pod> } = {
  log: { type: "connect", methods: ["GET"], checkOptions: checkLog, validate: checkContainer, connect: readLog },
  exec: { type: "connect", methods: ["GET", "POST"], creates: true, validate: checkExec, connect: streaming("exec") },
  attach: {
    type: "connect",
    methods: ["GET", "POST"],
    creates: true,
    validate: checkStreams,
    connect: streaming("attach"),
  },
  portforward: { type: "connect", methods: ["GET", "POST"], creates: true, connect: forwardPorts },
  proxy: { type: "connect", methods: proxyMethods, through: throughNode },
};

function queryOf({ url }: Call): URLSearchParams {
  const question = url.indexOf("?");
  return new URLSearchParams(question < 0 ? "" : url.slice(question + 1));
}

/** The named container, or the only one if no name is given. */
function containerOf(pod: Pod, asked: string): string {
  const name = pod.metadata.name ?? "";
  const containers = pod.spec?.containers ?? [];
  const all = pod.spec === undefined ? [] : allContainers(pod.spec, "").map(([container]) => container.name);
  if (asked !== "") {
    if (all.includes(asked)) return asked;
    throw apiErrors.badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const [only] = containers;
  if (only !== undefined && containers.length === 1) return only.name;
  const choice = containers.length === 0 ? "" : `, choose one of: [${all.join(" ")}]`;
  throw apiErrors.badRequest(`a container name must be specified for pod ${name}${choice}`);
}

function keyOf({ metadata: { namespace = "", name } }: Pod): PodKey {
  return { namespace, name };
}

function nodeOf({ spec, metadata }: Pod): string {
  if (!isEmpty(spec?.nodeName)) return spec?.nodeName ?? "";
  throw apiErrors.badRequest(`pod ${metadata.name} does not have a host assigned`);
}

/** A pod without a node has an empty log. */
async function readLog(pod: Pod, call: Call, connector: NodeConnector): Promise<Answer> {
  const query = queryOf(call);
  const container = containerOf(pod, query.get("container") ?? "");
  if (isEmpty(pod.spec?.nodeName)) {
    return { status: 204, headers: {}, body: "" };
  }
  query.delete("container");
  const request = { verb: "containerLogs", pod: keyOf(pod), container, query } as const;
  const answer = await connector.handOver(nodeOf(pod), request, call);
  return toLogAnswer(answer, pod.metadata.name ?? "");
}

const streamOptions: readonly (readonly [asked: string, kubelet: string])[] = [
  ["stdin", "input"],
  ["stdout", "output"],
  ["stderr", "error"],
  ["tty", "tty"],
];

function streaming(verb: "exec" | "attach"): NonNullable<ConnectRules<Pod>["connect"]> {
  return async (pod, call, connector) => {
    const query = queryOf(call);
    const container = containerOf(pod, query.get("container") ?? "");
    const node = nodeOf(pod);
    const sent = new URLSearchParams();
    for (const [asked, kubelet] of streamOptions) if (isTrue(query.get(asked))) sent.append(kubelet, "1");
    for (const command of query.getAll("command")) sent.append("command", command);
    return connector.handOver(node, { verb, pod: keyOf(pod), container, query: sent }, call);
  };
}

function isTrue(value: string | null): boolean {
  return value !== null && value !== "" && value !== "false" && value !== "0";
}

async function forwardPorts(pod: Pod, call: Call, connector: NodeConnector): Promise<Answer> {
  const node = nodeOf(pod);
  const sent = new URLSearchParams();
  for (const port of queryOf(call).getAll("ports")) sent.append("port", port);
  return connector.handOver(node, { verb: "portForward", pod: keyOf(pod), query: sent }, call);
}

/** Requests to the pod go through the kubelet of its node. */
function throughNode(pod: Pod, asked: ProxyTarget): ProxyPlace {
  const address = pod.status?.podIPs?.[0]?.ip ?? "";
  if (parseIp(address) === undefined || checkEndpointIp(address, "").length > 0) {
    throw apiErrors.badRequest("address not allowed");
  }
  const port = (pod.spec?.containers ?? []).find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
  const wanted = asked.port === "" ? String(port ?? 80) : asked.port;
  const to = { verb: "proxy", pod: keyOf(pod), scheme: schemeOf(asked), port: wanted } as const;
  return { nodeName: nodeOf(pod), to, host: hostOf(address, wanted) };
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  return parseInteger(query.get(name));
}

/** PodLogOptions has its own kind, which validation errors name. */
function checkLog(name: string, query: URLSearchParams): void {
  // Numbers and times are parsed in the order of the fields, before anything is checked.
  numberIn(query, "sinceSeconds");
  readTime(query.get("sinceTime") ?? "");
  numberIn(query, "tailLines");
  numberIn(query, "limitBytes");
  const errors = checkLogOptions(query);
  if (errors.length > 0) throw apiErrors.invalid({ group: "", kind: "PodLogOptions" }, name, errors);
}

function checkContainer(pod: Pod, query: URLSearchParams): FieldError[] {
  containerOf(pod, query.get("container") ?? "");
  return [];
}

/** Fails if the text is not a timestamp. */
function readTime(text: string): void {
  if (text === "") return;
  try {
    parseTime(text);
  } catch (error) {
    throw error instanceof ParseError ? apiErrors.badRequest(error.message) : error;
  }
}

function checkLogOptions(query: URLSearchParams): FieldError[] {
  const tailLines = numberIn(query, "tailLines");
  const limitBytes = numberIn(query, "limitBytes");
  const sinceSeconds = numberIn(query, "sinceSeconds");
  const sinceTime = query.get("sinceTime");
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(fieldErrors.invalid("tailLines", tailLines, "must be greater than or equal to 0"));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(fieldErrors.invalid("limitBytes", limitBytes, "must be greater than 0"));
  }
  if (sinceSeconds !== undefined && sinceTime !== null && sinceTime !== "") {
    errors.push(fieldErrors.forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(fieldErrors.invalid("sinceSeconds", sinceSeconds, "must be greater than 0"));
  }
  if (query.has("stream")) errors.push(fieldErrors.forbidden("stream", "may not be specified"));
  return errors;
}

function checkExec(pod: Pod, query: URLSearchParams, connector: NodeConnector): FieldError[] {
  checkStreams(pod, query, connector);
  if (query.getAll("command").length === 0)
    throw apiErrors.badRequest("you must specify at least 1 command for the container");
  return [];
}

/** The container and the node are checked before the streams. */
function checkStreams(pod: Pod, query: URLSearchParams, connector: NodeConnector): FieldError[] {
  containerOf(pod, query.get("container") ?? "");
  connector.reach?.(nodeOf(pod));
  const asked = ["stdin", "stdout", "stderr"].filter((name) => isTrue(query.get(name)));
  if (asked.length === 0) throw apiErrors.badRequest("you must specify at least 1 of stdin, stdout, stderr");
  if (isTrue(query.get("tty")) && asked.includes("stderr")) {
    throw apiErrors.badRequest("tty and stderr cannot both be true");
  }
  return [];
}
