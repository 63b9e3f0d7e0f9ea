/** Secrets as files, as a kubelet mounts them. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StoredSecret } from "../../src/tls/index.ts";

/** Whole files, replaced atomically: a process may be reading them. */
export async function mountSecret(folder: string, { data = {} }: Pick<StoredSecret, "data">): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [entry, value] of Object.entries(data)) {
    await writeFile(join(folder, `${entry}.new`), Buffer.from(value, "base64"));
    await rename(join(folder, `${entry}.new`), join(folder, entry));
  }
}

/** The Secrets of a plan, as they are stored. */
export function storedSecrets(plan: { readonly apply: readonly PlannedSecret[] }): StoredSecret[] {
  return plan.apply.map(({ name, data }) => ({ metadata: { name }, data }));
}

interface PlannedSecret {
  readonly name: string;
  readonly data: NonNullable<StoredSecret["data"]>;
}

/** One of these Secrets, by name. */
export function secretOf(secrets: readonly StoredSecret[], name: string): StoredSecret {
  const found = secrets.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no Secret ${name}`);
  return found;
}

/** The certificates of a client that has this Secret. */
export function materialOf(secret: StoredSecret): {
  readonly ca: string;
  readonly certificate: string;
  readonly privateKey: string;
} {
  const text = (entry: string): string => Buffer.from(secret.data?.[entry] ?? "", "base64").toString();
  return { ca: text("ca.crt"), certificate: text("tls.crt"), privateKey: text("tls.key") };
}
