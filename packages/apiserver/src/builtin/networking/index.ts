/** The rules of the group networking.k8s.io. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { ipAddress, serviceCidr } from "./address-range.ts";
import { ingressClass } from "./ingress-class.ts";
import { ingress } from "./ingress.ts";
import { networkPolicy } from "./network-policy.ts";

export const networkingRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["ingressclasses.networking.k8s.io", ingressClass],
  ["ingresses.networking.k8s.io", ingress],
  ["ipaddresses.networking.k8s.io", ipAddress],
  ["networkpolicies.networking.k8s.io", networkPolicy],
  ["servicecidrs.networking.k8s.io", serviceCidr],
]);
