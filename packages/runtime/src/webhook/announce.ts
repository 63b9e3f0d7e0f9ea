/** Tells the cluster about one configuration of webhooks, unless a later version of the operator has: as with CRDs, rules go forward only. */
import { isApiError } from "@capstan/client";
import type { KubeObject, StoredObject } from "@capstan/model";
import type { AnyKind, Api, Expected } from "../api.ts";
import { failureOf } from "../failure.ts";
import { compareVersions, isVersion } from "../manager/version.ts";
import type { Registration } from "./registration.ts";

/** Where a configuration says which version of the operator applied it. */
export const VERSION_ANNOTATION = "capstan.dev/operator-version";

/** Who announces. */
export interface Announcer {
  readonly api: Api;
  readonly manager: string;
  readonly version: string | undefined;
}

/** How often others may be quicker. */
const ATTEMPTS = 5;

/** Whoever changes the configuration at the same time makes us look again: what was judged is what is replaced. */
export async function announce(announcer: Announcer, registration: Registration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await announceOnce(announcer, registration);
      return;
    } catch (error) {
      if (failureOf(error) !== "conflict" || attempt === ATTEMPTS) throw error;
    }
  }
}

/** An apply that changes nothing costs the server nothing, and brings back what somebody took away. */
async function announceOnce({ api, manager, version }: Announcer, { kind, object }: Registration): Promise<void> {
  const found = await read(api, kind, object.metadata.name ?? "");
  if (found !== "unseen" && found !== undefined && isOfLater(found, version))
    return await keepTrusted({ api, manager, kind }, found, object);
  const annotations = version === undefined ? {} : { annotations: { [VERSION_ANNOTATION]: version } };
  const over = expectedAt(found);
  const metadata = { ...object.metadata, ...annotations };
  await api.apply(kind, { ...object, metadata }, { manager, force: true, over });
}

function expectedAt(found: StoredObject | "unseen" | undefined): Expected | undefined {
  if (found === "unseen") return undefined;
  return found === undefined ? "nothing" : { resourceVersion: found.metadata.resourceVersion };
}

/** Roles of earlier versions let operators write configurations and not read them: there, everything is as it was before. */
async function read(api: Api, kind: AnyKind, name: string): Promise<StoredObject | "unseen" | undefined> {
  try {
    return await api.get(kind, { namespace: "", name });
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    if (isApiError(error, "Forbidden")) return "unseen";
    throw error;
  }
}

function isOfLater({ metadata }: StoredObject, ours: string | undefined): boolean {
  const theirs = metadata.annotations?.[VERSION_ANNOTATION] ?? "";
  return ours !== undefined && isVersion(ours) && isVersion(theirs) && compareVersions(ours, theirs) < 0;
}

interface Webhook {
  readonly clientConfig: { readonly caBundle?: string };
}

/** The rules of a later version stay as they are, but whom to trust is the same for all: it may be the only thing that still changes. */
async function keepTrusted(
  { api, manager, kind }: { readonly api: Api; readonly manager: string; readonly kind: AnyKind },
  found: StoredObject,
  ours: KubeObject,
): Promise<void> {
  const caBundle = webhooksOf(ours)[0]?.clientConfig.caBundle;
  const webhooks = webhooksOf(found);
  if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return;
  const trusting = webhooks.map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } }));
  const { name, resourceVersion } = found.metadata;
  const body = { metadata: { resourceVersion }, webhooks: trusting };
  await api.patch(kind, { namespace: "", name }, body, { type: "merge", manager });
}

function webhooksOf(object: KubeObject): readonly Webhook[] {
  return (object as KubeObject & { readonly webhooks?: readonly Webhook[] }).webhooks ?? [];
}
