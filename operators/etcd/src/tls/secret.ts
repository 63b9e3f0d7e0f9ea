/** Secrets in this folder: a name and texts. */

/** A stored Secret, with values in base64. */
export interface StoredSecret {
  readonly metadata: { readonly name: string };
  readonly data?: { readonly [entry: string]: string };
}

/** A Secret to apply, with values in base64. */
export interface WantedSecret {
  readonly name: string;
  readonly type: "kubernetes.io/tls" | "Opaque";
  readonly data: { readonly [entry: string]: string };
}

export type Texts = { readonly [entry: string]: string };

/** The texts of the Secret with that name; empty if it does not exist. */
export function readSecret(secrets: readonly StoredSecret[], name: string): Texts {
  const found = secrets.find(({ metadata }) => metadata.name === name);
  const entries = Object.entries(found?.data ?? {});
  return Object.fromEntries(entries.map(([entry, value]) => [entry, Buffer.from(value, "base64").toString("utf8")]));
}

/** A Secret with these texts; undefined entries are left out. */
export function toSecret(name: string, texts: { readonly [entry: string]: string | undefined }): WantedSecret {
  const data: Record<string, string> = {};
  for (const [entry, text] of Object.entries(texts)) {
    if (text !== undefined) data[entry] = Buffer.from(text).toString("base64");
  }
  return { name, type: "tls.crt" in data && "tls.key" in data ? "kubernetes.io/tls" : "Opaque", data };
}
