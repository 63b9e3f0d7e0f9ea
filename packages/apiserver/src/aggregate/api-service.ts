/** APIService: who serves a group at a version; this server itself, or another one behind a service. */
import type { Condition, KubeObject } from "@capstan/model";
import type { ResourceName } from "../builtin/context.ts";

/** Where API services are kept. */
export const apiServices: ResourceName = "apiservices.apiregistration.k8s.io";

/** An API service. */
export interface ApiService extends KubeObject {
  readonly spec: {
    readonly group?: string;
    readonly version?: string;
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
    readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
    readonly insecureSkipTLSVerify?: boolean;
    /** Base64 of PEM. */
    readonly caBundle?: string;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** An API service that another server stands behind. */
export interface RemoteService extends ApiService {
  readonly spec: ApiService["spec"] & { readonly service: NonNullable<ApiService["spec"]["service"]> };
}

/** Whether another server stands behind it. */
export function isRemote(service: ApiService | undefined): service is RemoteService {
  return service?.spec.service !== undefined;
}

/** `v1.example.com`. */
export function nameOf(group: string, version: string): string {
  return `${version}.${group}`;
}

/** Whether it was found to answer. */
export function isAvailable({ status }: ApiService): boolean {
  return (status?.conditions ?? []).some(({ type, status: value }) => type === "Available" && value === "True");
}

const defaultPort = 443;

/** The port of the service. */
export function portOf({ spec }: RemoteService): number {
  return spec.service.port ?? defaultPort;
}
