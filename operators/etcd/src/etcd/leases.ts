/** Calls about leases. */
import type { Caller } from "./caller.ts";
import type { LeaseCalls } from "./client.ts";
import { EtcdError } from "./errors.ts";
import { HeaderOnly, LeaseGrantRequest, LeaseRequest, LeaseResponse } from "./wire/kv-messages.ts";

const METHODS = {
  grant: { path: "Lease/LeaseGrant", request: LeaseGrantRequest, answer: LeaseResponse },
  keepAlive: { path: "Lease/LeaseKeepAlive", request: LeaseRequest, answer: LeaseResponse },
  revoke: { path: "Lease/LeaseRevoke", request: LeaseRequest, answer: HeaderOnly },
};

export function leaseCalls({ ask, endpoint }: Caller): LeaseCalls {
  return {
    grant: async (ttlSeconds, options) => {
      const { id, ttl } = await ask(METHODS.grant, { ttl: ttlSeconds }, options);
      return { id, ttlSeconds: ttl };
    },
    keepAlive: async (id, options) => {
      const { ttl } = await ask(METHODS.keepAlive, { id }, options);
      // For an expired lease etcd returns a TTL of 0 instead of an error.
      if (ttl > 0) return { ttlSeconds: ttl };
      throw new EtcdError("LeaseNotFound", `etcd at ${endpoint} knows no lease ${id}: grant a new one`, {
        endpoint,
        maybeDone: false,
      });
    },
    revoke: async (id, options) => {
      await ask(METHODS.revoke, { id }, options);
    },
  };
}
