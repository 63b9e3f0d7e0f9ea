/**
 * Removes registrations of an earlier version of the operator for webhooks that this one does not have: their endpoint is gone, and
 * writes of the kind would fail. Registrations of a later version or another operator stay.
 */
import { isApiError } from "@capstan/client";
import type { StoredObject } from "@capstan/model";
import type { Resource } from "@capstan/schema";
import type { AnyKind } from "../api.ts";
import { crdName } from "../resource.ts";
import { isOfLater, read } from "./announce.ts";
import type { Announcer } from "./announce.ts";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "./registration.ts";

/** The operator that removes them: registrations under its previous names are its own. */
export interface Retirer extends Announcer {
  readonly formerManagers?: readonly string[];
}

/** Removes the configurations of webhooks that these resources do not have; returns the CRDs with configurations that may not be read. */
export async function retireHooks(retirer: Retirer, resources: readonly Resource[]): Promise<readonly string[]> {
  const unseen: string[] = [];
  for (const resource of resources) {
    const name = crdName(resource);
    if ((await retireAll(retirer, name, absentHooks(resource))) === "unseen") unseen.push(name);
  }
  return unseen;
}

/** Removes all registrations of kinds that the operator no longer has; returns those with configurations that may not be read. */
export async function retireKinds(retirer: Retirer, crds: readonly string[]): Promise<readonly string[]> {
  const unseen: string[] = [];
  for (const name of crds) {
    const kinds = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
    if ((await retireAll(retirer, name, kinds)) === "unseen") unseen.push(name);
  }
  return unseen;
}

function absentHooks({ hooks }: Resource): readonly AnyKind[] {
  return [
    ...(hooks.default ? [] : [MutatingWebhookConfiguration]),
    ...(hooks.validate ? [] : [ValidatingWebhookConfiguration]),
  ];
}

async function retireAll(retirer: Retirer, name: string, kinds: readonly AnyKind[]): Promise<"unseen" | undefined> {
  let seen: "unseen" | undefined;
  for (const kind of kinds) seen = (await retire(retirer, kind, name)) ?? seen;
  return seen;
}

async function retire(retirer: Retirer, kind: AnyKind, name: string): Promise<"unseen" | undefined> {
  const { api, manager, version } = retirer;
  const found = await read(api, kind, name);
  if (found === "unseen") return found;
  if (found === undefined || !isOf(found, retirer) || isOfLater(found, version)) return undefined;
  const { uid } = found.metadata;
  try {
    await api.delete(kind, { namespace: "", name }, { uid });
  } catch (error) {
    if (isApiError(error, "NotFound", "Conflict")) return undefined;
    if (!isApiError(error, "Forbidden")) throw error;
    // A role may permit only changes of configurations: an empty one blocks nothing.
    const object = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { name }, webhooks: [] };
    await api.apply(kind, object, { manager, force: true, over: { uid } });
  }
  return undefined;
}

function isOf({ metadata }: StoredObject, { manager, formerManagers = [] }: Retirer): boolean {
  const ours = new Set([manager, ...formerManagers]);
  return metadata.managedFields?.some((entry) => entry.operation === "Apply" && ours.has(entry.manager ?? "")) === true;
}
