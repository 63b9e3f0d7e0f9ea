/** Certificates of a cluster: an authority of its own with a succession, or Secrets that somebody else keeps. */
export { planTls, tlsSecrets } from "./plan.ts";
export type { TlsInput, TlsPlan, TlsSpec } from "./plan.ts";
export { peerName, secretNames } from "./wishes.ts";
export type { StoredSecret, WantedSecret } from "./secret.ts";
