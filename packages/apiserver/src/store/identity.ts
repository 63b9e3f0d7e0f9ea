/** What stays the same when a server is restarted on its data: its CA, its credentials, and its port. */
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAuthority, createPrivateKeyPem, openAuthority } from "@capstan/pki";
import type { Authority } from "@capstan/pki";
import { DataFolderError } from "./data-folder-error.ts";

export interface Identity {
  /** The administrator's bearer token. */
  readonly token: string;
  readonly authority: Authority;
  /** Signs service account tokens (PEM). */
  readonly accountKey: string;
  /** The last port; undefined if it never listened. */
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

/** The identity in a folder; created if there is none. */
export async function openIdentity(folder: string, made: { now: Date; token: string }): Promise<Identity> {
  const text = await readFile(file(folder), "utf8").catch(() => undefined);
  if (text !== undefined) {
    return readIdentity(folder, text);
  }
  const authority = createAuthority({ commonName: "capstan", now: made.now, days: years * 365 });
  const identity = { token: made.token, authority, accountKey: createPrivateKeyPem(), port: undefined };
  await keepIdentity(folder, identity);
  return identity;
}

function readIdentity(folder: string, text: string): Identity {
  try {
    const { token, accountKey, port, ...authority } = JSON.parse(text) as Written;
    return { token, accountKey, port, authority: openAuthority(authority) };
  } catch (error) {
    throw new DataFolderError("Damaged", folder, new Error(`keys.json cannot be read: ${messageOf(error)}`));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Writes an identity, readable by its owner only. A crash leaves the old or the new file. */
export async function keepIdentity(folder: string, { token, accountKey, authority, port }: Identity): Promise<void> {
  const { certificate, privateKey } = authority;
  const written: Written = { token, certificate, privateKey, accountKey, ...(port !== undefined && { port }) };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${file(folder)}.new`;
  await writeFile(temporary, JSON.stringify(written), { mode: 0o600, flush: true });
  // The mode applies to new files only; a file left by an earlier crash keeps its own.
  await chmod(temporary, 0o600);
  await rename(temporary, file(folder));
}
