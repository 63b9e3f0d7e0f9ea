/** Connection errors in the words of Go's client, because they become part of error messages. */
import { isIP } from "node:net";
import type { PeerCertificate } from "node:tls";
import { OutgoingError } from "./outgoing.ts";

interface Target {
  readonly host: string;
  readonly port: number | undefined;
}

/** Node's error for a failed connection. A host with several addresses has an error for each of them. */
interface ConnectError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly errors?: readonly ConnectError[];
}

/** Converts Node's error. */
export function toOutgoingError(error: Error, { host, port }: Target): OutgoingError {
  const { code = "", address = host } = firstOf(error);
  const place = `${address.includes(":") ? `[${address}]` : address}:${port ?? 443}`;
  const options = { cause: error };
  switch (code) {
    case "ABORT_ERR":
      return new OutgoingError("Cancelled", "context canceled", options);
    case "ECONNREFUSED":
      return new OutgoingError("Refused", `dial tcp ${place}: connect: connection refused`, options);
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new OutgoingError("Unresolved", `dial tcp: lookup ${host}: no such host`, options);
    case "ECONNRESET":
      return new OutgoingError("Broken", "EOF", options);
    case "EHOSTUNREACH":
      return new OutgoingError("Refused", `dial tcp ${place}: connect: no route to host`, options);
    case "ENETUNREACH":
      return new OutgoingError("Refused", `dial tcp ${place}: connect: network is unreachable`, options);
    default:
      return certificateError(error, code) ?? new OutgoingError("Broken", error.message, options);
  }
}

/** Go prefers the family of the first address and reports its error. */
function firstOf(error: ConnectError): ConnectError {
  const [first] = error.errors ?? [];
  return first ?? error;
}

const distrust: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
]);

function certificateError(error: Error, code: string): OutgoingError | undefined {
  const prefix = "tls: failed to verify certificate: x509: ";
  const options = { cause: error };
  if (distrust.has(code)) {
    return new OutgoingError("Untrusted", `${prefix}certificate signed by unknown authority`, options);
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return new OutgoingError("Untrusted", prefix + whyOtherName(error as OtherName), options);
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return new OutgoingError("Untrusted", `${prefix}certificate has expired or is not yet valid`, options);
  }
  if (code === "EPROTO") {
    return new OutgoingError("Broken", "http: server gave HTTP response to HTTPS client", options);
  }
  return undefined;
}

/** Node's error for a certificate of another host. */
interface OtherName extends Error {
  readonly host: string;
  readonly cert: PeerCertificate;
}

function whyOtherName({ host, cert: { subject, subjectaltname } }: OtherName): string {
  if (subjectaltname === undefined && subject.CN === host) {
    return "certificate relies on legacy Common Name field, use SANs instead";
  }
  const isAddress = isIP(host) !== 0;
  const valid = namesIn(subjectaltname ?? "", isAddress ? "IP Address:" : "DNS:");
  if (valid !== "") return `certificate is valid for ${valid}, not ${host}`;
  return isAddress
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}

function namesIn(alternatives: string, kind: string): string {
  const names = alternatives.split(", ").filter((name) => name.startsWith(kind));
  return names.map((name) => name.slice(kind.length)).join(", ");
}
