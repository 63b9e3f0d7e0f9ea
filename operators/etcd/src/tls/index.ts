/** Certificates of a cluster: an own authority with rotation, or Secrets provided by the user. */
export { planTls, tlsSecrets } from "./plan.ts";
export type { TlsInput, TlsPlan, TlsSpec } from "./plan.ts";
export { peerName, secretNames } from "./wishes.ts";
export type { StoredSecret, WantedSecret } from "./secret.ts";
