import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Toleration, TolerationApply } from "../v1.ts";

export interface Overhead {
  readonly podFixed?: { readonly [key: string]: string };
}

export interface OverheadApply {
  readonly podFixed?: { readonly [key: string]: string | number };
}

export interface RuntimeClass {
  readonly apiVersion: "node.k8s.io/v1";
  readonly handler: string;
  readonly kind: "RuntimeClass";
  readonly metadata: StoredMeta;
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
}

export interface RuntimeClassApply {
  readonly apiVersion?: "node.k8s.io/v1";
  readonly handler?: string;
  readonly kind?: "RuntimeClass";
  readonly metadata?: ObjectMeta;
  readonly overhead?: OverheadApply;
  readonly scheduling?: SchedulingApply;
}

export type RuntimeClassList = KubeList<RuntimeClass>;

export interface Scheduling {
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly Toleration[];
}

export interface SchedulingApply {
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly TolerationApply[];
}
