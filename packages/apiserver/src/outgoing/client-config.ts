/** The client configuration of a webhook: a URL, or a Service with a path. */
import { OutgoingError, type OutgoingCall, type ServiceResolver } from "./outgoing.ts";

export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** The CA bundle that verifies its certificate: PEM in base64. */
  readonly caBundle?: string;
}

const defaultPort = 443;

/** The address in error messages. */
export function addressOf({ url, service }: ClientConfig): string {
  if (service === undefined) {
    const { origin, pathname } = new URL(url ?? "");
    return origin + cleanPath(pathname);
  }
  const { name, namespace, port = defaultPort, path = "" } = service;
  return `https://${name}.${namespace}.svc:${port}${cleanPath(path)}`;
}

/** Joins paths as Go does: no duplicate slashes, no slash at the end. */
function cleanPath(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "")
    .join("/")}`;
}

/** The endpoint of a Service; `undefined` for a URL, which contains its host. */
export async function placeOf({ service }: ClientConfig, resolve: ServiceResolver): Promise<OutgoingCall["connectTo"]> {
  if (service === undefined) return undefined;
  return resolve(service.namespace, service.name, service.port ?? defaultPort);
}

/** Why a Service has no endpoint. */
export function noPlace(error: unknown): string {
  if (error instanceof OutgoingError) return error.message;
  throw error;
}

/** The CA bundle (PEM); `undefined` for the system's authorities. */
export function authorityOf({ caBundle = "" }: ClientConfig): string | undefined {
  const text = Buffer.from(caBundle, "base64").toString("utf8");
  return text.trim() === "" ? undefined : text;
}
