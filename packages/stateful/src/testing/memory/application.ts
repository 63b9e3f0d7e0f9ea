/** An adapter whose servers are in memory: kind, settings, versions and programs are the author's, the servers are ours. */
import type { Accounts } from "../../accounts/accounts.ts";
import type { Application, PrimaryAndReplicas } from "../../application.ts";
import { compareHistories } from "./server.ts";
import type { History, MemoryAccounts, MemoryServers, Server } from "./server.ts";

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
  const { name, port, image, member, versions, settings, topology, hasTls, accounts } = application;
  return {
    name,
    port,
    image,
    member,
    versions,
    ...(hasTls === undefined ? {} : { hasTls }),
    ...(accounts === undefined ? {} : { accounts: accountsOnMemory(accounts) }),
    connect: async ({ address, host, password }) => {
      const server = (): Server => {
        const found = servers.at(address);
        if (found === undefined) throw new Error(`${host} does not respond`);
        if (!found.volume.accounts.operator.includes(password)) throw new Error(`${host} refuses the password`);
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

/** Names are the adapter's; the servers accept all of them. */
function accountsOnMemory(accounts: Accounts<never>): Accounts<MemoryClient> {
  const change = (client: MemoryClient, update: (old: MemoryAccounts) => Partial<MemoryAccounts>): void => {
    const { volume, acceptsWrites } = client.server();
    if (!acceptsWrites) throw new Error("a replica accepts no change of accounts");
    volume.accounts = { ...volume.accounts, ...update(volume.accounts) };
  };
  const { reserved, reservedDatabases, databaseOptions } = accounts;
  return {
    reserved,
    reservedDatabases,
    databaseOptions,
    keepUser: async (client, user) => change(client, ({ users }) => ({ users: new Map(users).set(user.name, user) })),
    dropUser: async (client, name) => change(client, ({ users }) => ({ users: without(users, name) })),
    keepDatabase: async (client, one) =>
      change(client, ({ databases }) => ({ databases: new Map(databases).set(one.name, one) })),
    dropDatabase: async (client, name) => change(client, ({ databases }) => ({ databases: without(databases, name) })),
    setPasswords: async (client, account, passwords) => change(client, () => ({ [account]: passwords })),
  };
}

function without<T>(all: ReadonlyMap<string, T>, name: string): ReadonlyMap<string, T> {
  return new Map([...all].filter(([key]) => key !== name));
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
  waitFor: async (client, position) => {
    const { volume } = client.server();
    if (volume.log.length < position.length) throw new Error("it is behind");
  },
  promote: async (client, { acknowledgements }) => {
    const change = { acceptsWrites: true, acknowledgements, upstream: undefined, isReceiving: false };
    Object.assign(client.server(), change);
  },
  setAcknowledgements: async (client, count) => {
    client.server().acknowledgements = count;
  },
  follow: async (client, { host, password }) => {
    const change = {
      login: password,
      acceptsWrites: false,
      acknowledgements: 0,
      upstream: host,
      isReceiving: true,
      isDiverged: false,
    };
    Object.assign(client.server(), change);
  },
};
