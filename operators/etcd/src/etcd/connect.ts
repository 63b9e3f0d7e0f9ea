/** Builds a client: a channel, a caller over it, and the calls by topic. */
import { systemClock } from "capstan";
import type { Clock } from "capstan";
import { authCalls } from "./auth.ts";
import { createCaller } from "./caller.ts";
import { Channel } from "./channel.ts";
import type { ConnectOptions, EtcdClient } from "./client.ts";
import { kvCalls } from "./kv.ts";
import { leaseCalls } from "./leases.ts";
import { maintenanceCalls } from "./maintenance.ts";
import { memberCalls } from "./members.ts";
import { readVersions } from "./versions.ts";
import { watchKeys } from "./watch.ts";

/** A client for one member. It connects on the first call. */
export function connectEtcd(options: ConnectOptions, clock: Clock = systemClock): EtcdClient {
  const channel = new Channel(options, clock);
  const caller = createCaller(channel, options);
  return {
    endpoint: options.endpoint,
    members: memberCalls(caller),
    maintenance: maintenanceCalls(caller, (call) => readVersions(options, clock, call)),
    kv: kvCalls(caller),
    leases: leaseCalls(caller),
    auth: authCalls(caller),
    watch: (watched) => watchKeys(caller, watched),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}
