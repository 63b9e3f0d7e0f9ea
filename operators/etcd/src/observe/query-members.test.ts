import assert from "node:assert/strict";
import { test } from "node:test";
import type { EtcdClient } from "../etcd/index.ts";
import { queryMembers } from "./query-members.ts";
import type { MemberListCheck } from "./query-members.ts";
import { MemberClients } from "./member-clients.ts";

/** Members by address, each with the list that it reports. All belong to one cluster and have a leader. */
function reachOf(lists: { readonly [address: string]: readonly string[] }): MemberClients {
  const connect = ({ endpoint }: { readonly endpoint: string }): EtcdClient => {
    const names = lists[new URL(endpoint).hostname] ?? [];
    const members = names.map((name) => ({
      id: name,
      name,
      peerURLs: [`http://${name}.e.n.svc:2380`],
      clientURLs: [],
    }));
    const client = {
      members: { list: async () => ({ clusterId: "c", memberId: names[0], members }) },
      maintenance: {
        status: async () => ({ clusterId: "c", memberId: names[0], leader: names[0], isLearner: false }),
        alarms: async () => [],
        versions: async () => ({ cluster: "3.6.0" }),
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
    return client as unknown as EtcdClient;
  };
  const addresses = new Map(Object.keys(lists).map((address) => [address, address]));
  return new MemberClients({
    connect,
    place: { name: "e", namespace: "n", isSecure: false },
    addresses,
    steady: () => 0,
  });
}

const belief: MemberListCheck = {
  expected: "c",
  doubt: (members) => (members.length < 3 ? `only ${members.length}` : undefined),
};

test("the plausible one of several lists counts, whichever member is asked first", async () => {
  const { quorum, disbelief } = await queryMembers(
    reachOf({ "10.0.0.1": ["e-0"], "10.0.0.2": ["e-0", "e-1", "e-2"] }),
    belief,
  );
  assert.equal(quorum?.members.length, 3);
  assert.equal(disbelief, undefined);
});

test("without a plausible list there is no quorum, and the reason is reported", async () => {
  const { quorum, disbelief } = await queryMembers(reachOf({ "10.0.0.1": ["e-0"] }), belief);
  assert.equal(quorum, undefined);
  assert.equal(disbelief, "only 1");
  assert.equal((await queryMembers(reachOf({}), belief)).disbelief, undefined);
});
