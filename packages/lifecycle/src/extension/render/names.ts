/** The names of generated objects: a base and a hash, within 63 bytes, as operator-controller makes them. */
import { createHash } from "node:crypto";
import { toGoJson } from "@capstan/model";

const LONGEST = 63;

/** A base and a suffix; the base is cut if both are too long. */
export function fittingName(base: string, suffix: string): string {
  const fitting = base.length + suffix.length > LONGEST ? base.slice(0, LONGEST - suffix.length - 1) : base;
  return `${fitting}-${suffix}`;
}

/** A base with the hash of a value whose fields are in the order of its Go type. */
export function uniqueName(base: string, value: unknown): string {
  const digest = createHash("sha224")
    .update(`${toGoJson(value)}\n`)
    .digest("hex");
  return fittingName(base, BigInt(`0x${digest}`).toString(36));
}

/** The Service in front of the webhooks of a Deployment. */
export function webhookServiceName(deployment: string): string {
  return fittingName(deployment.replaceAll(".", "-"), "service");
}

/** The Secret with the certificate of that Service. */
export function certificateName(deployment: string): string {
  return fittingName(webhookServiceName(deployment), "cert");
}
