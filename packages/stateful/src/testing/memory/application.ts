/** An adapter whose servers are in memory: kind, settings, versions and programs are the author's, the servers are ours. */
import type { Application, PrimaryAndReplicas } from "../../application.ts";
import { compareHistories } from "./server.ts";
import type { History, MemoryServers, Server } from "./server.ts";

/** A connection to a server in memory. */
export interface MemoryClient extends AsyncDisposable {
  /** Fails if the server ended, or cannot be reached any more. */
  readonly server: () => Server;
}

/** The author's adapter on servers in memory. */
export function onMemory<C extends AsyncDisposable, P>(
  application: Application<C, P>,
  servers: MemoryServers,
): Application<MemoryClient, History> {
  const { name, port, image, member, versions, settings, topology, hasTls } = application;
  return {
    name,
    port,
    image,
    member,
    versions,
    ...(hasTls === undefined ? {} : { hasTls }),
    connect: async ({ address, host }) => {
      const server = (): Server => {
        const found = servers.at(address);
        if (found === undefined) throw new Error(`${host} does not respond`);
        return found;
      };
      server();
      return { server, [Symbol.asyncDispose]: async () => undefined };
    },
    report: async (client) => servers.reportOf(client.server()),
    settings: {
      classOf: settings.classOf,
      sized: settings.sized,
      set: async (client, key, value) => {
        client.server().settings.set(key, value);
        return value;
      },
    },
    topology: { ...topologyOnMemory, acknowledgements: topology.acknowledgements },
  };
}

const topologyOnMemory: Omit<PrimaryAndReplicas<MemoryClient, History>, "acknowledgements"> = {
  compare: compareHistories,
  fence: async (client) => {
    client.server().isReceiving = false;
  },
  freeze: async (client) => {
    const server = client.server();
    if (server.volume.confirmed < server.volume.log.length) throw new Error("a write waits for an acknowledgement");
    server.acceptsWrites = false;
  },
  waitFor: async (client) => void client.server(),
  promote: async (client, { acknowledgements }) => {
    const change = { acceptsWrites: true, acknowledgements, upstream: undefined, isReceiving: false };
    Object.assign(client.server(), change);
  },
  setAcknowledgements: async (client, count) => {
    client.server().acknowledgements = count;
  },
  follow: async (client, { host }) => {
    const change = {
      acceptsWrites: false,
      acknowledgements: 0,
      upstream: host,
      isReceiving: true,
      isDiverged: false,
    };
    Object.assign(client.server(), change);
  },
};
