/** The kinds that the server serves, updated when CRDs or APIServices change. */
import type { Client } from "@capstan/client";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import type { DiscoveredKind } from "@capstan/client";
import { createClient } from "@capstan/client";
import type { ControllerContext } from "../controller/context.ts";
import { runInformer } from "./informer.ts";

/** The served kinds. */
export interface ServedKinds {
  /** The preferred version of every kind that can be listed, watched and deleted. */
  current(): Promise<readonly DiscoveredKind[]>;
  /** Calls the listener when the list may have changed. */
  onChange(listener: () => void): void;
}

/** Watches CRDs and APIServices until the signal is aborted. */
export function watchServedKinds({ api, clock, client }: ControllerContext, signal: AbortSignal): ServedKinds {
  const listeners = new Set<() => void>();
  let cached: Promise<readonly DiscoveredKind[]> | undefined;
  const changed = (): void => {
    cached = undefined;
    for (const listener of listeners) listener();
  };
  const listener = { put: changed, removed: changed };
  for (const kind of [CustomResourceDefinition, APIService]) void runInformer({ api, kind, clock, signal, listener });
  return {
    current: () => (cached ??= discover(client)),
    onChange: (one) => void listeners.add(one),
  };
}

/** Discovery caches its result for minutes; a new client has an empty cache. */
async function discover({ transport }: Client): Promise<readonly DiscoveredKind[]> {
  const kinds = await createClient(transport).resources();
  const seen = new Set<string>();
  return kinds.filter((kind) => {
    const id = `${kind.plural}.${kind.group}`;
    if (seen.has(id) || !["list", "watch", "delete"].every((verb) => kind.verbs.includes(verb))) return false;
    // Preferred versions come first.
    seen.add(id);
    return true;
  });
}
