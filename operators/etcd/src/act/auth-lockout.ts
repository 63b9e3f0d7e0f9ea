/** Detects members that respond but deny the operator access, because authentication is enabled in their data. */
import type { ClusterObservation } from "../observe/index.ts";

/** Reason and message for the status; undefined if no member denies access. */
export function lockoutOf({
  memberStatuses,
  template,
  tls,
}: Pick<ClusterObservation, "memberStatuses" | "template" | "tls">) {
  const refusing = Object.entries(memberStatuses).filter(([, answer]) => answer.is === "silent" && answer.isLockedOut);
  if (refusing.length === 0) return undefined;
  const who = refusing.map(([member]) => member).join(", ");
  const cure = template.place.isSecure
    ? `let the certificate of Secret ${tls.clientSecret} have the common name root`
    : "without TLS the operator has no name: switch authentication off as a user with the role root (etcdctl auth disable), " +
      "or restore the backup into a cluster with tls.mode Managed";
  const message = `authentication is on, and ${who} refuses the operator, which can manage no member: ${cure}`;
  return { reason: "LockedOut", message };
}
