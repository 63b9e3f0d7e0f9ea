/** What must stay the same when a cluster is started again: who it is, what opens it, and where it listens. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAuthority, createPrivateKeyPem, openAuthority } from "@capstan/pki";
import type { Authority } from "@capstan/pki";

/** The identity of a cluster. */
export interface Keys {
  readonly token: string;
  readonly authority: Authority;
  /** Signs the tokens of service accounts (PEM). */
  readonly accountKey: string;
  /** Where it listened last; undefined when it never did. */
  readonly port: number | undefined;
}

interface Written {
  readonly token: string;
  readonly certificate: string;
  readonly privateKey: string;
  readonly accountKey: string;
  readonly port?: number;
}

const file = (folder: string): string => join(folder, "keys.json");
const YEARS = 10;

/** The keys of the cluster in a folder; they are made when it has none. */
export async function openKeys(folder: string, now: Date): Promise<Keys> {
  const text = await readFile(file(folder), "utf8").catch(() => undefined);
  if (text !== undefined) {
    const { token, accountKey, port, ...authority } = JSON.parse(text) as Written;
    return { token, accountKey, port, authority: openAuthority(authority) };
  }
  const authority = createAuthority({ commonName: "capstan", now, days: YEARS * 365 });
  const keys: Keys = { token: randomUUID(), authority, accountKey: createPrivateKeyPem(), port: undefined };
  await keepKeys(folder, keys);
  return keys;
}

/** Writes keys for the owner's eyes only; a crash leaves the old ones or the new ones. */
export async function keepKeys(folder: string, { token, accountKey, authority, port }: Keys): Promise<void> {
  const { certificate, privateKey } = authority;
  const written: Written = { token, certificate, privateKey, accountKey, ...(port !== undefined && { port }) };
  await mkdir(folder, { recursive: true });
  const temporary = `${file(folder)}.new`;
  await writeFile(temporary, JSON.stringify(written), { mode: 0o600, flush: true });
  await rename(temporary, file(folder));
}
