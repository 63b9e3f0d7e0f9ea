/** Membership calls. */
import type { Caller } from "./caller.ts";
import type { MemberCalls, Membership } from "./client.ts";
import { EtcdError } from "./errors.ts";
import {
  MemberAddRequest,
  MemberAddResponse,
  MemberListRequest,
  MemberRequest,
  MembersResponse,
  MemberUpdateRequest,
} from "./wire/cluster-messages.ts";
import type { WireMember } from "./wire/cluster-messages.ts";

const METHODS = {
  list: { path: "Cluster/MemberList", request: MemberListRequest, answer: MembersResponse },
  add: { path: "Cluster/MemberAdd", request: MemberAddRequest, answer: MemberAddResponse },
  promote: { path: "Cluster/MemberPromote", request: MemberRequest, answer: MembersResponse },
  remove: { path: "Cluster/MemberRemove", request: MemberRequest, answer: MembersResponse },
  update: { path: "Cluster/MemberUpdate", request: MemberUpdateRequest, answer: MembersResponse },
};

export function memberCalls({ ask, endpoint }: Caller): MemberCalls {
  return {
    list: async ({ local = false, ...options } = {}) =>
      toMembership(await ask(METHODS.list, { linearizable: !local }, options)),
    add: async ({ peerURLs, isLearner = false, ...options }) => {
      const answer = await ask(METHODS.add, { peerURLs: [...peerURLs], isLearner }, options);
      return { ...toMembership(answer), added: present(answer.member, endpoint) };
    },
    promote: async (id, options) => toMembership(await ask(METHODS.promote, { id }, options)),
    remove: async (id, options) => toMembership(await ask(METHODS.remove, { id }, options)),
    update: async (id, { peerURLs, ...options }) => {
      await ask(METHODS.update, { id, peerURLs: [...peerURLs] }, options);
    },
  };
}

function toMembership({ header, members }: MembersResponse): Membership {
  return {
    clusterId: header?.clusterId ?? "",
    memberId: header?.memberId ?? "",
    members,
  };
}

function present(member: WireMember | undefined, endpoint: string): WireMember {
  if (member) return member;
  const message = `etcd at ${endpoint} added a member and did not say which`;
  throw new EtcdError("Malformed", message, { endpoint, maybeDone: true });
}
