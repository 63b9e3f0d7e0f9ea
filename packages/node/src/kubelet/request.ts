/** The requests that a kubelet serves, and the paths of its HTTP API. */

/** A pod, by namespace and name. */
export interface PodKey {
  readonly namespace: string;
  readonly name: string;
}

/** The streams or the log of one container. */
export interface KubeletContainerRequest {
  readonly verb: "containerLogs" | "exec" | "attach";
  readonly pod: PodKey;
  readonly container: string;
  readonly query: URLSearchParams;
}

/** Connections to ports of a pod. */
export interface KubeletPortRequest {
  readonly verb: "portForward";
  readonly pod: PodKey;
  readonly query: URLSearchParams;
}

/** An HTTP request to a port of a pod. It has no path in the HTTP API: kubelets do not proxy, and API servers send the fields. */
export interface KubeletProxyRequest {
  readonly verb: "proxy";
  readonly pod: PodKey;
  readonly scheme: "http" | "https";
  readonly port: string;
  /** The path and query that the pod receives; the kubelet does not parse it. */
  readonly path: string;
}

/** A request by path of the HTTP API, with its query. */
export interface KubeletPath {
  readonly verb: "api";
  readonly path: string;
}

/** A request to a kubelet. */
export type KubeletRequest = KubeletContainerRequest | KubeletPortRequest | KubeletProxyRequest | KubeletPath;

/** The parsed form of a path of the HTTP API. */
export type KubeletApiCall =
  | KubeletContainerRequest
  | KubeletPortRequest
  | { readonly verb: "stats" | "metrics" | "pods" | "healthz" };

const documents: ReadonlyMap<string, "stats" | "metrics" | "pods" | "healthz"> = new Map([
  ["stats", "stats"],
  ["stats/summary", "stats"],
  ["metrics", "metrics"],
  ["metrics/cadvisor", "metrics"],
  ["metrics/probes", "metrics"],
  ["metrics/resource", "metrics"],
  ["pods", "pods"],
  ["healthz", "healthz"],
  ["healthz/ping", "healthz"],
]);

/**
 * Parses a path of the HTTP API; `undefined` if nothing is served there.
 *
 * The path is split as it is. No segment is decoded or resolved, so `..` in any spelling is only a name that no pod has.
 */
export function parseKubeletPath(path: string): KubeletApiCall | undefined {
  const question = path.indexOf("?");
  const [place, text] = question < 0 ? [path, ""] : [path.slice(0, question), path.slice(question + 1)];
  const segments = place.replace(/^\//, "").replace(/\/$/, "").split("/");
  const document = documents.get(segments.join("/"));
  if (document !== undefined) return { verb: document };
  const query = new URLSearchParams(text);
  const [verb, namespace = "", name = "", container = ""] = segments;
  const pod = { namespace, name };
  switch (verb) {
    case "containerLogs":
    case "exec":
    case "attach":
      return segments.length === 4 ? { verb, pod, container, query } : undefined;
    case "portForward":
      return segments.length === 3 ? { verb, pod, query } : undefined;
    default:
      return undefined;
  }
}
