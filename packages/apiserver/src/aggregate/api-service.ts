/** APIService: which server serves a group version; this server, or another one behind a Service. */
import type { Condition, KubeObject } from "@capstan/model";
import type { ResourceName } from "../builtin/context.ts";

/** The resource name under which APIServices are stored. */
export const apiServices: ResourceName = "apiservices.apiregistration.k8s.io";

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

/** An APIService with a Service behind it. */
export interface RemoteService extends ApiService {
  readonly spec: ApiService["spec"] & { readonly service: NonNullable<ApiService["spec"]["service"]> };
}

/** Whether another server serves it. */
export function isRemote(service: ApiService | undefined): service is RemoteService {
  return service?.spec.service !== undefined;
}

/** The name of an APIService, such as `v1.example.com`. */
export function nameOf(group: string, version: string): string {
  return `${version}.${group}`;
}

/** Whether its `Available` condition is true. */
export function isAvailable({ status }: ApiService): boolean {
  return (status?.conditions ?? []).some(({ type, status: value }) => type === "Available" && value === "True");
}

const defaultPort = 443;

export function portOf({ spec }: RemoteService): number {
  return spec.service.port ?? defaultPort;
}
