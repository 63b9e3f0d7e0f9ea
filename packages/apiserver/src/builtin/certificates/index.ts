/** The rules of the group certificates.k8s.io. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { certificateSigningRequest } from "./certificate-signing-request.ts";

export const certificatesRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["certificatesigningrequests.certificates.k8s.io", certificateSigningRequest],
]);
