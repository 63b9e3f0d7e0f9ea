/**
 * Takes back what an earlier version of the operator told about hooks that this one does not have: nobody answers there any more, and the
 * kind could not be written. What a later version or somebody else told stays.
 */
import { isApiError } from "@capstan/client";
import type { StoredObject } from "@capstan/model";
import type { Resource } from "@capstan/schema";
import type { AnyKind } from "../api.ts";
import { crdName } from "../resource.ts";
import { isOfLater, read } from "./announce.ts";
import type { Announcer } from "./announce.ts";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "./registration.ts";

/** Who takes back: what was told under earlier names is that one's too. */
export interface Retirer extends Announcer {
  readonly formerManagers?: readonly string[];
}

/** Takes back the configurations of hooks that these resources do not have; answers the CRDs of those that may not be seen. */
export async function retireHooks(retirer: Retirer, resources: readonly Resource[]): Promise<readonly string[]> {
  const unseen: string[] = [];
  for (const resource of resources) {
    const name = crdName(resource);
    if ((await retireAll(retirer, name, absentHooks(resource))) === "unseen") unseen.push(name);
  }
  return unseen;
}

/** Takes back whatever was told of kinds that have left the operator; answers those whose hooks may not be seen. */
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
    // A role may let an operator change its configurations only: an empty one holds nobody up.
    const object = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { name }, webhooks: [] };
    await api.apply(kind, object, { manager, force: true, over: { uid } });
  }
  return undefined;
}

function isOf({ metadata }: StoredObject, { manager, formerManagers = [] }: Retirer): boolean {
  const ours = new Set([manager, ...formerManagers]);
  return metadata.managedFields?.some((entry) => entry.operation === "Apply" && ours.has(entry.manager ?? "")) === true;
}
