/**
 * Tells the cluster about webhooks: one configuration, or how one CRD's versions are converted. Unless a later version of the operator
 * has: as with CRDs, what is told goes forward only.
 */
import { isApiError } from "@capstan/client";
import type { KubeObject, StoredObject } from "@capstan/model";
import { parseCertificate, splitBundle } from "@capstan/pki";
import type { AnyKind, Api, Expected } from "../api.ts";
import { failureOf } from "../failure.ts";
import { compareVersions, isVersion } from "../manager/version.ts";
import type { Registration } from "./registration.ts";

/** Where a configuration, or a whole CRD, says which version of the operator applied it. */
export const VERSION_ANNOTATION = "capstan.dev/operator-version";

/** Where a CRD says which version told how it is converted: its definition may be of another one, or somebody else's. */
const CONVERSION_ANNOTATION = "capstan.dev/conversion-version";

/** Who announces. */
export interface Announcer {
  readonly api: Api;
  readonly manager: string;
  readonly version: string | undefined;
}

/** The field owner of what an operator of that name tells. */
export function managerOf(operator: string): string {
  return `${operator}-webhooks`;
}

/** How often others may be quicker. */
const ATTEMPTS = 10;

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
async function announceOnce({ api, manager, version }: Announcer, registration: Registration): Promise<void> {
  const { kind, object, tells } = registration;
  const found = await read(api, kind, object.metadata.name ?? "");
  if (found !== "unseen" && found !== undefined && isOfLater(found, version))
    return await keepTrusted({ api, manager }, registration, found);
  const annotation = tells === "conversion" ? CONVERSION_ANNOTATION : VERSION_ANNOTATION;
  const annotations = version === undefined ? {} : { annotations: { [annotation]: version } };
  const over = expectedAt(found);
  const metadata = { ...object.metadata, ...annotations };
  await api.apply(kind, { ...object, metadata }, { manager, force: true, over });
}

function expectedAt(found: StoredObject | "unseen" | undefined): Expected | undefined {
  if (found === "unseen") return undefined;
  return found === undefined ? "nothing" : { resourceVersion: found.metadata.resourceVersion };
}

/** Roles of earlier versions let operators write configurations and not read them: there, everything is as it was before. */
export async function read(api: Api, kind: AnyKind, name: string): Promise<StoredObject | "unseen" | undefined> {
  try {
    return await api.get(kind, { namespace: "", name });
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    if (isApiError(error, "Forbidden")) return "unseen";
    throw error;
  }
}

/** Whether a later version of the operator told it. */
export function isOfLater({ metadata }: StoredObject, ours: string | undefined): boolean {
  if (ours === undefined || !isVersion(ours)) return false;
  return [VERSION_ANNOTATION, CONVERSION_ANNOTATION].some((annotation) => {
    const theirs = metadata.annotations?.[annotation] ?? "";
    return isVersion(theirs) && compareVersions(ours, theirs) < 0;
  });
}

/** What a later version told stays as it is, but whom to trust is the same for all: it may be the only thing that still changes. */
async function keepTrusted(
  { api, manager }: Pick<Announcer, "api" | "manager">,
  { kind, object, tells }: Registration,
  found: StoredObject,
): Promise<void> {
  const change = tells === "conversion" ? trustInConversion(found, object) : trustInWebhooks(found, object);
  if (change === undefined) return;
  const { name, resourceVersion } = found.metadata;
  const body = { metadata: { resourceVersion }, ...change };
  await api.patch(kind, { namespace: "", name }, body, { type: "merge", manager });
}

/** Whom the cluster was told to trust, as PEM; undefined where that is nobody, or may not be seen. */
export async function trustedNow(api: Api, { kind, object, tells }: Registration): Promise<string | undefined> {
  const found = await read(api, kind, object.metadata.name ?? "");
  if (found === "unseen" || found === undefined) return undefined;
  const told = tells === "conversion" ? converterOf(found) : webhooksOf(found)[0];
  const bundle = Buffer.from(told?.clientConfig.caBundle ?? "", "base64").toString();
  try {
    const certificates = splitBundle(bundle);
    for (const certificate of certificates) parseCertificate(certificate);
    return certificates.length === 0 ? undefined : certificates.join("");
  } catch {
    // Somebody else's, or nothing that anybody could be trusted by.
    return undefined;
  }
}

interface Webhook {
  readonly clientConfig: { readonly caBundle?: string };
}

function trustInWebhooks(found: KubeObject, ours: KubeObject): object | undefined {
  const caBundle = webhooksOf(ours)[0]?.clientConfig.caBundle;
  const webhooks = webhooksOf(found);
  if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return undefined;
  return { webhooks: webhooks.map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } })) };
}

function webhooksOf(object: KubeObject): readonly Webhook[] {
  return (object as KubeObject & { readonly webhooks?: readonly Webhook[] }).webhooks ?? [];
}

/** A later version that converts nothing, or somewhere else, is left alone. */
function trustInConversion(found: KubeObject, ours: KubeObject): object | undefined {
  const caBundle = converterOf(ours)?.clientConfig.caBundle;
  const theirs = converterOf(found);
  if (theirs === undefined || theirs.clientConfig.caBundle === caBundle) return undefined;
  return { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } };
}

function converterOf(object: KubeObject): Webhook | undefined {
  return (object as KubeObject & { readonly spec?: { readonly conversion?: { readonly webhook?: Webhook } } }).spec
    ?.conversion?.webhook;
}
