/** What must stay the same when a server is started again on its data: who it is, what opens it, and where it listens. */
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAuthority, createPrivateKeyPem, openAuthority } from "@capstan/pki";
import type { Authority } from "@capstan/pki";

/** The identity of a server. */
export interface Identity {
  /** The administrator's bearer token. */
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
const years = 10;

/** The identity that a folder keeps; one is made when it has none. */
export async function openIdentity(folder: string, made: { now: Date; token: string }): Promise<Identity> {
  const text = await readFile(file(folder), "utf8").catch(() => undefined);
  if (text !== undefined) {
    const { token, accountKey, port, ...authority } = JSON.parse(text) as Written;
    return { token, accountKey, port, authority: openAuthority(authority) };
  }
  const authority = createAuthority({ commonName: "capstan", now: made.now, days: years * 365 });
  const identity = { token: made.token, authority, accountKey: createPrivateKeyPem(), port: undefined };
  await keepIdentity(folder, identity);
  return identity;
}

/** Writes an identity for the owner's eyes only; a crash leaves the old one or the new one. */
export async function keepIdentity(folder: string, { token, accountKey, authority, port }: Identity): Promise<void> {
  const { certificate, privateKey } = authority;
  const written: Written = { token, certificate, privateKey, accountKey, ...(port !== undefined && { port }) };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${file(folder)}.new`;
  await writeFile(temporary, JSON.stringify(written), { mode: 0o600, flush: true });
  // The mode is only for files that are made: one that an earlier crash left has its own.
  await chmod(temporary, 0o600);
  await rename(temporary, file(folder));
}
