/** The nftables rules that inject network partitions. Pure. */

/** One side of a partition: the address of a pod, or the address and pod CIDR of a node. */
export interface Side {
  /** Addresses and networks in nft syntax. */
  readonly addresses: readonly string[];
}

/** A partition between a side and all others (`from` is undefined), or between two sides. */
export interface Cut {
  readonly side: Side;
  readonly from: Side | undefined;
}

/**
 * The rules for all partitions; they replace the previous rules atomically. Packets are dropped after DNAT, so that connections through a
 * service are covered, too. Traffic from a node to its own pods passes: probes do not count as pod network.
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
    // Replies to the node itself do not pass this hook. Replies to others must be dropped, or a partitioned leader could still send.
    `    ip saddr ${here} ip daddr != ${here} drop`,
    `    ip saddr != ${trusted} ip daddr ${here} drop`,
  ];
}

/** Packets to the machine itself: the API server, DNS, a node's address. Replies to requests of the node pass. */
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
