/** The one place where keys and serial numbers get their randomness; tests hand in their own. */
import { generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto";

/** The kinds of key that are made here; all of them are accepted when handed in. */
export type KeyKind = "ec-p256" | "rsa-2048" | "rsa-4096";

/** Where randomness comes from. */
export interface Entropy {
  readonly bytes: (count: number) => Uint8Array;
  readonly privateKey: (kind: KeyKind) => KeyObject;
}

/** The operating system's randomness. */
export const systemEntropy: Entropy = {
  bytes: (count) => randomBytes(count),
  privateKey: (kind) =>
    kind === "ec-p256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
      : generateKeyPairSync("rsa", { modulusLength: kind === "rsa-2048" ? 2048 : 4096 }).privateKey,
};
