/** Keeps the webhooks' trust in a Secret, so that all replicas serve under the same authority, whoever comes first. */
import { isApiError } from "@capstan/client";
import { openAuthority, parseCertificate, publicKeyPem } from "@capstan/pki";
import type { KeyedCertificate } from "@capstan/pki";
import { createPublicKey } from "node:crypto";
import type { AnyKind, Api } from "../api.ts";
import { RuntimeError } from "../errors.ts";
import { nextTrust, settleTrust } from "./certificates.ts";
import type { Trust, TrustOptions } from "./certificates.ts";

const Secret: AnyKind = { group: "", version: "v1", kind: "Secret", plural: "secrets", scope: "Namespaced" };

/** Where the trust is kept, and by whom. */
export interface SecretPlace {
  readonly api: Api;
  readonly namespace: string;
  readonly name: string;
  readonly manager: string;
}

/** What a Secret holds, in base64. */
type Data = { readonly [key: string]: string | null | undefined };

/** On the Secret, with any value: the authority is to be replaced. It is taken away when its successor has been announced. */
export const REPLACE_ANNOTATION = "capstan.dev/replace-ca";

/** Losing this many races in a row means that something is wrong. */
const MOST_TRIES = 20;

/**
 * Brings the kept trust up to date and answers what it is. Of replicas that do so at once, one writes; the others are told of the
 * conflict by the server, read again, and find that nothing is left to do. `known` is what this replica serves by: a Secret that somebody
 * deleted or spoiled gets it back.
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
    `Cannot keep certificates in Secret ${place.namespace}/${place.name}: somebody changes it all the time.`,
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

/** Writes over what was read and nothing else; answers whether that was still there. */
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
    // Of a Secret that was there, somebody has taken it away; of a new one, its namespace is missing.
    if (isApiError(error, "NotFound") && resourceVersion !== undefined) return false;
    throw error;
  }
}

/** The keys of the Secret; null takes one away. */
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

/** Reads the Secret's keys; undefined when they are incomplete or not what they should be, so that they are made anew. */
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

/** Whether every certificate can be read and belongs to the key beside it. */
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
