/**
 * The proof of a manifest. With a key, a manifest carries a proof over all its fields, and a reader with the key accepts no manifest
 * without a valid one. Without a key it proves nothing: any writer of the store can create one.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { canonical } from "./canonical.ts";
import { keyPrint, manifestKey } from "./encryption.ts";
import { BackupError } from "./errors.ts";

/** What a manifest needs to be proved. */
export interface Sealable {
  readonly name: string;
  /** Fingerprint of the encryption key, and a proof by that key over all other fields. */
  readonly encryption?: { readonly key: string; readonly proof: string };
}

/**
 * Which manifests a reader accepts.
 *
 * @example
 * const trust: Trust = { key: parseKey(Buffer.from("00".repeat(32), "hex")), allowUnencrypted: true };
 */
export interface Trust {
  /** With a key, only manifests with a proof of that key are accepted. */
  readonly key?: Buffer;
  /** Accept manifests without encryption as well: for the time after a key was introduced. */
  readonly allowUnencrypted?: boolean;
}

/**
 * Adds the proof if a key is given.
 *
 * @example
 * const sealed = seal({ name: "default/db/1" }, undefined);
 */
export function seal<M extends Omit<Sealable, "encryption">>(manifest: M, key: Buffer | undefined): M & Sealable {
  return key === undefined
    ? manifest
    : { ...manifest, encryption: { key: keyPrint(key), proof: prove(manifest, key) } };
}

/**
 * The sha256 over all fields of a manifest, independent of their order.
 *
 * @example
 * const digest = digestOf({ name: "default/db/1" });
 */
export function digestOf(manifest: Sealable): string {
  return createHash("sha256").update(canonical(manifest)).digest("hex");
}

/** Fails unless the manifest has a valid proof of the key. */
export function checkSeal(manifest: Sealable, name: string, { key, allowUnencrypted = false }: Trust): void {
  const { encryption, ...rest } = manifest;
  if (encryption === undefined) {
    if (key === undefined || allowUnencrypted) return;
    const message = `the backup ${name} is not encrypted, though a key is configured: every client that can write to the store can have made it. Set allowUnencrypted if it is from before the key`;
    throw new BackupError("Unencrypted", message);
  }
  if (key === undefined) {
    throw new BackupError("WrongKey", `the backup ${name} is encrypted: name the Secret with its key`);
  }
  if (encryption.key !== keyPrint(key)) {
    const message = `the backup ${name} was made with another key (${encryption.key}, not ${keyPrint(key)})`;
    throw new BackupError("WrongKey", message);
  }
  const [given, expected] = [Buffer.from(encryption.proof), Buffer.from(prove(rest, key))];
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new BackupError("Corrupt", `the manifest of the backup ${name} was changed without its key`);
}

/**
 * Fails unless the manifest is the recorded one.
 *
 * @example
 * checkDigest({ name: "default/db/1" }, digestOf({ name: "default/db/1" }));
 */
export function checkDigest(manifest: Sealable, digest: string | undefined): void {
  const found = digestOf(manifest);
  if (digest === undefined || found === digest) return;
  const message = `the backup ${manifest.name} in the store is not the one that was recorded (sha256 ${found}, not ${digest}): it was replaced`;
  throw new BackupError("Changed", message);
}

function prove(manifest: object, key: Buffer): string {
  return createHmac("sha256", manifestKey(key)).update(canonical(manifest)).digest("hex");
}
