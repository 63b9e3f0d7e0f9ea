/** Where a webhook is, as the objects that register one say it: a URL, or a service with a path. */
import { OutgoingError, type OutgoingCall, type ServiceResolver } from "./outgoing.ts";

/** How a webhook is reached. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** Who signed its certificate: PEM in base64. */
  readonly caBundle?: string;
}

const defaultPort = 443;

/** The address, as error messages show it. */
export function addressOf({ url, service }: ClientConfig): string {
  if (service === undefined) {
    const { origin, pathname } = new URL(url ?? "");
    return origin + cleanPath(pathname);
  }
  const { name, namespace, port = defaultPort, path = "" } = service;
  return `https://${name}.${namespace}.svc:${port}${cleanPath(path)}`;
}

/** As Go joins paths: nothing twice, nothing at the end. */
function cleanPath(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "")
    .join("/")}`;
}

/** The place behind a service; a URL names its place itself. */
export async function placeOf({ service }: ClientConfig, resolve: ServiceResolver): Promise<OutgoingCall["connectTo"]> {
  if (service === undefined) return undefined;
  return resolve(service.namespace, service.name, service.port ?? defaultPort);
}

/** Why there is no place behind a service. */
export function noPlace(error: unknown): string {
  if (error instanceof OutgoingError) return error.message;
  throw error;
}

/** Who signed the certificate (PEM); `undefined` for the authorities of the system. */
export function authorityOf({ caBundle = "" }: ClientConfig): string | undefined {
  const text = Buffer.from(caBundle, "base64").toString("utf8");
  return text.trim() === "" ? undefined : text;
}
