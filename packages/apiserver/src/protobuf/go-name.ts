/** The Go name of a message field. */
import type { ProtobufField } from "@capstan/kinds/protobuf";

/** Initialisms that Go writes in capitals. */
const abbreviations =
  "api|aws|ca|cidr|cpu|csi|dns|fc|fqdn|fs|gce|grpc|http|id|ip|iscsi|nfs|os|pid|rbd|tcp|tls|uid|uri|url|wwid";
const abbreviated = new RegExp(`^(?:${abbreviations})(?=[A-Z]|s?$)`);

/** The JSON name with a capital letter; metadata is embedded under the name of its type. */
export function goNameOf([, name, type]: ProtobufField): string {
  if (name === "metadata" && /\.(?:Object|List)Meta$/.test(type)) return type.slice(type.lastIndexOf(".") + 1);
  const start = abbreviated.exec(name)?.[0] ?? name.charAt(0);
  return start.toUpperCase() + name.slice(start.length);
}
