/** Which kinds the server serves, now and whenever a definition of one comes or goes. */
import type { Client } from "@capstan/client";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import type { DiscoveredKind } from "@capstan/client";
import { createClient } from "@capstan/client";
import type { ControllerContext } from "../controller/context.ts";
import { runInformer } from "./informer.ts";

/** Keeps knowing the kinds. */
export interface ServedKinds {
  /** The preferred version of every kind that can be listed, watched and deleted. */
  current(): Promise<readonly DiscoveredKind[]>;
  /** Calls when the answer may be another. */
  onChange(listener: () => void): void;
}

/** Follows definitions until the signal is aborted. */
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

/** Discovery remembers for minutes what it learned: a client of its own asks afresh. */
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
