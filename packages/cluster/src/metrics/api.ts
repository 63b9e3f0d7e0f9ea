/** The API of metrics.k8s.io: from two samples to the objects that `kubectl top` reads. Pure. */
import type { Node, Pod } from "@capstan/kinds/v1";
import { formatTime, matchesLabels, parseLabelSelector } from "@capstan/model";
import type { Sample, Usage } from "./summary.ts";

/** Two samples; CPU usage is their difference. */
export interface Window {
  readonly before: Sample;
  readonly after: Sample;
}

/** The samples, with the objects for names and labels. */
export interface Measured {
  readonly window: Window;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
}

/** The group and version that is served. */
export const GROUP_VERSION = "metrics.k8s.io/v1beta1";

/** The response for a path below the group; undefined for an unknown path. */
export function metricsResponse(url: URL, measured: Measured): object | undefined {
  const [, , , , ...parts] = url.pathname.split("/");
  const selector = url.searchParams.get("labelSelector") ?? "";
  const [first, second, third, fourth] = parts;
  if (first === undefined) return resources;
  if (first === "nodes")
    return second === undefined ? list("NodeMetrics", nodes(measured, selector)) : find(nodes(measured, ""), second);
  if (first === "pods") return list("PodMetrics", pods(measured, selector));
  if (first !== "namespaces" || third !== "pods") return undefined;
  const inside = { ...measured, pods: measured.pods.filter(({ metadata }) => metadata.namespace === second) };
  return fourth === undefined ? list("PodMetrics", pods(inside, selector)) : find(pods(inside, ""), fourth);
}

const resources = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: GROUP_VERSION,
  resources: [
    { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
    { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
  ],
};

interface Metrics {
  readonly metadata: { readonly name: string };
}

function list(kind: string, items: readonly Metrics[]): object {
  return { kind: `${kind}List`, apiVersion: GROUP_VERSION, metadata: {}, items };
}

function find(items: readonly Metrics[], name: string): object | undefined {
  return items.find(({ metadata }) => metadata.name === name);
}

function nodes({ window, nodes: all }: Measured, selector: string): readonly Metrics[] {
  return filterByLabels(all, selector).flatMap(({ metadata: { name, labels, creationTimestamp } }) => {
    const [before, after] = [window.before.nodes.get(name), window.after.nodes.get(name)];
    if (before === undefined || after === undefined) return [];
    const metadata = { name, ...(labels && { labels }), creationTimestamp };
    return [
      {
        kind: "NodeMetrics",
        apiVersion: GROUP_VERSION,
        metadata,
        ...time(window),
        usage: usage(before, after, window),
      },
    ];
  });
}

function pods({ window, pods: all }: Measured, selector: string): readonly Metrics[] {
  return filterByLabels(all, selector).flatMap(({ metadata: { name, namespace, labels, uid, creationTimestamp } }) => {
    const [before, after] = [window.before.pods.get(uid), window.after.pods.get(uid)];
    if (after === undefined || after.containers.size === 0) return [];
    const containers = [...after.containers].map(([container, use]) => ({
      name: container,
      usage: usage(before?.containers.get(container) ?? baselineFor(use), use, window),
    }));
    const metadata = { name, namespace, ...(labels && { labels }), creationTimestamp };
    return [{ kind: "PodMetrics", apiVersion: GROUP_VERSION, metadata, ...time(window), containers }];
  });
}

/** The baseline of a new container: its CPU usage counts from now on. */
function baselineFor({ cpuNanoseconds }: Usage): Usage {
  return { cpuNanoseconds, memoryBytes: 0 };
}

function filterByLabels<T extends Node | Pod>(all: readonly T[], selector: string): readonly T[] {
  if (selector === "") return all;
  const wanted = parseLabelSelector(selector);
  return all.filter(({ metadata }) => matchesLabels(wanted, metadata.labels));
}

function time({ before, after }: Window): { readonly timestamp: string; readonly window: string } {
  return { timestamp: formatTime(after.at), window: `${((after.at - before.at) / 1000).toFixed(3)}s` };
}

function usage(
  before: Usage,
  after: Usage,
  { before: { at: from }, after: { at: to } }: Window,
): { cpu: string; memory: string } {
  const seconds = Math.max(0.001, (to - from) / 1000);
  const cores = Math.max(0, after.cpuNanoseconds - before.cpuNanoseconds) / seconds;
  return { cpu: `${Math.round(cores)}n`, memory: `${Math.round(after.memoryBytes / 1024)}Ki` };
}
