/** Which addresses belong to which ranges. Pure. */
import { BlockList, isIPv6 } from "node:net";

/** Whether an address lies in one of the ranges. */
export function isWithin(address: string, cidrs: readonly string[]): boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", bits = ""] = cidr.split("/");
    list.addSubnet(network, Number(bits), familyOf(network));
  }
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}
