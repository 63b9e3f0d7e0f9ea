/** Component statuses: not stored, but computed for each request. */
import { apiErrors, type KubeObject } from "@capstan/model";
import type { ComponentStatus } from "@capstan/kinds/v1";
import type { Answer } from "../answer.ts";
import { respondEntry } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import { Entry } from "../store/entry.ts";
import { respondPage } from "./list.ts";
import { parseListOptions } from "./options.ts";
import { selectionOf, storedMatcher } from "./selection.ts";

/** Serves a GET of one or all of them. */
export async function serveComponents(exchange: ResourceExchange): Promise<Answer> {
  const { resource, info, query } = exchange;
  if (info.verb === "get") {
    const found = components().find(({ key }) => key === info.name);
    if (found === undefined) throw apiErrors.notFound(resource.qualified, info.name);
    return respondEntry(exchange, 200, found);
  }
  const selection = selectionOf(resource, { namespace: "" }, parseListOptions(query, false));
  const matches = storedMatcher(resource, selection);
  const isNamed = ({ key }: Entry): boolean => selection.key === undefined || selection.key === key;
  const verdicts = components()
    .filter(isNamed)
    .map(async (one) => ((await matches?.(one.object)) === false ? [] : [one]));
  // They have no resourceVersion, not even as a list, and are not paged.
  return respondPage(exchange, {
    entries: (await Promise.all(verdicts)).flat(),
    revision: 0,
    continue: "",
    remaining: undefined,
  });
}

/** The store is part of this process. The ports that kube-apiserver probes for the other two are closed. */
function components(): readonly Entry[] {
  return [refused("scheduler", 10259), refused("controller-manager", 10257), component("etcd-0", "True", "ok")];
}

function refused(name: string, port: number): Entry {
  const address = `127.0.0.1:${port}`;
  const why = `Get "https://${address}/healthz": dial tcp ${address}: connect: connection refused`;
  return component(name, "False", why);
}

function component(name: string, status: "True" | "False", message: string): Entry {
  const object: KubeObject & Pick<ComponentStatus, "conditions"> = {
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name },
    conditions: [{ type: "Healthy", status, message }],
  };
  return Entry.of(name, 0, Object.freeze(object));
}
