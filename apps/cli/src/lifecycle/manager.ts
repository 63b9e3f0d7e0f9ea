/** Puts the lifecycle manager together for a cluster: its connection, its clients for service accounts, its catalogs. */
import { type Client, type ClusterConfig, createClient, isApiError } from "@capstan/client";
import {
  type AccountReference,
  type Cluster,
  clusterOf,
  createCatalogStore,
  type Discovery,
  type ManagerSetting,
  resolve,
} from "@capstan/lifecycle";
import { apiOf, type Clock, systemClock } from "@capstan/runtime";
import { connectOther } from "./other-cluster.ts";
import { contentReader } from "./read-catalog.ts";

/** A manager's setting that holds connections. */
export interface OpenSetting extends AsyncDisposable {
  readonly setting: ManagerSetting;
}

/** What the setting is made from. */
export interface SettingOptions {
  readonly client: Client;
  readonly config: ClusterConfig;
  readonly namespace: string;
  readonly clock?: Clock;
  readonly catalogUrl?: string;
}

/** Opens the setting. */
export function openSetting({
  client,
  config,
  namespace,
  clock = systemClock,
  catalogUrl,
}: SettingOptions): OpenSetting {
  const scoped = new Map<string, Client>();
  const as = ({ namespace: place, name }: AccountReference): Cluster => {
    const user = `system:serviceaccount:${place}:${name}`;
    const known = scoped.get(user) ?? createClient(impersonating(config, user), { userAgent: "capstan" });
    scoped.set(user, known);
    return clusterOf(apiOf(known));
  };
  const cluster = clusterOf(apiOf(client));
  const reader = contentReader(cluster);
  const setting: ManagerSetting = {
    cluster,
    as,
    discovery: discoveryOf(client),
    clock,
    connect: connectOther,
    catalogs: createCatalogStore(reader.readOrigin),
    resolve,
    readBundle: reader.readBundle,
    namespace,
    catalogUrl,
  };
  const close = async (): Promise<void> => {
    await Promise.all([...scoped.values()].map((each) => each.close()));
  };
  return { setting, [Symbol.asyncDispose]: close };
}

/** The server adds the groups of a service account. To name them would need the permission to impersonate any of these groups. */
function impersonating(config: ClusterConfig, user: string): ClusterConfig {
  return { ...config, user: { ...config.user, impersonate: { user } } };
}

/** What the server of a client serves. */
export function discoveryOf(client: Client): Discovery {
  return {
    version: async () => (await client.serverVersion()).gitVersion,
    kind: async (group, version, kind) => {
      try {
        return await client.resourceFor({ group, version, kind });
      } catch (error) {
        if (isApiError(error, "UnknownKind")) return undefined;
        throw error;
      }
    },
  };
}
