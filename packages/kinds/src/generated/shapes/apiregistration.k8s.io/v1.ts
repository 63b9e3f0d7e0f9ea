import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Keyed } from "../../../shape.ts";

export interface APIService {
  readonly apiVersion: "apiregistration.k8s.io/v1";
  readonly kind: "APIService";
  readonly metadata: StoredMeta;
  readonly spec?: APIServiceSpec;
  readonly status?: APIServiceStatus;
}

export interface APIServiceApply {
  readonly apiVersion?: "apiregistration.k8s.io/v1";
  readonly kind?: "APIService";
  readonly metadata?: ObjectMeta;
  readonly spec?: APIServiceSpecApply;
  readonly status?: APIServiceStatusApply;
}

export interface APIServiceCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface APIServiceConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type APIServiceList = KubeList<APIService>;

export interface APIServiceSpec {
  readonly caBundle?: string;
  readonly group?: string;
  readonly groupPriorityMinimum: number;
  readonly insecureSkipTLSVerify?: boolean;
  readonly service?: ServiceReference;
  readonly version?: string;
  readonly versionPriority: number;
}

export interface APIServiceSpecApply {
  readonly caBundle?: string;
  readonly group?: string;
  readonly groupPriorityMinimum?: number;
  readonly insecureSkipTLSVerify?: boolean;
  readonly service?: ServiceReferenceApply;
  readonly version?: string;
  readonly versionPriority?: number;
}

export interface APIServiceStatus {
  readonly conditions?: readonly APIServiceCondition[];
}

export interface APIServiceStatusApply {
  readonly conditions?: readonly Keyed<APIServiceConditionApply, "type">[];
}

export interface ServiceReference {
  readonly name?: string;
  readonly namespace?: string;
  readonly port?: number;
}

export interface ServiceReferenceApply {
  readonly name?: string;
  readonly namespace?: string;
  readonly port?: number;
}
