/** Members that are heard and refuse the operator: authentication is on in their data, and the operator is nobody to it. */
import type { ClusterObservation } from "../observe/index.ts";

/** What is told of it, with what helps; undefined where nobody refuses. */
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
  const message = `authentication is on, and ${who} refuses the operator, which can look after nobody: ${cure}`;
  return { reason: "LockedOut", message };
}
