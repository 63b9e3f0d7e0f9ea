import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { ObjectReference, ObjectReferenceApply } from "../v1.ts";

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly deprecatedTopology?: { readonly [key: string]: string };
  readonly hints?: EndpointHints;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
  readonly zone?: string;
}

export interface EndpointApply {
  readonly addresses?: readonly string[];
  readonly conditions?: EndpointConditionsApply;
  readonly deprecatedTopology?: { readonly [key: string]: string };
  readonly hints?: EndpointHintsApply;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReferenceApply;
  readonly zone?: string;
}

export interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface EndpointConditionsApply {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface EndpointHints {
  readonly forNodes?: readonly ForNode[];
  readonly forZones?: readonly ForZone[];
}

export interface EndpointHintsApply {
  readonly forNodes?: readonly ForNodeApply[];
  readonly forZones?: readonly ForZoneApply[];
}

export interface EndpointPort {
  readonly appProtocol?: string;
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface EndpointPortApply {
  readonly appProtocol?: string;
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface EndpointSlice {
  readonly addressType: "FQDN" | "IPv4" | "IPv6";
  readonly apiVersion: "discovery.k8s.io/v1";
  readonly endpoints?: readonly Endpoint[];
  readonly kind: "EndpointSlice";
  readonly metadata: StoredMeta;
  readonly ports?: readonly EndpointPort[];
}

export interface EndpointSliceApply {
  readonly addressType?: "FQDN" | "IPv4" | "IPv6";
  readonly apiVersion?: "discovery.k8s.io/v1";
  readonly endpoints?: readonly EndpointApply[];
  readonly kind?: "EndpointSlice";
  readonly metadata?: ObjectMeta;
  readonly ports?: readonly EndpointPortApply[];
}

export type EndpointSliceList = KubeList<EndpointSlice>;

export interface ForNode {
  readonly name: string;
}

export interface ForNodeApply {
  readonly name?: string;
}

export interface ForZone {
  readonly name: string;
}

export interface ForZoneApply {
  readonly name?: string;
}
