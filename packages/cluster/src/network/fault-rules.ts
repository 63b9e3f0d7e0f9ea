/** The packet filter's rules for lines that are cut. Pure. */

/** One side of a cut: an address, or the network of a node with the node's own address. */
export interface Side {
  /** Addresses and networks, as nft writes them. */
  readonly addresses: readonly string[];
}

/** A cut: a side loses everybody, or only another side. */
export interface Cut {
  readonly side: Side;
  readonly from: Side | undefined;
}

/**
 * The rules of all cuts; what was there before is replaced at once. Packets are dropped where their last receiver is known, so that also who goes
 * through a service is cut off. What a node itself asks of its pods goes through: probes are no part of the network between pods.
 */
export function faultRules(cuts: readonly Cut[], nodeAddresses: readonly string[]): string {
  return [
    "add table ip capstan-faults",
    "delete table ip capstan-faults",
    "table ip capstan-faults {",
    "  chain leave { type filter hook postrouting priority 90; policy accept;",
    ...cuts.flatMap((cut) => outgoingRules(cut, nodeAddresses)),
    "  }",
    "  chain arrive { type filter hook input priority -10; policy accept;",
    ...cuts.flatMap(incomingRules),
    "  }",
    "}",
    "",
  ].join("\n");
}

function outgoingRules({ side, from }: Cut, nodeAddresses: readonly string[]): readonly string[] {
  const here = addressSet(side.addresses);
  if (from !== undefined) {
    const there = addressSet(from.addresses);
    return [`    ip saddr ${here} ip daddr ${there} drop`, `    ip saddr ${there} ip daddr ${here} drop`];
  }
  const trusted = addressSet([...side.addresses, ...nodeAddresses]);
  return [
    // What answers the node itself never comes by here; what answers others must not leave, or a cut leader would still be heard.
    `    ip saddr ${here} ip daddr != ${here} drop`,
    `    ip saddr != ${trusted} ip daddr ${here} drop`,
  ];
}

/** What is sent to the machine itself: the API server, the names, a node's own address. Answers to what the node asked come through. */
function incomingRules({ side, from }: Cut): readonly string[] {
  const here = addressSet(side.addresses);
  if (from === undefined) return [`    ip saddr ${here} ct direction original drop`];
  const there = addressSet(from.addresses);
  return [
    `    ip saddr ${here} ip daddr ${there} ct direction original drop`,
    `    ip saddr ${there} ip daddr ${here} ct direction original drop`,
  ];
}

function addressSet(addresses: readonly string[]): string {
  return `{ ${[...new Set(addresses)].join(", ")} }`;
}
