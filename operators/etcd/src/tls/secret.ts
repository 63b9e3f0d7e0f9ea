/** Secrets in this folder: a name and texts. */
import { readTexts, toData } from "capstan/stateful/parts";
import type { Texts } from "capstan/stateful/parts";

/** A stored Secret, with values in base64. */
export interface StoredSecret {
  readonly metadata: { readonly name: string };
  readonly data?: Texts;
}

/** A Secret to apply, with values in base64. */
export interface WantedSecret {
  readonly name: string;
  readonly type: "kubernetes.io/tls" | "Opaque";
  readonly data: Texts;
}

/** The texts of the Secret with that name; empty if it does not exist. */
export function readSecret(secrets: readonly StoredSecret[], name: string): Texts {
  return readTexts(secrets.find(({ metadata }) => metadata.name === name));
}

/** A Secret with these texts; undefined entries are left out. */
export function toSecret(name: string, texts: { readonly [entry: string]: string | undefined }): WantedSecret {
  const data = toData(texts);
  return { name, type: "tls.crt" in data && "tls.key" in data ? "kubernetes.io/tls" : "Opaque", data };
}
