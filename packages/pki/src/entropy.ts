/** The only source of randomness for keys and serial numbers; tests pass in another one. */
import { generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto";

/** The kinds of keys that are generated here; all of them are accepted as input. */
export type KeyKind = "ec-p256" | "rsa-2048" | "rsa-4096";

/** A source of randomness. */
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
