import type { IntOrString, KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Keyed } from "../../../shape.ts";
import type { Condition, ConditionApply, LabelSelector, LabelSelectorApply } from "../meta/v1.ts";
import type { TypedLocalObjectReference, TypedLocalObjectReferenceApply } from "../v1.ts";

export interface HTTPIngressPath {
  readonly backend: IngressBackend;
  readonly path?: string;
  readonly pathType: "Exact" | "ImplementationSpecific" | "Prefix";
}

export interface HTTPIngressPathApply {
  readonly backend?: IngressBackendApply;
  readonly path?: string;
  readonly pathType?: "Exact" | "ImplementationSpecific" | "Prefix";
}

export interface HTTPIngressRuleValue {
  readonly paths: readonly HTTPIngressPath[];
}

export interface HTTPIngressRuleValueApply {
  readonly paths?: readonly HTTPIngressPathApply[];
}

export interface IPAddress {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "IPAddress";
  readonly metadata: StoredMeta;
  readonly spec: IPAddressSpec;
}

export interface IPAddressApply {
  readonly apiVersion?: "networking.k8s.io/v1";
  readonly kind?: "IPAddress";
  readonly metadata?: ObjectMeta;
  readonly spec?: IPAddressSpecApply;
}

export type IPAddressList = KubeList<IPAddress>;

export interface IPAddressSpec {
  readonly parentRef: ParentReference;
}

export interface IPAddressSpecApply {
  readonly parentRef?: ParentReferenceApply;
}

export interface IPBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

export interface IPBlockApply {
  readonly cidr?: string;
  readonly except?: readonly string[];
}

export interface Ingress {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "Ingress";
  readonly metadata: StoredMeta;
  readonly spec?: IngressSpec;
  readonly status?: IngressStatus;
}

export interface IngressApply {
  readonly apiVersion?: "networking.k8s.io/v1";
  readonly kind?: "Ingress";
  readonly metadata?: ObjectMeta;
  readonly spec?: IngressSpecApply;
  readonly status?: IngressStatusApply;
}

export interface IngressBackend {
  readonly resource?: TypedLocalObjectReference;
  readonly service?: IngressServiceBackend;
}

export interface IngressBackendApply {
  readonly resource?: TypedLocalObjectReferenceApply;
  readonly service?: IngressServiceBackendApply;
}

export interface IngressClass {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "IngressClass";
  readonly metadata: StoredMeta;
  readonly spec?: IngressClassSpec;
}

export interface IngressClassApply {
  readonly apiVersion?: "networking.k8s.io/v1";
  readonly kind?: "IngressClass";
  readonly metadata?: ObjectMeta;
  readonly spec?: IngressClassSpecApply;
}

export type IngressClassList = KubeList<IngressClass>;

export interface IngressClassParametersReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly scope?: string;
}

export interface IngressClassParametersReferenceApply {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly scope?: string;
}

export interface IngressClassSpec {
  readonly controller?: string;
  readonly parameters?: IngressClassParametersReference;
}

export interface IngressClassSpecApply {
  readonly controller?: string;
  readonly parameters?: IngressClassParametersReferenceApply;
}

export type IngressList = KubeList<Ingress>;

export interface IngressLoadBalancerIngress {
  readonly hostname?: string;
  readonly ip?: string;
  readonly ports?: readonly IngressPortStatus[];
}

export interface IngressLoadBalancerIngressApply {
  readonly hostname?: string;
  readonly ip?: string;
  readonly ports?: readonly IngressPortStatusApply[];
}

export interface IngressLoadBalancerStatus {
  readonly ingress?: readonly IngressLoadBalancerIngress[];
}

export interface IngressLoadBalancerStatusApply {
  readonly ingress?: readonly IngressLoadBalancerIngressApply[];
}

export interface IngressPortStatus {
  readonly error?: string;
  readonly port: number;
  readonly protocol: "SCTP" | "TCP" | "UDP";
}

