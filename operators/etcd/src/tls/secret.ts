/** Secrets as this room sees them: a name and texts. */

/** A Secret as the cluster has it: the values in base64. */
export interface StoredSecret {
  readonly metadata: { readonly name: string };
  readonly data?: { readonly [entry: string]: string };
}

/** A Secret to be applied, ready for the API: the values in base64. */
export interface WantedSecret {
  readonly name: string;
  readonly type: "kubernetes.io/tls" | "Opaque";
  readonly data: { readonly [entry: string]: string };
}

/** The texts of a Secret. */
export type Texts = { readonly [entry: string]: string };

/** The texts of the Secret of that name; none when there is no such Secret. */
export function readSecret(secrets: readonly StoredSecret[], name: string): Texts {
  const found = secrets.find(({ metadata }) => metadata.name === name);
  const entries = Object.entries(found?.data ?? {});
  return Object.fromEntries(entries.map(([entry, value]) => [entry, Buffer.from(value, "base64").toString("utf8")]));
}

/** A Secret with these texts; entries that are undefined are left out. */
export function toSecret(name: string, texts: { readonly [entry: string]: string | undefined }): WantedSecret {
  const data: Record<string, string> = {};
  for (const [entry, text] of Object.entries(texts)) {
    if (text !== undefined) data[entry] = Buffer.from(text).toString("base64");
  }
  return { name, type: "tls.crt" in data && "tls.key" in data ? "kubernetes.io/tls" : "Opaque", data };
}
