import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/networking.k8s.io/v1.ts";

export type * from "../../shapes/networking.k8s.io/v1.ts";

export type IngressClass = shapes.IngressClass;
export const IngressClass: Kind<shapes.IngressClass, shapes.IngressClassApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"networking.k8s.io","version":"v1","kind":"IngressClass","plural":"ingressclasses","scope":"Cluster"} as const);
export type Ingress = shapes.Ingress;
export const Ingress: Kind<shapes.Ingress, shapes.IngressApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"networking.k8s.io","version":"v1","kind":"Ingress","plural":"ingresses","scope":"Namespaced"} as const);
export type IPAddress = shapes.IPAddress;
export const IPAddress: Kind<shapes.IPAddress, shapes.IPAddressApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"networking.k8s.io","version":"v1","kind":"IPAddress","plural":"ipaddresses","scope":"Cluster"} as const);
export type NetworkPolicy = shapes.NetworkPolicy;
export const NetworkPolicy: Kind<shapes.NetworkPolicy, shapes.NetworkPolicyApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"networking.k8s.io","version":"v1","kind":"NetworkPolicy","plural":"networkpolicies","scope":"Namespaced"} as const);
export type ServiceCIDR = shapes.ServiceCIDR;
export const ServiceCIDR: Kind<shapes.ServiceCIDR, shapes.ServiceCIDRApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"networking.k8s.io","version":"v1","kind":"ServiceCIDR","plural":"servicecidrs","scope":"Cluster"} as const);
