/**
 * Registers webhooks: one webhook configuration, or the conversion of one CRD. A registration of a later version of the operator is not
 * replaced, as with CRDs.
 */
import { isApiError } from "@capstan/client";
import type { KubeObject, StoredObject } from "@capstan/model";
import { parseCertificate, splitBundle } from "@capstan/pki";
import type { AnyKind, Api, Expected } from "../api.ts";
import { failureOf } from "../failure.ts";
import { compareVersions, isVersion } from "../crds/version.ts";
import type { Registration } from "./registration.ts";

/** The annotation with the version of the operator that applied a configuration or a CRD. */
export const VERSION_ANNOTATION = "capstan.dev/operator-version";

/**
 * The annotation with the version that registered the conversion of a CRD: its definition may have been applied by another version, or
 * another manager.
 */
const CONVERSION_ANNOTATION = "capstan.dev/conversion-version";

/** The operator that registers. */
export interface Announcer {
  readonly api: Api;
  readonly manager: string;
  readonly version: string | undefined;
}

/** The field manager of an operator's registrations. */
export function managerOf(operator: string): string {
  return `${operator}-webhooks`;
}

/** The number of attempts on conflicts. */
const ATTEMPTS = 10;

/** A concurrent change of the configuration leads to another attempt: only the state that was checked is replaced. */
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

/** An apply that changes nothing costs the server nothing, and restores removed fields. */
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

/** Roles of earlier versions permit writing configurations but not reading them: then they are applied without a check. */
export async function read(api: Api, kind: AnyKind, name: string): Promise<StoredObject | "unseen" | undefined> {
  try {
    return await api.get(kind, { namespace: "", name });
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    if (isApiError(error, "Forbidden")) return "unseen";
    throw error;
  }
}

/** Whether a later version of the operator applied it. */
export function isOfLater({ metadata }: StoredObject, ours: string | undefined): boolean {
  if (ours === undefined || !isVersion(ours)) return false;
  return [VERSION_ANNOTATION, CONVERSION_ANNOTATION].some((annotation) => {
    const theirs = metadata.annotations?.[annotation] ?? "";
    return isVersion(theirs) && compareVersions(ours, theirs) < 0;
  });
}

/** A registration of a later version is kept, but its CA bundle is updated: it is the same for all versions. */
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

/** The CA bundle of the registration in the cluster, as PEM; undefined if there is none, or it may not be read. */
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
    // Of another operator, or not a certificate.
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

/** A later version without a conversion, or with another endpoint, is not changed. */
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
