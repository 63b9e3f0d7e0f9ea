/** Table rows of nodes. */
import type { Node } from "@capstan/kinds/v1";
import { isEmpty } from "../meta/checks.ts";
import type { TableRow } from "../rules.ts";
import { ageOf, orNone } from "../table/cells.ts";

const rolePrefix = "node-role.kubernetes.io/";

export function nodeRow(node: Node, now: number): TableRow {
  const info = node.status?.nodeInfo;
  const kernel = orUnknown(info?.kernelVersion);
  return {
    cells: [
      node.metadata.name ?? "",
      statusOf(node),
      orNone(rolesOf(node).join(",")),
      ageOf(node, now),
      info?.kubeletVersion ?? "",
      addressOf(node, "InternalIP"),
      addressOf(node, "ExternalIP"),
      orUnknown(info?.osImage),
      info?.architecture ? `${kernel} (${info.architecture})` : kernel,
      orUnknown(info?.containerRuntimeVersion),
    ],
  };
}

function orUnknown(text: string | undefined): string {
  return isEmpty(text) ? "<unknown>" : text;
}

function statusOf({ spec, status }: Node): string {
  const ready = (status?.conditions ?? []).findLast(({ type }) => type === "Ready");
  const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function rolesOf({ metadata }: Node): string[] {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    else if (key === "kubernetes.io/role" && value !== "") roles.add(value);
  }
  return [...roles].sort();
}

function addressOf({ status }: Node, type: string): string {
  return (status?.addresses ?? []).find((address) => address.type === type)?.address ?? "<none>";
}
