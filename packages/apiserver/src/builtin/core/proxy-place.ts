/** Helpers of the `proxy` subresources of pods, services and nodes. */
import type { ProxyTarget } from "../rules.ts";

/** A proxy accepts every method. */
export const proxyMethods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Default: http. */
export function schemeOf({ scheme }: ProxyTarget): "http" | "https" {
  return scheme === "https" ? "https" : "http";
}

/** The address and port in the form of a URL. */
export function hostOf(address: string, port: string): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