export interface IngressPortStatusApply {
  readonly error?: string;
  readonly port?: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface IngressRule {
  readonly host?: string;
  readonly http?: HTTPIngressRuleValue;
}

export interface IngressRuleApply {
  readonly host?: string;
  readonly http?: HTTPIngressRuleValueApply;
}

export interface IngressServiceBackend {
  readonly name: string;
  readonly port?: ServiceBackendPort;
}

export interface IngressServiceBackendApply {
  readonly name?: string;
  readonly port?: ServiceBackendPortApply;
}

export interface IngressSpec {
  readonly defaultBackend?: IngressBackend;
  readonly ingressClassName?: string;
  readonly rules?: readonly IngressRule[];
  readonly tls?: readonly IngressTLS[];
}

export interface IngressSpecApply {
  readonly defaultBackend?: IngressBackendApply;
  readonly ingressClassName?: string;
  readonly rules?: readonly IngressRuleApply[];
  readonly tls?: readonly IngressTLSApply[];
}

export interface IngressStatus {
  readonly loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressStatusApply {
  readonly loadBalancer?: IngressLoadBalancerStatusApply;
}

export interface IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface IngressTLSApply {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface NetworkPolicy {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "NetworkPolicy";
  readonly metadata: StoredMeta;
  readonly spec?: NetworkPolicySpec;
}

export interface NetworkPolicyApply {
  readonly apiVersion?: "networking.k8s.io/v1";
  readonly kind?: "NetworkPolicy";
  readonly metadata?: ObjectMeta;
  readonly spec?: NetworkPolicySpecApply;
}

export interface NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly to?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyEgressRuleApply {
  readonly ports?: readonly NetworkPolicyPortApply[];
  readonly to?: readonly NetworkPolicyPeerApply[];
}

export interface NetworkPolicyIngressRule {
  readonly from?: readonly NetworkPolicyPeer[];
  readonly ports?: readonly NetworkPolicyPort[];
}

export interface NetworkPolicyIngressRuleApply {
  readonly from?: readonly NetworkPolicyPeerApply[];
  readonly ports?: readonly NetworkPolicyPortApply[];
}

export type NetworkPolicyList = KubeList<NetworkPolicy>;

export interface NetworkPolicyPeer {
  readonly ipBlock?: IPBlock;
  readonly namespaceSelector?: LabelSelector;
  readonly podSelector?: LabelSelector;
}

export interface NetworkPolicyPeerApply {
  readonly ipBlock?: IPBlockApply;
  readonly namespaceSelector?: LabelSelectorApply;
  readonly podSelector?: LabelSelectorApply;
}

export interface NetworkPolicyPort {
  readonly endPort?: number;
  readonly port?: IntOrString;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface NetworkPolicyPortApply {
  readonly endPort?: number;
  readonly port?: IntOrString;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface NetworkPolicySpec {
  readonly egress?: readonly NetworkPolicyEgressRule[];
  readonly ingress?: readonly NetworkPolicyIngressRule[];
  readonly podSelector?: LabelSelector;
  readonly policyTypes?: readonly ("Egress" | "Ingress")[];
}

export interface NetworkPolicySpecApply {
  readonly egress?: readonly NetworkPolicyEgressRuleApply[];
  readonly ingress?: readonly NetworkPolicyIngressRuleApply[];
  readonly podSelector?: LabelSelectorApply;
  readonly policyTypes?: readonly ("Egress" | "Ingress")[];
}

export interface ParentReference {
  readonly group?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly resource: string;
}

export interface ParentReferenceApply {
  readonly group?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly resource?: string;
}

export interface ServiceBackendPort {
  readonly name?: string;
  readonly number?: number;
}

export interface ServiceBackendPortApply {
  readonly name?: string;
  readonly number?: number;
}

export interface ServiceCIDR {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "ServiceCIDR";
  readonly metadata: StoredMeta;
  readonly spec?: ServiceCIDRSpec;
  readonly status?: ServiceCIDRStatus;
}

export interface ServiceCIDRApply {
  readonly apiVersion?: "networking.k8s.io/v1";
  readonly kind?: "ServiceCIDR";
  readonly metadata?: ObjectMeta;
  readonly spec?: ServiceCIDRSpecApply;
  readonly status?: ServiceCIDRStatusApply;
}

export type ServiceCIDRList = KubeList<ServiceCIDR>;

export interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

export interface ServiceCIDRSpecApply {
  readonly cidrs?: readonly string[];
}

export interface ServiceCIDRStatus {
  readonly conditions?: readonly Condition[];
}

export interface ServiceCIDRStatusApply {
  readonly conditions?: readonly Keyed<ConditionApply, "type">[];
}
