/** What the proxies of pods, services and nodes have in common. */
import type { ProxyTarget } from "../rules.ts";

/** Every method goes through. */
export const proxyMethods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Pods are asked over plain HTTP unless the client says otherwise. */
export function schemeOf({ scheme }: ProxyTarget): "http" | "https" {
  return scheme === "https" ? "https" : "http";
}

/** The form in which links name an address and port. */
export function hostOf(address: string, port: string): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
