/** Stores the webhooks' authority in a Secret, so that all replicas use the same one, in whatever order they start. */
import { isApiError } from "@capstan/client";
import { openAuthority, parseCertificate, publicKeyPem } from "@capstan/pki";
import type { KeyedCertificate } from "@capstan/pki";
import { createPublicKey } from "node:crypto";
import type { AnyKind, Api } from "../api.ts";
import { RuntimeError } from "../errors.ts";
import { nextTrust, settleTrust } from "./certificates.ts";
import type { Trust, TrustOptions } from "./certificates.ts";

const Secret: AnyKind = { group: "", version: "v1", kind: "Secret", plural: "secrets", scope: "Namespaced" };

/** The Secret of the authority, and its writer. */
export interface SecretPlace {
  readonly api: Api;
  readonly namespace: string;
  readonly name: string;
  readonly manager: string;
}

/** The data of a Secret, in base64. */
type Data = { readonly [key: string]: string | null | undefined };

/** An annotation of the Secret, with any value: the authority is to be replaced. It is removed when the successor has been announced. */
export const REPLACE_ANNOTATION = "capstan.dev/replace-ca";

/** The number of consecutive conflicts after which an error is thrown. */
const MOST_TRIES = 20;

/**
 * Updates the stored state and returns it. Of concurrent replicas, one writes; the others get a conflict, read again, and find that
 * nothing is due. `known` is the state that this replica serves with: a deleted or invalid Secret is restored from it.
 */
export async function keepTrust(place: SecretPlace, options: TrustOptions, known?: Trust): Promise<Trust> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const stored = await read(place);
    const trust = stored && parseTrust(stored.data ?? {});
    const isReplaced = stored?.isReplaced === true;
    const wanted = nextTrust(settleTrust(trust, known, options), { ...options, isReplaced });
    if (wanted === trust || (await write(place, wanted, stored?.resourceVersion))) return wanted;
  }
  throw new RuntimeError(
    "BadSetting",
    `Cannot keep certificates in Secret ${place.namespace}/${place.name}: another client changes it all the time.`,
  );
}

interface Stored {
  readonly data?: Data;
  readonly resourceVersion: string;
  readonly isReplaced: boolean;
}

async function read({ api, namespace, name }: SecretPlace): Promise<Stored | undefined> {
  try {
    const secret = await api.get(Secret, { namespace, name });
    const { data } = secret as { readonly data?: Data };
    const { resourceVersion, annotations = {} } = secret.metadata;
    return { ...(data ? { data } : {}), resourceVersion, isReplaced: Object.hasOwn(annotations, REPLACE_ANNOTATION) };
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** Writes over the version that was read; returns false on a conflict. */
async function write(place: SecretPlace, trust: Trust, resourceVersion: string | undefined): Promise<boolean> {
  const { api, namespace, name, manager } = place;
  const data = formatTrust(trust);
  try {
    if (resourceVersion === undefined) {
      const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
      const metadata = { namespace, name };
      const secret = { apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/tls", data: present };
      await api.create(Secret, secret, { manager });
    } else {
      const metadata = { resourceVersion, annotations: { [REPLACE_ANNOTATION]: null } };
      await api.patch(Secret, { namespace, name }, { metadata, data }, { type: "merge", manager });
    }
    return true;
  } catch (error) {
    if (isApiError(error, "Conflict", "AlreadyExists")) return false;
    // An existing Secret was deleted meanwhile; for a new one, its namespace is missing.
    if (isApiError(error, "NotFound") && resourceVersion !== undefined) return false;
    throw error;
  }
}

/** The data of the Secret; null removes a key. */
function formatTrust({ signer, next, previous, serving }: Trust): Data {
  const texts = {
    "ca.crt": signer.certificate,
    "ca.key": signer.privateKey,
    "next-ca.crt": next?.certificate,
    "next-ca.key": next?.privateKey,
    "previous-ca.crt": previous,
    "tls.crt": serving.certificate,
    "tls.key": serving.privateKey,
  };
  const encode = (text: string | undefined): string | null =>
    text === undefined ? null : Buffer.from(text).toString("base64");
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encode(text)]));
}

/** Parses the data of the Secret; undefined if it is incomplete or invalid, so that it is created again. */
export function parseTrust(data: Data): Trust | undefined {
  const text = (key: string): string | undefined => {
    const value = data[key];
    return typeof value === "string" && value !== "" ? Buffer.from(value, "base64").toString() : undefined;
  };
  const pair = (name: string): KeyedCertificate | undefined => {
    const [certificate, privateKey] = [text(`${name}.crt`), text(`${name}.key`)];
    return certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey };
  };
  const [signer, serving] = [pair("ca"), pair("tls")];
  if (signer === undefined || serving === undefined) return undefined;
  const trust = { signer, next: pair("next-ca"), previous: text("previous-ca.crt"), serving };
  return isWhole(trust) ? trust : undefined;
}

/** Whether every certificate can be parsed and matches its key. */
function isWhole({ signer, next, previous, serving }: Trust): boolean {
  try {
    openAuthority(signer);
    if (next !== undefined) openAuthority(next);
    if (previous !== undefined) parseCertificate(previous);
    return createPublicKey(publicKeyPem(serving.privateKey)).equals(parseCertificate(serving.certificate).publicKey);
  } catch {
    return false;
  }
}
